// widen_uniform_results: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

constexpr char kSum[] =
    "  %11:d = mov %21:d {nomask}\n  %12:d = mov %21.1:d {nomask}\n"
    "  %10:d = add %11:d %12:d {nomask}\n";
constexpr char kStore[] = "  msg.write %0:ud %0:ud {w8 [untyped_write channels 1]}\n";

TEST(WidenUniformResults, TheCopyBecomesTheComputation) {
  EXPECT_EQ(After(std::string("block b0 depth 0\n") + kSum + "  %0:d = mov %10:d {w8}\n" + kStore,
                  WidenUniformResults),
            std::string("block b0 depth 0\n") + kSum + "  %0:d = add %11:d %12:d {w8}\n" + kStore);
}

TEST(WidenUniformResults, WhatIsUsedOtherwiseStaysUniform) {
  const std::string same = std::string("block b0 depth 0\n") + kSum + "  %0:d = mov %10:d {w8}\n" +
                           "  %13:d = mov %10:d {nomask}\n" + kStore;
  EXPECT_EQ(After(same, WidenUniformResults), same);
}

TEST(WidenUniformResults, SoDoMathAndWhatHasManyCopies) {
  std::string same = std::string("block b0 depth 0\n") +
                     "  %11:f = mov %21:f {nomask}\n  %10:f = math %11:f {nomask aux 1}\n"
                     "  %0:f = mov %10:f {w8}\n" +
                     kStore;
  EXPECT_EQ(After(same, WidenUniformResults), same);
  same = std::string("block b0 depth 0\n") + kSum;
  for (int lane = 0; lane < 4; ++lane) {
    same += "  %" + std::to_string(lane) + ":d = mov %10:d {w8}\n";
  }
  same += kStore;
  EXPECT_EQ(After(same, WidenUniformResults), same);
}

TEST(WidenUniformResults, ConvertedOrSaturatedCopiesStay) {
  for (const char* copy : {"  %0:f = mov %10:d {w8}\n", "  %0:f = mov %10:f {w8 sat}\n",
                           "  %0:d = mov -%10:d {w8}\n"}) {
    const std::string same = std::string("block b0 depth 0\n") + kSum + copy + kStore;
    EXPECT_EQ(After(same, WidenUniformResults), same);
  }
}

TEST(WidenUniformResults, StopsAtTheRewriteLimit) {
  const std::string two = std::string("block b0 depth 0\n") + kSum +
                          "  %0:d = mov %10:d {w8}\n  %1:d = mov %10:d {w8}\n" + kStore;
  EXPECT_EQ(After(two, WidenUniformResults, 1),
            std::string("block b0 depth 0\n") + kSum +
                "  %0:d = add %11:d %12:d {w8}\n  %1:d = mov %10:d {w8}\n" + kStore);
}

}  // namespace
}  // namespace kiln::intel
