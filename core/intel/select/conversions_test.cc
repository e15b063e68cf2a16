// Tests the LIR that selection makes of each operation of conversions.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectConversions, NumbersBetweenWidths) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:i32 = f2i %2
    %4:i32 = f2u %2
    %5:f32 = i2f %1
    %6:f32 = u2f %1
    store_ssbo[0, align 4] 0, %3, %4, %5, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = mov %2:f {w8}
    %4:ud = mov %2:f {w8}
    %5:f = mov %2:d {w8}
    %6:f = mov %2:ud {w8}
    %7:ud = mov #0x0:ud {w8}
    %8x4:ud = collect %3:ud %4:ud %5:ud %6:ud {w8}
    msg.write %7:ud %8x4:ud {w8 [untyped_write channels 15]}
)");
}

// A word or byte is a part of the dword; widening reads it there.
TEST(SelectConversions, NarrowingCostsNothing) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:i32 = sext %2
    %4:i8 = trunc %1
    %5:i32 = zext %4
    store_ssbo[0, align 4] 0, %3, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = mov %2:w {w8}
    %4:ud = mov %2:ub {w8}
    %5:ud = mov #0x0:ud {w8}
    %6x2:ud = collect %3:ud %4:ud {w8}
    msg.write %5:ud %6x2:ud {w8 [untyped_write channels 3]}
)");
}

// A narrowing after a shift by 16, or a mask of a byte, is a region.
TEST(SelectConversions, PartsOfDwordsAreReadInPlace) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = ushr %1, 16
    %3:i16 = trunc %2
    %4:f16 = bitcast %3
    %5:f32 = f2f %4
    %6:i32 = and %1, 255
    %7:f32 = u2f %6
    store_ssbo[0, align 4] 0, %5, %7
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = shr %2:ud #0x10:ud {w8}
    %4:f = mov %2+2:hf {w8}
    %5:ud = and %2:ud #0xff:ud {w8}
    %6:f = mov %2:ub {w8}
    %7:ud = mov #0x0:ud {w8}
    %8x2:ud = collect %4:ud %6:ud {w8}
    msg.write %7:ud %8x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectConversions, HalvesToFloatsAndBack) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:i32 = f2f16 %2
    %4:f32 = f16f %1
    %5:f16 = f2f %2
    %6:f32 = f2f %5
    store_ssbo[0, align 4] 0, %3, %4, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = f2f16 %2:f {w8}
    %4:f = mov %2:hf {w8}
    %5:hf = mov %2:f {w8}
    %6:f = mov %5:hf {w8}
    %7:ud = mov #0x0:ud {w8}
    %8x3:ud = collect %3:ud %4:ud %6:ud {w8}
    msg.write %7:ud %8x3:ud {w8 [untyped_write channels 7]}
)");
}

TEST(SelectConversions, IntegersToHalves) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f16 = i2f %1
    %3:f32 = f2f %2
    store_ssbo[0, align 4] 0, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:hf = mov %2:d {w16}
    %4:f = mov %3:hf {w16}
    %5:ud = mov #0x0:ud {w16}
    msg.write %5:ud %4:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectConversions, HalvesToIntegers) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:f16 = bitcast %2
    %4:i32 = f2i %3
    store_ssbo[0, align 4] 0, %4
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:d = mov %2:hf {w16}
    %4:ud = mov #0x0:ud {w16}
    msg.write %4:ud %3:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectConversions, PairsOfWordsArePacked) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:i32 = zext %2
    %4:i32 = imul %1, 3
    %5:i16 = trunc %4
    %6:i32 = zext %5
    %7:i32 = shl %6, 16
    %8:i32 = or %3, %7
    store_ssbo[0, align 4] 0, %8
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud = mov %2:uw {w16}
    %4:d = mul %2:d #0x3:w {w16}
    %5:ud = mov %4:uw {w16}
    %6:ud = shl %5:ud #0x10:ud {w16}
    %7:ud = pack %2:uw %4:uw {w16}
    %8:ud = mov #0x0:ud {w16}
    msg.write %8:ud %7:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectConversions, UniformConversionsAreMadeOnce) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:f32 = u2f %1
    %3:i32 = f2i %2
    %4:i16 = trunc %3
    %5:i32 = sext %4
    store_ssbo[0, align 4] 0, %5
)",
                     8),
            R"(
    %2:f = mov %1:ud {nomask}
    %3:d = mov %2:f {nomask}
    %4:d = mov %3:w {nomask}
    %5:ud = mov %4:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    msg.write %6:ud %5:ud {w8 [untyped_write channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
