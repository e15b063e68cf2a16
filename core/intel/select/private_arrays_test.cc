// Tests the LIR that selection makes of each operation of private_arrays.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectPrivateArrays, DwordsOfLanesLieTogether) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    store_private[0, align 4] 8, %1
    %2:i32 = and %1, 12
    %3:i32 = load_private[0, align 4] %2
    store_ssbo[0, align 4] 0, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %3x8:ud = scratch_header %0x8:ud {w8 nomask}
    %2:ud = mov %1:uw {w16}
    %4:ud = add %1:uw #0x20:ud {w16}
    %5x2:ud = collect %4:ud %2:ud {w16}
    msg.write %3x8:ud %5x2:ud {w16 [dword_scattered_write header 1 bti 253 lanes 16]}
    %6:ud = and %2:ud #0xc:ud {w16}
    %7:ud = shl %6:ud #0x2:ud {w16}
    %8:ud = add %7:ud %1:uw {w16}
    %9:ud = msg.read %3x8:ud %8:ud {w16 [dword_scattered_read header 1 bti 253 lanes 16]}
    %10:ud = mov #0x0:ud {w16}
    msg.write %10:ud %9:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectPrivateArrays, UniformOffsetsAreComputedOnce) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    store_private[0, align 4] %1, 7
    %2:i32, %3:i32 = load_private[0, align 4] %1
    store_ssbo[0, align 4] 0, %2, %3
)",
                     8),
            R"(
    %2x8:ud = scratch_header %0x8:ud {w8 nomask}
    %3:uw = lane_ids {w8 nomask}
    %4:ud = shl %1:ud #0x1:ud {nomask}
    %5:ud = add %4:ud %3:uw {w8}
    %6:ud = mov #0x7:ud {w8}
    %7x2:ud = collect %5:ud %6:ud {w8}
    msg.write %2x8:ud %7x2:ud {w8 [dword_scattered_write header 1 bti 253]}
    %8:ud = shl %1:ud #0x1:ud {nomask}
    %9:ud = add %8:ud %3:uw {w8}
    %10:ud = msg.read %2x8:ud %9:ud {w8 [dword_scattered_read header 1 bti 253]}
    %11:d = add %9:d #0x8:d {w8}
    %12:ud = msg.read %2x8:ud %11:ud {w8 [dword_scattered_read header 1 bti 253]}
    %13:ud = mov #0x0:ud {w8}
    %14x2:ud = collect %10:ud %12:ud {w8}
    msg.write %13:ud %14x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectPrivateArrays, ShortElementsAreScatteredBytes) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:i32 = and %1, 62
    store_private[0, align 2] %3, %2
    %4:i16 = load_private[0, align 2] %3
    %5:i32 = zext %4
    store_ssbo[0, align 4] 0, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %4x8:ud = scratch_header %0x8:ud {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = and %2:ud #0x3e:ud {w8}
    %5:ud = shl %1:uw #0x2:ud {w8}
    %6:ud = and %3:ud #0xfffffffc:ud {w8}
    %7:ud = shl %6:ud #0x3:ud {w8}
    %8:ud = and %3:ud #0x3:ud {w8}
    %9:ud = add %7:ud %8:ud {w8}
    %10:ud = add %9:ud %5:ud {w8}
    %11x2:ud = collect %10:ud %2:ud {w8}
    msg.write %4x8:ud %11x2:ud {w8 [byte_scattered_write header 1 bti 253 element_bytes 2]}
    %12:ud = shl %1:uw #0x2:ud {w8}
    %13:ud = and %3:ud #0xfffffffc:ud {w8}
    %14:ud = shl %13:ud #0x3:ud {w8}
    %15:ud = and %3:ud #0x3:ud {w8}
    %16:ud = add %14:ud %15:ud {w8}
    %17:ud = add %16:ud %12:ud {w8}
    %18:ud = msg.read %4x8:ud %17:ud {w8 [byte_scattered_read header 1 bti 253 element_bytes 2]}
    %19:ud = mov %18:uw {w8}
    %20:ud = mov #0x0:ud {w8}
    msg.write %20:ud %19:ud {w8 [untyped_write channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
