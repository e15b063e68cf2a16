// propagate_conditions: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(PropagateConditions, TestOfLogicBecomesItsCondition) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:ud = and %21.3:ud %21.4:ud {w8}\n"
                  "  %15:uw = cmp %0:d #0x0:d {w8 cmod 2}\n"
                  "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
                  "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateConditions),
            "block b0 depth 0\n"
            "  %15:uw = and %21.3:ud %21.4:ud {w8 cmod 2}\n"
            "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
            "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateConditions, ThreeSourcesKeepTheirResult) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:f = mad %21.3:f %21.4:f %21.5:f {w8}\n"
                  "  %15:uw = cmp %0:f #0x0:f {w8 cmod 3}\n"
                  "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
                  "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateConditions),
            "block b0 depth 0\n"
            "  %0:f %15:uw = mad %21.3:f %21.4:f %21.5:f {w8 cmod 3}\n"
            "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
            "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateConditions, TestOfStoredCompareUsesItsFlag) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d %15:uw = cmp %21.3:d %21.4:d {w8 cmod 5}\n"
                  "  %16:uw = cmp %0:d #0x0:d {w8 cmod 2}\n"
                  "  %1:ud = sel %21.5:ud %21.6:ud %16:uw {w8 pred 1}\n"
                  "  msg.write %1:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n",
                  PropagateConditions),
            "block b0 depth 0\n"
            "  %0:d %15:uw = cmp %21.3:d %21.4:d {w8 cmod 5}\n"
            "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
            "  msg.write %1:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n");
}

TEST(PropagateConditions, IntegerSumsWrapAndStay) {
  const std::string same =
      "block b0 depth 0\n"
      "  %0:d = add %21.3:d %21.4:d {w8}\n"
      "  %15:uw = cmp %0:d #0x0:d {w8 cmod 5}\n"
      "  %1:ud = sel %21.5:ud %21.6:ud %15:uw {w8 pred 1}\n"
      "  msg.write %1:ud %1:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(same, PropagateConditions), same);
}

}  // namespace
}  // namespace kiln::intel
