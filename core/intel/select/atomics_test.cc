// Tests the LIR that selection makes of each operation of atomics.h.
#include "core/intel/device/testing.h"
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectAtomics, AtomicsReturnWhatWasThere) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = ssbo_atomic[0, add] 0, %1
    %3:i32 = shared_atomic[umax] %1, %2
    %4:i32 = ssbo_atomic[0, increment] 8
    store_ssbo[0, align 4] 16, %2, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x0:ud {w8}
    %4:ud = msg.atomic %3:ud %2:ud {w8 [untyped_atomic op 7 returns 1]}
    %5:ud = msg.atomic %2:ud %4:ud {w8 [untyped_atomic bti 254 op 12 returns 1]}
    %6:ud = mov #0x8:ud {w8}
    %7:ud = msg.atomic %6:ud {w8 [untyped_atomic op 5 returns 1]}
    %8:ud = mov #0x10:ud {w8}
    %9x3:ud = collect %4:ud %5:ud %7:ud {w8}
    msg.write %8:ud %9x3:ud {w8 [untyped_write channels 7]}
)");
}

// Both operands are one payload.
TEST(SelectAtomics, ComparedExchanges) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = ssbo_atomic[0, compare_exchange] %1, %1, 5
    %3:f32 = shared_atomic[fmax] 0, 1f
    store_ssbo[0, align 4] 16, %2, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %4:ud = mov #0x5:ud {w16}
    %5x2:ud = collect %2:ud %4:ud {w16}
    %3:ud = msg.atomic %2:ud %5x2:ud {w16 [untyped_atomic lanes 16 op 14 returns 1]}
    %6:ud = mov #0x0:ud {w16}
    %8:ud = mov #0x3f800000:ud {w16}
    %7:ud = msg.atomic %6:ud %8:ud {w16 [untyped_atomic_float bti 254 lanes 16 op 1 returns 1]}
    %9:ud = mov #0x10:ud {w16}
    %10x2:ud = collect %3:ud %7:ud {w16}
    msg.write %9:ud %10x2:ud {w16 [untyped_write lanes 16 channels 3]}
)");
}

TEST(SelectAtomics, AtomicsByAddressAreOfEightLanes) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = global_atomic[compare_exchange] %1, %1, %1, 5
    store_ssbo[0, align 4] 0, %2
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud = pack %2:ud %2:ud {w16}
    %5:ud = mov #0x5:ud {w16}
    %6:ud = interleave %2:ud %5:ud {w16}
    %4:ud = msg.atomic %3:ud %6:ud {w16 [a64_atomic bti 253 op 14 returns 1]}
    %7:ud = mov #0x0:ud {w16}
    msg.write %7:ud %4:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectAtomics, AtomicsOfQwords) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32, %3:i32 = global_atomic64[add] %1, %1, %1, 0
    store_ssbo[0, align 4] 0, %2, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud = pack %2:ud %2:ud {w16}
    %4:ud = pack %2:ud #0x0:ud {w16}
    %5:ud = msg.atomic %3:ud %4:ud {w16 [a64_atomic bti 253 op 7 returns 1 data64 1]}
    %6:ud = mov %5:ud {w16}
    %7:ud = mov %5+4:ud {w16}
    %8:ud = mov #0x0:ud {w16}
    %9x2:ud = collect %6:ud %7:ud {w16}
    msg.write %8:ud %9x2:ud {w16 [untyped_write lanes 16 channels 3]}
)");
}

TEST(SelectAtomics, AtomicLoadsAndStores) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = ssbo_atomic[0, load] %1
    %3:i32 = ssbo_atomic[0, store] 8, %2
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = msg.ordered_read %2:ud {w8 [untyped_read channels 1]}
    %4:ud = mov #0x8:ud {w8}
    msg.write %4:ud %3:ud {w8 [untyped_write channels 1]}
)");
}

// They go by the buffer's address.
TEST(SelectAtomics, OfSixtyFourBitsNeedAddresses) {
  const char* const body = R"(
    %1:i32, %2:i32 = ssbo_address[0]
    %3:i32, %4:i32 = global_atomic64[add] %1, %2, 7, 0
)";
  EXPECT_NE(Selected(body, 8).find("a64_atomic"), std::string::npos) << Selected(body, 8);
  EXPECT_EQ(Selected(body, 8, TglBut(&Instructions::addresses)), "atomic of 64 bits on a buffer");
}

}  // namespace
}  // namespace kiln::intel
