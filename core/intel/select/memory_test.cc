// Tests the LIR that selection makes of each operation of memory.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// They are in registers; data past the block reads 0; words are parts of dwords.
TEST(SelectMemory, PushConstants) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 12
    %2:i16 = load_push[align 2] 6
    %3:i32 = zext %2
    %4:i32 = load_push[align 4] 16
    store_ssbo[0, align 4] 0, %1, %3, %4
)",
                     8),
            R"(
    %2:ud = mov %1.1+2:uw {nomask}
    %3:ud = mov %1.3:ud {w8}
    %4:ud = mov %2:ud {w8}
    %5:ud = mov #0x0:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    %7x3:ud = collect %3:ud %4:ud %5:ud {w8}
    msg.write %6:ud %7x3:ud {w8 [untyped_write channels 7]}
)");
}

// As far as their alignment allows.
TEST(SelectMemory, VectorsAreOneMessage) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32, %3:i32, %4:i32 = load_ssbo[0, align 16] %1
    store_ssbo[0, align 16] %1, %4, %3, %2
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x3:ud = msg.read %2:ud {w8 [untyped_read channels 7]}
    %4x3:ud = collect %3.2:ud %3.1:ud %3:ud {w8}
    msg.write %2:ud %4x3:ud {w8 [untyped_write channels 7]}
)");
}

TEST(SelectMemory, FiveDwordsAreTwoMessages) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32, %3:i32, %4:i32, %5:i32, %6:i32 = load_ssbo[0, align 4] %1
    store_ssbo[0, align 4] %1, %6, %5, %4, %3, %2
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x4:ud = msg.read %2:ud {w8 [untyped_read channels 15]}
    %4:d = add %2:d #0x10:d {w8}
    %5:ud = msg.read %4:ud {w8 [untyped_read channels 1]}
    %6x4:ud = collect %5:ud %3.3:ud %3.2:ud %3.1:ud {w8}
    msg.write %2:ud %6x4:ud {w8 [untyped_write channels 15]}
    %7:d = add %2:d #0x10:d {w8}
    msg.write %7:ud %3:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectMemory, ShortElementsHaveMessagesOfTheirOwn) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = load_ssbo[0, align 2] %1
    %3:i16 = iadd %2, 1i16
    store_ssbo[0, align 2] %1, %3
    %4:i8 = load_ssbo[0, align 1] %1
    store_ssbo[0, align 1] %1, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = msg.read %2:ud {w8 [byte_scattered_read element_bytes 2]}
    %4:w = add %3:w #0x1:w {w8}
    %5:ud = mov %4:uw {w8}
    msg.write %2:ud %5:ud {w8 [byte_scattered_write element_bytes 2]}
    %6:ud = msg.read %2:ud {w8 [byte_scattered_read element_bytes 1]}
    msg.write %2:ud %6:ud {w8 [byte_scattered_write element_bytes 1]}
)");
}

TEST(SelectMemory, WordsThatFillADwordAreStoredTogether) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:i16 = iadd %2, 1i16
    store_ssbo[0, align 4] %1, %2, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:w = add %2:w #0x1:w {w16}
    %4:ud = pack %2:uw %3:uw {w16}
    msg.write %2:ud %4:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectMemory, AddressesHaveTwoHalves) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = load_global[align 4] %1, %1
    store_global[align 4] %1, %1, %2
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud = pack %2:ud %2:ud {w16}
    %4:ud = msg.read %3:ud {w16 [a64_untyped_read bti 253 lanes 16 channels 1]}
    %5:ud = pack %2:ud %2:ud {w16}
    msg.write %5:ud %4:ud {w16 [a64_untyped_write bti 253 lanes 16 channels 1]}
)");
}

TEST(SelectMemory, UniformPlacesByAddressAreReadByEightLanes) {
  EXPECT_EQ(Selected(R"(
    %1:i32, %2:i32 = load_push[align 8] 0
    %3:i32 = load_global[align 4] %1, %2
    store_ssbo[0, align 4] 0, %3
)",
                     16),
            R"(
    %2x16:ud = same_address %1:ud %1.1:ud {w8 nomask}
    %3x8:ud = msg.read %2x16:ud {w8 nomask [a64_untyped_read bti 253 channels 1]}
    %4:ud = mov %3:ud {w16}
    %5:ud = mov #0x0:ud {w16}
    msg.write %5:ud %4:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

// By the sampler's resinfo, without the padding that its low bits tell.
TEST(SelectMemory, SizesOfBuffers) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = ssbo_size[0]
    store_ssbo[0, align 4] 0, %1
)",
                     8),
            R"(
    %1x8:ud = mov #0x0:ud {w8 nomask}
    %2x8:ud = msg %1x8:ud {w8 nomask [resinfo]}
    %3:ud = and %2:ud #0x3:ud {nomask}
    %4:ud = and %2:ud #0xfffffffc:ud {nomask}
    %5:ud = add -%3:ud %4:ud {nomask}
    %6:ud = mov %5:ud {w8}
    %7:ud = mov #0x0:ud {w8}
    msg.write %7:ud %6:ud {w8 [untyped_write channels 1]}
)");
}

// A constant index is a table entry, another one is added to the descriptor.
TEST(SelectMemory, ArraysOfBuffers) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:i32 = load_ssbo.indexed[8, align 4] 2, 0
    %3:i32 = subgroup_invocation
    store_ssbo.indexed[8, align 4] %1, %3, %2
)",
                     8),
            R"(
    %4:uw = lane_ids {w8 nomask}
    %2:ud = mov #0x0:ud {w8}
    %3:ud = msg.read %2:ud {w8 [untyped_read bti 2 channels 1]}
    %5:ud = mov %4:uw {w8}
    msg.write %5:ud %3:ud %1:ud {w8 [untyped_write channels 1 indirect]}
)");
}

}  // namespace
}  // namespace kiln::intel
