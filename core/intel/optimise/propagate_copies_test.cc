// propagate_copies: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(PropagateCopies, ModifiersMoveIntoFloatArithmetic) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %2:f = mov -%0:f {w8}\n"
                  "  %3:f = mov |%2|:f {w8}\n"
                  "  %4:f = add %2:f %3:f {w8}\n"
                  "  %5:f = mul -%2:f -%3:f {w8}\n"
                  "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
            "  %2:f = mov -%0:f {w8}\n"
            "  %3:f = mov |%0|:f {w8}\n"
            "  %4:f = add -%0:f |%0|:f {w8}\n"
            "  %5:f = mul %0:f -|%0|:f {w8}\n"
            "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateCopies, ModifiersStayOutOfLogicAndOfOtherTypes) {
  const std::string same =
      "block b0 depth 0\n"
      "  %1:ud = mov %21:ud {w8}\n"
      "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
      "  %2:f = mov -%0:f {w8}\n"
      "  %3:d = mov -%0:d {w8}\n"
      "  %4:ud = and %2:ud %3:ud {w8}\n"
      "  %5:d = mul %3:d #0x7:w {w8}\n"
      "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateCopies), same);
}

// -INT_MIN is INT_MIN in a register and 2^31 inside an instruction: a sum wraps to the same, a
// maximum does not.
TEST(PropagateCopies, IntegerModifiersMoveOnlyWhereResultsWrap) {
  const std::string head =
      "block b0 depth 0\n"
      "  %1:ud = mov %21:ud {w8}\n"
      "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
      "  %2:d = mov -%0:d {w8}\n";
  const std::string tail =
      "  %4:d = sel %2:d %21:d {w8 cmod 3}\n"
      "  %5:f = mov %2:d {w8}\n"
      "  msg.write %1:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %1:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %1:ud %5:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(head + "  %3:d = add %2:d %21:d {w8}\n" + tail, PropagateCopies),
            head + "  %3:d = add -%0:d %21:d {w8}\n" + tail);
}

// A copy of a negated word 0x8000 holds 0x8000; an addition of dwords would read +32768.
TEST(PropagateCopies, ModifiersOfWordsStayOutOfDwordArithmetic) {
  const auto sum = [](const std::string& type, const std::string& a) {
    return "block b0 depth 0\n"
           "  %1:ud = mov %21:ud {w8}\n"
           "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
           "  %2:w = mov -%0:w {w8}\n"
           "  %3:" +
           type + " = add %21:" + type + " " + a +
           ":w {w8}\n"
           "  msg.write %1:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n";
  };
  EXPECT_EQ(After(sum("d", "%2"), PropagateCopies), sum("d", "%2"));
  EXPECT_EQ(After(sum("w", "%2"), PropagateCopies), sum("w", "-%0"));
}

TEST(PropagateCopies, UniformSourcesReachArithmeticButNotPayloads) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21.3:ud {w8}\n"
                  "  %1:d = add %0:d #0x4:d {w8}\n"
                  "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %0:ud = mov %21.3:ud {w8}\n"
            "  %1:d = add %21.3:d #0x4:d {w8}\n"
            "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateCopies, ConversionsAreNotCopies) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:f = mov %21.3:d {w8}\n"
      "  %1:f = add %0:f #0x3f800000:f {w8}\n"
      "  %2:f = mov %1:f {w8 sat}\n"
      "  %3:f = add %2:f #0x3f800000:f {w8}\n"
      "  msg.write %3:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateCopies), same);
}

TEST(PropagateCopies, StopsAtTheRewriteLimit) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = mov %21.3:ud {w8}\n"
                  "  %1:d = add %0:d %0:d {w8}\n"
                  "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies, 1),
            "block b0 depth 0\n"
            "  %0:ud = mov %21.3:ud {w8}\n"
            "  %1:d = add %21.3:d %0:d {w8}\n"
            "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

// An EU instruction reads its 16-bit source in place; a payload or a wider read does not.
TEST(PropagateCopies, WordsAreReadInPlace) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %22:uw = mov %0+2:uw {w8}\n"
                  "  %23:hf = add %22:hf %22:hf {w8}\n"
                  "  %2:uw = mov %22:uw {w8}\n"
                  "  %3:ud = mov %2:ud {w8}\n"
                  "  %4:ud = pack %23:uw %2:uw {w8}\n"
                  "  msg.write %2:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
            "  %22:uw = mov %0+2:uw {w8}\n"
            "  %23:hf = add %0+2:hf %0+2:hf {w8}\n"
            "  %2:uw = mov %0+2:uw {w8}\n"
            "  %3:ud = mov %2:ud {w8}\n"
            "  %4:ud = pack %23:uw %0+2:uw {w8}\n"
            "  msg.write %2:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

// Instructions with another source of 32 bits read a widened byte or word in place, but a byte only
// as the first source, and a signed one only if the signedness is the same.
TEST(PropagateCopies, WidenedPartsAreReadInPlace) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %1:ud = mov %21:ud {w8}\n"
                  "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %2:ud = mov %0+3:ub {w8}\n"
                  "  %3:d = mov %0+2:w {w8}\n"
                  "  %4:d = add %2:d #0x5:d {w8}\n"
                  "  %5:d = add %4:d %2:d {w8}\n"
                  "  %6:f = mov %3:d {w8}\n"
                  "  %7:f = mov %3:ud {w8}\n"
                  "  %15:uw = cmp %3:d %4:d {w8 cmod 5}\n"
                  "  %16:uw = cmp %3:ud %4:ud {w8 cmod 5}\n"
                  "  %8:ud = and %2:ud %3:ud {w8}\n"
                  "  msg.write %6:ud %8:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateCopies),
            "block b0 depth 0\n"
            "  %1:ud = mov %21:ud {w8}\n"
            "  %0:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
            "  %2:ud = mov %0+3:ub {w8}\n"
            "  %3:d = mov %0+2:w {w8}\n"
            "  %4:d = add %0+3:ub #0x5:d {w8}\n"
            "  %5:d = add %4:d %2:d {w8}\n"
            "  %6:f = mov %0+2:w {w8}\n"
            "  %7:f = mov %3:ud {w8}\n"
            "  %15:uw = cmp %0+2:w %4:d {w8 cmod 5}\n"
            "  %16:uw = cmp %3:ud %4:ud {w8 cmod 5}\n"
            "  %8:ud = and %0+3:ub %3:ud {w8}\n"
            "  msg.write %6:ud %8:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

}  // namespace
}  // namespace kiln::intel
