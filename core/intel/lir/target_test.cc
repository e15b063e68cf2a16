// Tests when a result may lie where a source dies: see target.h.
#include "core/intel/lir/target.h"

#include <string>

#include "core/intel/device/device.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// %0 and %1 are per lane, %2 and %3 halves of such values in a thread of 32 lanes, %4 is a scalar.
bool MayReuse(const std::string& instruction, int use) {
  const lir::Target& t = TargetOf(Tgl());
  const absl::StatusOr<lir::Function> f = lir::Parse(t,
                                                     "function tgl width 32\n"
                                                     "value %0 G 4x1\n"
                                                     "value %1 G 4x1\n"
                                                     "value %2 U 4x16 whole\n"
                                                     "value %3 U 4x16 whole\n"
                                                     "value %4 U 4x1\n"
                                                     "block b0 depth 0\n  " +
                                                         instruction + "\n");
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() && t.may_reuse_source(*f, f->blocks[0].insts[0], 0, use);
}

// Each half of the execution reads just the registers that it writes.
TEST(Target, ASourceOfTheSameShapeMayBeWrittenOver) {
  EXPECT_TRUE(MayReuse("%0:f = add %1:f %4:f {w32}", 0));
  EXPECT_TRUE(MayReuse("%2x16:f = add %3x16:f %4:f {w16}", 0));
}

// The second half still reads the scalar.
TEST(Target, AScalarMayNotBeWrittenOverByManyLanes) {
  EXPECT_FALSE(MayReuse("%0:f = add %1:f %4:f {w32}", 1));
  EXPECT_FALSE(MayReuse("%2x16:f = add %3x16:f %4:f {w16}", 1));
  EXPECT_FALSE(MayReuse("%2x16:ud = math %4:ud %3x16:ud {w16 g16 aux 12}", 0));
}

}  // namespace
}  // namespace kiln::intel
