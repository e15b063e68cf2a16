// Tests the LIR that selection makes of each operation of launch.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectLaunch, IdsComeFromTheHeaderAndPushRegisters) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = workgroup_id[0]
    %2:i32 = workgroup_id[1]
    %3:i32 = workgroup_id[2]
    %4:i32 = num_workgroups[1]
    store_ssbo[0, align 4] 0, %1, %2, %3, %4
)",
                     8),
            R"(
    %2:ud = mov %0.1:ud {w8}
    %3:ud = mov %0.6:ud {w8}
    %4:ud = mov %0.7:ud {w8}
    %5:ud = mov %1.1:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    %7x4:ud = collect %2:ud %3:ud %4:ud %5:ud {w8}
    msg.write %6:ud %7x4:ud {w8 [untyped_write channels 15]}
)");
}

TEST(SelectLaunch, BasesOfWorkgroups) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = base_workgroup[2]
    store_ssbo[0, align 4] 0, %1
)",
                     8),
            R"(
    %2:ud = mov %1.2:ud {w8}
    %3:ud = mov #0x0:ud {w8}
    msg.write %3:ud %2:ud {w8 [untyped_write channels 1]}
)");
}

// In the prologue, for all lanes.
TEST(SelectLaunch, LaneNumbersAreMadeOnce) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = subgroup_invocation
    %3:i32 = local_index
    %4:i32 = local_index
    %5:i32 = subgroup_id
    store_ssbo[0, align 4] %1, %2, %3, %4, %5
)",
                     16),
            R"(
    %2:uw = lane_ids {w16 nomask}
    %5:ud = shl %1:ud #0x4:ud {nomask}
    %6:ud = add %5:ud %2:uw {w16}
    %3:ud = mov %2:uw {w16}
    %4:ud = mov %2:uw {w16}
    %7:ud = mov %1:ud {w16}
    %8x4:ud = collect %4:ud %6:ud %6:ud %7:ud {w16}
    msg.write %3:ud %8x4:ud {w16 [untyped_write lanes 16 channels 15]}
)");
}

}  // namespace
}  // namespace kiln::intel
