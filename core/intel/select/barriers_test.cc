// Tests the LIR that selection makes of each operation of barriers.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Shared memory and surfaces have separate fences; a subgroup needs none.
TEST(SelectBarriers, MemoryIsFencedByClass) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    store_shared[align 4] 0, %1
    store_ssbo[0, align 4] 0, %1
    memory_barrier[1, device]
    memory_barrier[2, workgroup]
    memory_barrier[7, subgroup]
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x0:ud {w8}
    msg.write %3:ud %2:ud {w8 [untyped_write bti 254 channels 1]}
    %4:ud = mov #0x0:ud {w8}
    msg.write %4:ud %2:ud {w8 [untyped_write channels 1]}
    %5x8:ud = fence %0x8:ud {nomask [memory_fence header 1 commit 1]}
    %6x8:ud = fence %0x8:ud {nomask [memory_fence header 1 bti 254 commit 1]}
)");
}

TEST(SelectBarriers, BarriersFenceFirst) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    store_shared[align 4] 0, %1
    control_barrier[2, workgroup]
    %2:i32 = load_shared[align 4] %1
    store_ssbo[0, align 4] 0, %2
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x0:ud {w8}
    msg.write %3:ud %2:ud {w8 [untyped_write bti 254 channels 1]}
    %4x8:ud = fence %0x8:ud {nomask [memory_fence header 1 bti 254 commit 1]}
    %5x8:ud = barrier %0x8:ud {nomask}
    %6:ud = msg.read %2:ud {w8 [untyped_read bti 254 channels 1]}
    %7:ud = mov #0x0:ud {w8}
    msg.write %7:ud %6:ud {w8 [untyped_write channels 1]}
)");
}

// The lanes of a single thread need no barrier.
TEST(SelectBarriers, NoBarrierWithinASubgroup) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    store_shared[align 4] 0, %1
    control_barrier[2, subgroup]
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x0:ud {w8}
    msg.write %3:ud %2:ud {w8 [untyped_write bti 254 channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
