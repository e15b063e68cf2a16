// merge_equal_instructions: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(MergeEqualInstructions, EqualSumsAreOne) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:d = add %21.3:d %21.4:d {w8}\n"
                  "  %10:d = add %21.3:d %21.4:d {nomask}\n"
                  "  %2:d = add %0:d %1:d {w8}\n"
                  "  %3:d = add %2:d %10:d {w8}\n"
                  "  msg.write %2:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualInstructions),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %10:d = add %21.3:d %21.4:d {nomask}\n"
            "  %2:d = add %0:d %0:d {w8}\n"
            "  %3:d = add %2:d %10:d {w8}\n"
            "  msg.write %2:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(MergeEqualInstructions, FlagsOnlyInsideABlockAndReadsNever) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
                  "  %2:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
                  "  %15:uw = cmp %1:d %2:d {w8 cmod 5}\n"
                  "  %16:uw = cmp %1:d %2:d {w8 cmod 5}\n"
                  "  %3:ud = sel %1:ud %2:ud %16:uw {w8 pred 1}\n"
                  "  if %15:uw {w8 pred 1}\n"
                  "  -> b1, b2\n"
                  "block b1 depth 0\n"
                  "  %17:uw = cmp %1:d %2:d {w8 cmod 5}\n"
                  "  %4:ud = sel %1:ud %3:ud %17:uw {w8 pred 1}\n"
                  "  msg.write %4:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
                  "  endif {w8}\n"
                  "  -> b2\n"
                  "block b2 depth 0\n"
                  "  msg.write %3:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualInstructions),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %1:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
            "  %2:ud = msg.read %0:ud {w8 [untyped_read channels 1]}\n"
            "  %15:uw = cmp %1:d %2:d {w8 cmod 5}\n"
            "  %3:ud = sel %1:ud %2:ud %15:uw {w8 pred 1}\n"
            "  if %15:uw {w8 pred 1}\n"
            "  -> b1, b2\n"
            "block b1 depth 0\n"
            "  %17:uw = cmp %1:d %2:d {w8 cmod 5}\n"
            "  %4:ud = sel %1:ud %3:ud %17:uw {w8 pred 1}\n"
            "  msg.write %4:ud %4:ud {w8 [untyped_write bti 1 channels 1]}\n"
            "  endif {w8}\n"
            "  -> b2\n"
            "block b2 depth 0\n"
            "  msg.write %3:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(MergeEqual, SumsOfDwordsAreTheSameSignedOrNot) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = add %21.3:ud %21.4:ud {w8}\n"
                  "  %1:d = add %21.3:d %21.4:d {w8}\n"
                  "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  MergeEqualInstructions),
            "block b0 depth 0\n"
            "  %0:ud = add %21.3:ud %21.4:ud {w8}\n"
            "  msg.write %0:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n");
  // Right shifts and saturated sums depend on the sign.
  const std::string other =
      "block b0 depth 0\n"
      "  %0:ud = shr %21.3:ud %21.4:ud {w8}\n"
      "  %1:d = shr %21.3:d %21.4:d {w8}\n"
      "  %2:ud = add %21.3:ud %21.4:ud {w8 sat}\n"
      "  %3:d = add %21.3:d %21.4:d {w8 sat}\n"
      "  msg.write %0:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n"
      "  msg.write %2:ud %3:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(other, MergeEqualInstructions), other);
}

}  // namespace
}  // namespace kiln::intel
