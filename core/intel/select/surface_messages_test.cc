// Tests the LIR that selection makes of each operation of surface_messages.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Two values in the same 32 bytes are read once.
TEST(SelectSurfaceMessages, UniformBuffersAreReadInChunks) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_ubo[1, align 4] 4
    %2:i32 = load_ubo[1, align 4] 24
    %3:i32 = load_ubo[1, align 4] 32
    store_ssbo[0, align 4] 0, %1, %2, %3
)",
                     8),
            R"(
    %1x8:ud = header #0x0:ud {w8 nomask}
    %2x8:ud = msg %1x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 1 owords 2]}
    %3x8:ud = header #0x20:ud {w8 nomask}
    %4x8:ud = msg %3x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 1 owords 2]}
    %5:ud = mov %2.1:ud {w8}
    %6:ud = mov %2.6:ud {w8}
    %7:ud = mov %4:ud {w8}
    %8:ud = mov #0x0:ud {w8}
    %9x3:ud = collect %5:ud %6:ud %7:ud {w8}
    msg.write %8:ud %9x3:ud {w8 [untyped_write channels 7]}
)");
}

// They do not hold in the other side of an if.
TEST(SelectSurfaceMessages, ChunksHoldInTheirRegionAndInside) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ult %1, 5
    if %2 {
      %3:i32 = load_ubo[1, align 4] 4
      store_ssbo[0, align 4] 0, %3
      yield
    } else {
      %4:i32 = load_ubo[1, align 4] 8
      store_ssbo[0, align 4] 4, %4
      yield
    }
    %5:i32 = load_ubo[1, align 4] 12
    store_ssbo[0, align 4] 0, %5
)",
                     8),
            R"(
    block b0 depth 0
      %1:uw = lane_ids {w8 nomask}
      %2:ud = mov %1:uw {w8}
      %3:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
      if %3:uw {w8 pred 1}
      -> b1, b2
    block b1 depth 0
      %4x8:ud = header #0x0:ud {w8 nomask}
      %5x8:ud = msg %4x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 1 owords 2]}
      %6:ud = mov %5.1:ud {w8}
      %7:ud = mov #0x0:ud {w8}
      msg.write %7:ud %6:ud {w8 [untyped_write channels 1]}
      else {w8}
      -> b3
      ~> b2
    block b2 depth 0
      %8x8:ud = header #0x0:ud {w8 nomask}
      %9x8:ud = msg %8x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 1 owords 2]}
      %10:ud = mov %9.2:ud {w8}
      %11:ud = mov #0x4:ud {w8}
      msg.write %11:ud %10:ud {w8 [untyped_write channels 1]}
      endif {w8}
      -> b3
    block b3 depth 0
      %12x8:ud = header #0x0:ud {w8 nomask}
      %13x8:ud = msg %12x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 1 owords 2]}
      %14:ud = mov %13.3:ud {w8}
      %15:ud = mov #0x0:ud {w8}
      msg.write %15:ud %14:ud {w8 [untyped_write channels 1]}
)");
}

// Such offsets go into the header.
TEST(SelectSurfaceMessages, OffsetsKnownAtRunTime) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:i32, %3:i32 = load_ubo[1, align 4] %1
    store_ssbo[0, align 4] 0, %2, %3
)",
                     8),
            R"(
    %2x8:ud = header %1:ud {w8 nomask}
    %3x8:ud = msg %2x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 1 owords 2]}
    %4:ud = mov %3:ud {w8}
    %5:ud = mov %3.1:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    %7x2:ud = collect %4:ud %5:ud {w8}
    msg.write %6:ud %7x2:ud {w8 [untyped_write channels 3]}
)");
}

// The blocks are at least 16-byte aligned, counted in owords.
TEST(SelectSurfaceMessages, SharedMemoryIsReadByAlignedBlocks) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:i32 = shl %1, 4
    %3:i32, %4:i32 = load_shared[align 16] %2
    %5:i32 = iadd %3, %4
    %6:i32 = load_shared[align 4] %1
    %7:i32 = iadd %5, %6
    store_ssbo[0, align 4] 0, %7
)",
                     8),
            R"(
    %2:ud = shl %1:ud #0x4:ud {nomask}
    %3x8:ud = shr %2:ud #0x4:ud {w8 nomask}
    %4x8:ud = msg.read %3x8:ud {w8 nomask [block_read header 1 bti 254 owords 2]}
    %5:d = add %4:d %4.1:d {nomask}
    %6x8:ud = mov %1:ud {w8 nomask}
    %7x8:ud = msg.read %6x8:ud {w8 nomask [untyped_read bti 254 channels 1]}
    %8:d = add %5:d %7:d {nomask}
    %9:ud = mov %8:ud {w8}
    %10:ud = mov #0x0:ud {w8}
    msg.write %10:ud %9:ud {w8 [untyped_write channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
