// Tests the LIR that selection makes of each operation of samplers.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectSamplers, LevelZeroHasAMessageOfItsOwn) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32, %4:f32, %5:f32, %6:f32 = sample[2, texel sampler 3 lod] %2, %2, 0f
    store_ssbo[0, align 4] 0, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x2:ud = sampler %2:ud %2:ud {w8 [sample_lz bti 1]}
    %4:ud = mov #0x0:ud {w8}
    msg.write %4:ud %3x2:ud {w8 [untyped_write channels 3]}
)");
}

// Reference, level, and a bias that is used as the level.
TEST(SelectSamplers, ParametersOfTheTable) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32 = sample[5, texel dref lod] %2, %2, %2, 0.5f, 1f
    %4:f32, %5:f32, %6:f32, %7:f32 = sample[2, texel sampler 3 bias] %2, %2, 1f
    store_ssbo[0, align 4] 0, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = sampler #0x3f000000:ud #0x3f800000:ud %2:ud %2:ud %2:ud {w8 [sample_l_c bti 2 sampler 1]}
    %4:ud = sampler #0x3f800000:ud %2:ud %2:ud {w8 [sample_l bti 1]}
    %5:ud = mov #0x0:ud {w8}
    %6x2:ud = collect %3:ud %4:ud {w8}
    msg.write %5:ud %6x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectSamplers, Gradients) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32, %4:f32, %5:f32, %6:f32 = sample[2, texel sampler 3 grad] %2, %2, 1f, 0f, 0f, 1f
    store_ssbo[0, align 4] 0, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x2:ud = sampler %2:ud #0x3f800000:ud #0x0:ud %2:ud #0x0:ud #0x3f800000:ud {w8 [sample_d bti 1]}
    %4:ud = mov #0x0:ud {w8}
    msg.write %4:ud %3x2:ud {w8 [untyped_write channels 3]}
)");
}

// The header also masks the unused components.
TEST(SelectSamplers, OffsetsGoIntoTheHeader) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32, %4:f32, %5:f32, %6:f32 = sample[2, texel sampler 3 lod at 1 -2 0] %2, %2, 0f
    store_ssbo[0, align 4] 0, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x8:ud = sampler_header %0x8:ud {w8 nomask aux 53728}
    %4:ud = sampler %3x8:ud %2:ud %2:ud {w8 [sample_lz header 1 bti 1]}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectSamplers, GathersNameTheirChannel) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32, %4:f32, %5:f32, %6:f32 = gather[2, texel sampler 3 component 2] %2, %2
    store_ssbo[0, align 4] 0, %3, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x8:ud = sampler_header %0x8:ud {w8 nomask aux 131072}
    %4x4:ud = sampler %3x8:ud %2:ud %2:ud {w8 [gather4 header 1 bti 1]}
    %5:ud = mov #0x0:ud {w8}
    %6x2:ud = collect %4:ud %4.3:ud {w8}
    msg.write %5:ud %6x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectSamplers, ChosenOffsetsAreParameters) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32, %4:f32, %5:f32, %6:f32 = gather[2, texel sampler 3 offsets] %2, %2, %1, 1
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x8:ud = sampler_header %0x8:ud {w8 nomask}
    %4x4:ud = sampler %3x8:ud %2:ud %2:ud %2:ud #0x1:ud {w8 [gather4_po header 1 bti 1]}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

// Offsets that all lanes share go into the header, at the bits of constant ones.
TEST(SelectSamplers, ChosenOffsetsOfSamplesAreInTheHeader) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:i32 = read_first %1
    %4:f32, %5:f32, %6:f32, %7:f32 = sample[2, texel sampler 3 lod offsets] %2, %2, 0f, %3, -2
    store_ssbo[0, align 4] 0, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = broadcast %2:ud #0x0:ud {nomask}
    %4:ud = and %3:ud #0xf:ud {nomask}
    %5:ud = shl %4:ud #0x8:ud {nomask}
    %6:ud = or %5:ud #0xd0e0:ud {nomask}
    %7x8:ud = chosen_sampler_header %0x8:ud %6:ud {w8 nomask}
    %8:ud = sampler %7x8:ud %2:ud %2:ud {w8 [sample_lz header 1 bti 1]}
    %9:ud = mov #0x0:ud {w8}
    msg.write %9:ud %8:ud {w8 [untyped_write channels 1]}
)");
  // Known by now.
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32, %4:f32, %5:f32, %6:f32 = sample[2, texel sampler 3 lod offsets] %2, %2, 0f, 1, -2
    store_ssbo[0, align 4] 0, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x8:ud = sampler_header %0x8:ud {w8 nomask aux 53728}
    %4:ud = sampler %3x8:ud %2:ud %2:ud {w8 [sample_lz header 1 bti 1]}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectSamplers, FetchesAddTheirOffset) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %3:f32, %4:f32, %5:f32, %6:f32 = fetch[2, texel lod at 3 0 0] %1, 2, 0
    store_ssbo[0, align 4] 0, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:d = add %2:d #0x3:d {w16}
    %4:ud = sampler %3:ud #0x2:ud {w16 [ld_lz bti 1]}
    %5:ud = mov #0x0:ud {w16}
    msg.write %5:ud %4:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectSamplers, SamplesOfAPixelByTheirControlSurface) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %3:f32, %4:f32, %5:f32, %6:f32 = fetch[11, texel sample] %1, 2, 3
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3x4:ud = sampler %2:ud #0x2:ud {w8 [ld_mcs bti 1]}
    %4:ud = sampler #0x3:ud %3:ud %3.1:ud %2:ud #0x2:ud {w8 [ld2dms_w bti 1]}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectSamplers, UniformFetchesAreOfEightLanes) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %3:f32, %4:f32, %5:f32, %6:f32 = fetch[2, texel lod] %1, 2, 1
    store_ssbo[0, align 4] 0, %6
)",
                     16),
            R"(
    %2x8:ud = mov %1:ud {w8 nomask}
    %3x32:ud = sampler %2x8:ud #0x2:ud #0x1:ud {w8 nomask [ld bti 1]}
    %4:ud = mov %3.24:ud {w16}
    %5:ud = mov #0x0:ud {w16}
    msg.write %5:ud %4:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
