// vectorise_uniforms: see vectorise_uniforms.cc.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

std::string Vectorised(const std::string& body, int64_t rewrites = -1) {
  return After(body, VectoriseUniforms, rewrites);
}

TEST(VectoriseUniforms, ComponentsOfOneRegister) {
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:f = mul %21.4:f %21:f {nomask id 7}\n"
                       "  %11:f = mul %21.5:f %21:f {nomask}\n"
                       "  %12:f = mul %21.6:f %21:f {nomask}\n"
                       "  %13:f = mul %21.7:f %21:f {nomask}\n"
                       "  %0:f = add %10:f %11:f {w8}\n"
                       "  %1:f = add %12:f %13:f {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:f = mul %21.4x4:f %21:f {w4 nomask id 7}\n"
            "  %0:f = add %26:f %26.1:f {w8}\n"
            "  %1:f = add %26.2:f %26.3:f {w8}\n");
}

TEST(VectoriseUniforms, WhatReadsAVectorInOrderIsOneItself) {
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:f = mul %21.4:f %21:f {nomask}\n"
                       "  %11:f = mul %21.5:f %21:f {nomask}\n"
                       "  %12:f = add -%10:f %21.6:f {nomask sat}\n"
                       "  %13:f = add -%11:f %21.6:f {nomask sat}\n"
                       "  %0:f = add %12:f %13:f {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:f = mul %21.4x4:f %21:f {w4 nomask}\n"
            "  %27x4:f = add -%26x4:f %21.6:f {w4 nomask sat}\n"
            "  %0:f = add %27:f %27.1:f {w8}\n");
}

// Lanes correspond to components: those between and in front have no member.
TEST(VectoriseUniforms, SomeComponentsOfFour) {
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:d = add %21.7:d #0x5:d {nomask}\n"
                       "  %11:d = add %21.5:d #0x5:d {nomask}\n"
                       "  %0:d = add %10:d %11:d {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:d = add %21.4x4:d #0x5:d {w4 nomask}\n"
            "  %0:d = add %26.3:d %26.1:d {w8}\n");
}

// Three-source instructions read vectors at owords only.
TEST(VectoriseUniforms, VectorsThatBeginAnywhere) {
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:f = mul %21.4:f %21.1:f {nomask}\n"
                       "  %11:f = mul %21.5:f %21.2:f {nomask}\n"
                       "  %0:f = add %10:f %11:f {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:f = mul %21.4x4:f %21.1x4:f {w4 nomask}\n"
            "  %0:f = add %26:f %26.1:f {w8}\n");
  const std::string ternary =
      "block b0 depth 0\n"
      "  %10:f = mad %21.4:f %21:f %21.1:f {nomask}\n"
      "  %11:f = mad %21.5:f %21:f %21.2:f {nomask}\n"
      "  %0:f = add %10:f %11:f {w8}\n";
  EXPECT_EQ(Vectorised(ternary), ternary);
}

TEST(VectoriseUniforms, TheLargerGroupIsTaken) {
  // %10 can be combined with %11, which steps in the first source, or with %12 and %13, which step
  // in the second.
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:f = mul %21:f %21.4:f {nomask}\n"
                       "  %11:f = mul %21.1:f %21.4:f {nomask}\n"
                       "  %12:f = mul %21:f %21.5:f {nomask}\n"
                       "  %13:f = mul %21:f %21.6:f {nomask}\n"
                       "  %0:f = mad %10:f %11:f %12:f {w8}\n"
                       "  %1:f = mov %13:f {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:f = mul %21:f %21.4x4:f {w4 nomask}\n"
            "  %11:f = mul %21.1:f %21.4:f {nomask}\n"
            "  %0:f = mad %26:f %11:f %26.1:f {w8}\n"
            "  %1:f = mov %26.2:f {w8}\n");
}

TEST(VectoriseUniforms, BothSourcesStep) {
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:f = sel %21:f %21.4:f {nomask cmod 4}\n"
                       "  %11:f = sel %21.1:f %21.5:f {nomask cmod 4}\n"
                       "  %0:f = add %10:f %11:f {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:f = sel %21x4:f %21.4x4:f {w4 nomask cmod 4}\n"
            "  %0:f = add %26:f %26.1:f {w8}\n");
}

