// remove_dead_instructions: see passes.h.
#include <string>

#include "core/intel/optimise/passes.h"
#include "core/intel/optimise/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

TEST(RemoveDeadInstructions, ChainsGoAndEffectsStay) {
  EXPECT_EQ(After("block b0 depth 0\n"
                  "  %0:d = add %21.3:d %21.4:d {w8}\n"
                  "  %1:d = add %0:d %21.4:d {w8}\n"
                  "  %2:ud = msg.read %1:ud {w8 [untyped_read channels 1]}\n"
                  "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7]}\n",
                  RemoveDeadInstructions),
            "block b0 depth 0\n"
            "  %0:d = add %21.3:d %21.4:d {w8}\n"
            "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7]}\n");
}

// Bit 13 of the descriptor requests the old values.
TEST(RemoveDeadInstructions, AtomicsWithUnusedResultRequestNone) {
  const std::string sums = "block b0 depth 0\n  %0:d = add %21.3:d %21.4:d {w8}\n";
  EXPECT_EQ(After(sums + "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7 returns 1]}\n",
                  RemoveDeadInstructions),
            sums + "  msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7]}\n");
  const std::string used = sums +
                           "  %3:ud = msg.atomic %0:ud %0:ud {w8 [untyped_atomic op 7 returns 1]}\n"
                           "  msg.write %3:ud %0:ud {w8 [untyped_write bti 1 channels 1]}\n";
  EXPECT_EQ(After(used, RemoveDeadInstructions), used);
}

TEST(RemoveDeadInstructions, VolatileReadsStayWhole) {
  const std::string read =
      "block b0 depth 0\n  %0:d = add %21.3:d %21.4:d {w8}\n"
      "  %3:ud = msg.volatile_read %0:ud {w8 [untyped_read channels 1]}\n";
  EXPECT_EQ(After(read, RemoveDeadInstructions), read);
}

}  // namespace
}  // namespace kiln::intel