TEST(VectoriseUniforms, UsesInOtherBlocksAndOnEdges) {
  EXPECT_EQ(Vectorised("block b0 depth 0\n"
                       "  %10:f = mul %21.4:f %21:f {nomask}\n"
                       "  %11:f = mul %21.5:f %21:f {nomask}\n"
                       "  -> b1(%11:ud)\n"
                       "block b1 depth 0 params %12\n"
                       "  %0:f = add %10:f %12:f {w8}\n"),
            "block b0 depth 0\n"
            "  %26x4:f = mul %21.4x4:f %21:f {w4 nomask}\n"
            "  -> b1(%26.1:ud)\n"
            "block b1 depth 0 params %12\n"
            "  %0:f = add %26:f %12:f {w8}\n");
}

TEST(VectoriseUniforms, NotAcrossBlocks) {
  const std::string apart =
      "block b0 depth 0\n"
      "  %10:f = mul %21.4:f %21:f {nomask}\n"
      "  -> b1\n"
      "block b1 depth 0\n"
      "  %11:f = mul %21.5:f %21:f {nomask}\n"
      "  %0:f = add %10:f %11:f {w8}\n";
  EXPECT_EQ(Vectorised(apart), apart);
}

// The additions of a sum of components are all at different depths.
TEST(VectoriseUniforms, NotWhatDependsOnEachOther) {
  const std::string sum =
      "block b0 depth 0\n"
      "  %10:f = add %21.4:f %21:f {nomask}\n"
      "  %11:f = add %21.5:f %10:f {nomask}\n"
      "  %12:f = add %21.6:f %11:f {nomask}\n"
      "  %0:f = mov %12:f {w8}\n";
  EXPECT_EQ(Vectorised(sum), sum);
}

TEST(VectoriseUniforms, OnlyTheSameOperation) {
  for (const char* second :
       {"add %21.5:f %21:f {nomask}", "mul %21.5:f %21.2:f {nomask}", "mul %21.5:f -%21:f {nomask}",
        "mul %21.5:f %21:f {nomask sat}", "mul %21.3:f %21:f {nomask}",
        "mul %21.5:d %21:d {nomask}", "mul %21.5:f #0x3f800000:f {nomask}"}) {
    const bool integer = std::string(second).find(":d") != std::string::npos;
    const std::string body =
        std::string("block b0 depth 0\n") + "  %10:f = mul %21.4:f %21:f {nomask}\n" +
        (integer ? "  %11:d = " : "  %11:f = ") + second + "\n" + "  %0:f = add %10:f %11:f {w8}\n";
    EXPECT_EQ(Vectorised(body), body);
  }
}

TEST(VectoriseUniforms, NotFlagsWordsOrLanes) {
  const std::string other =
      "block b0 depth 0\n"
      "  %10:f %15:uw = cmp %21.4:f %21:f {nomask cmod 4}\n"
      "  %11:f %16:uw = cmp %21.5:f %21:f {nomask cmod 4}\n"
      "  %12:d = mov %21.4:w {nomask}\n"
      "  %13:d = mov %21.5:w {nomask}\n"
      "  %0:f = mul %21.4:f %21:f {w8}\n"
      "  %1:f = mul %21.5:f %21:f {w8}\n"
      "  %2:d = add %12:d %13:d {w8}\n"
      "  %3:f = add %10:f %11:f {w8}\n";
  EXPECT_EQ(Vectorised(other), other);
}

TEST(VectoriseUniforms, AsManyGroupsAsItMayMake) {
  const std::string two =
      "block b0 depth 0\n"
      "  %10:f = mul %21.4:f %21:f {nomask}\n"
      "  %11:f = mul %21.5:f %21:f {nomask}\n"
      "  %12:f = add %21.4:f %21:f {nomask}\n"
      "  %13:f = add %21.5:f %21:f {nomask}\n"
      "  %0:f = mad %10:f %11:f %12:f {w8}\n"
      "  %1:f = mov %13:f {w8}\n";
  EXPECT_EQ(Vectorised(two, 0), two);
  EXPECT_EQ(Vectorised(two, 1),
            "block b0 depth 0\n"
            "  %26x4:f = mul %21.4x4:f %21:f {w4 nomask}\n"
            "  %12:f = add %21.4:f %21:f {nomask}\n"
            "  %13:f = add %21.5:f %21:f {nomask}\n"
            "  %0:f = mad %26:f %26.1:f %12:f {w8}\n"
            "  %1:f = mov %13:f {w8}\n");
}

}  // namespace
}  // namespace kiln::intel
