// Tests the LIR that selection makes of each operation of images.h.
#include "core/intel/device/testing.h"
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectImages, LoadsOfWideThreadsAreHalves) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %3:f32, %4:f32, %5:f32, %6:f32 = image_load[4, texel] %1, 2
    store_ssbo[0, align 4] 0, %3, %5
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %4x8:ud = mov %2:ud {w8 nomask}
    %5x8:ud = mov #0x2:ud {w8 nomask}
    %6x16:ud = collect %4x8:ud %5x8:ud {nomask}
    %3x16:ud = msg.read %6x16:ud {w8 [typed_read bti 1 channels 5]}
    %8x8:ud = mov %2:ud {w8 g8 nomask}
    %9x8:ud = mov #0x2:ud {w8 g8 nomask}
    %10x16:ud = collect %8x8:ud %9x8:ud {nomask}
    %7x16:ud = msg.read %10x16:ud {w8 g8 [typed_read bti 1 channels 5 high_slots 1]}
    %11x2:ud = join_groups %3x16:ud %7x16:ud {w16}
    %12:ud = mov #0x0:ud {w16}
    msg.write %12:ud %11x2:ud {w16 [untyped_write lanes 16 channels 3]}
)");
}

TEST(SelectImages, StoresHaveTheFormatsChannels) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    image_store[4, texel] %1, 2, %2, 0f, 0f, 0f
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x2:ud {w8}
    %4x2:ud = collect %2:ud %3:ud {w8}
    msg.write %4x2:ud %2:ud {w8 [typed_write channels 1]}
)");
}

// The coordinates of a store at the texel of a load.
TEST(SelectImages, PayloadsOfABlockAreKept) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %3:f32, %4:f32, %5:f32, %6:f32 = image_load[4, texel] %1, 2
    image_store[4, texel] %1, 2, %3, 0f, 0f, 0f
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %4x8:ud = mov %2:ud {w8 nomask}
    %5x8:ud = mov #0x2:ud {w8 nomask}
    %6x16:ud = collect %4x8:ud %5x8:ud {nomask}
    %3x8:ud = msg.read %6x16:ud {w8 [typed_read channels 1]}
    %8x8:ud = mov %2:ud {w8 g8 nomask}
    %9x8:ud = mov #0x2:ud {w8 g8 nomask}
    %10x16:ud = collect %8x8:ud %9x8:ud {nomask}
    %7x8:ud = msg.read %10x16:ud {w8 g8 [typed_read channels 1 high_slots 1]}
    %11:ud = join_groups %3x8:ud %7x8:ud {w16}
    %12x8:ud = mov %11:ud {w8 nomask}
    msg.write %6x16:ud %12x8:ud {w8 [typed_write channels 1]}
    %13x8:ud = mov %11:ud {w8 g8 nomask}
    msg.write %10x16:ud %13x8:ud {w8 g8 [typed_write channels 1 high_slots 1]}
)");
}

TEST(SelectImages, PackedFloatsAreConverted) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %3:f32, %4:f32, %5:f32, %6:f32 = image_load[7, texel] %1, 2
    store_ssbo[0, align 4] 0, %3, %5, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %4:ud = mov #0x2:ud {w8}
    %5x2:ud = collect %2:ud %4:ud {w8}
    %3:ud = msg.read %5x2:ud {w8 [typed_read bti 1 channels 1]}
    %6:ud = shl %3:ud #0x4:ud {w8}
    %7:ud = and %6:ud #0x7ff0:ud {w8}
    %8:f = mov %7:hf {w8}
    %9:ud = shr %3:ud #0x11:ud {w8}
    %10:ud = and %9:ud #0x7fe0:ud {w8}
    %11:f = mov %10:hf {w8}
    %12:ud = mov #0x3f800000:ud {w8}
    %13:ud = mov #0x0:ud {w8}
    %14x3:ud = collect %8:ud %11:ud %12:ud {w8}
    msg.write %13:ud %14x3:ud {w8 [untyped_write channels 7]}
)");
}

TEST(SelectImages, PackedFloatsAreMade) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    image_store[7, texel] %1, 2, %2, 1f, 0.5f, 1f
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x2:ud {w8}
    %4x2:ud = collect %2:ud %3:ud {w8}
    %5:ud = mov #0x3f800000:ud {w8}
    %6:ud = mov #0x3f000000:ud {w8}
    %7x3:ud = collect %2:ud %5:ud %6:ud {w8}
    msg.write %4x2:ud %7x3:ud {w8 [typed_write channels 7]}
)");
}

TEST(SelectImages, NormalisedTensAreMade) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    image_store[12, texel] %1, 2, %2, 1f, 0.5f, 1f
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x2:ud {w8}
    %4x2:ud = collect %2:ud %3:ud {w8}
    %5:ud = mov #0x3f800000:ud {w8}
    %6:ud = mov #0x3f000000:ud {w8}
    %7:ud = mov #0x3f800000:ud {w8}
    %8x4:ud = collect %2:ud %5:ud %6:ud %7:ud {w8}
    msg.write %4x2:ud %8x4:ud {w8 [typed_write channels 15]}
)");
}

TEST(SelectImages, NormalisedTensAreConverted) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %3:f32, %4:f32, %5:f32, %6:f32 = image_load[12, texel] %1, 2
    store_ssbo[0, align 4] 0, %3, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %4:ud = mov #0x2:ud {w8}
    %5x2:ud = collect %2:ud %4:ud {w8}
    %3:ud = msg.read %5x2:ud {w8 [typed_read bti 1 channels 1]}
    %6:ud = and %3:ud #0x3ff:ud {w8}
    %7:f = mov %6:ud {w8}
    %8:f = mul %7:f #0x3a802008:f {w8}
    %9:ud = shr %3:ud #0x1e:ud {w8}
    %10:f = mov %9:ud {w8}
    %11:f = mul %10:f #0x3eaaaaab:f {w8}
    %12:ud = mov #0x0:ud {w8}
    %13x2:ud = collect %8:ud %11:ud {w8}
    msg.write %12:ud %13x2:ud {w8 [untyped_write channels 3]}
)");
}

// The old value is requested only if it is used.
TEST(SelectImages, AtomicsOnTexels) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = image_atomic[6, texel umax] %1, 2, 7
    %3:i32 = image_atomic[6, texel compare_exchange] %1, 2, 7, 8
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov #0x2:ud {w8}
    %4x2:ud = collect %2:ud %3:ud {w8}
    %5:ud = mov #0x7:ud {w8}
    msg.atomic %4x2:ud %5:ud {w8 [typed_atomic bti 1 op 12]}
    %7:ud = mov #0x2:ud {w8}
    %8x2:ud = collect %2:ud %7:ud {w8}
    %9:ud = mov #0x7:ud {w8}
    %10:ud = mov #0x8:ud {w8}
    %11x2:ud = collect %9:ud %10:ud {w8}
    %6:ud = msg.atomic %8x2:ud %11x2:ud {w8 [typed_atomic bti 1 op 14 returns 1]}
    %12:ud = mov #0x0:ud {w8}
    msg.write %12:ud %6:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectImages, SizesAreAskedOfLevelZero) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:i32, %3:i32 = image_size[2, texel lod] %1
    %4:i32 = image_levels[2, texel]
    store_ssbo[0, align 4] 0, %2, %3, %4
)",
                     8),
            R"(
    %2x16:ud = sampler #0x0:ud {w8 nomask [resinfo bti 1]}
    %3:ud = shr %2:ud %1:ud {nomask}
    %4:ud = sel %3:ud #0x1:ud {nomask cmod 4}
    %5:ud = sel %4:ud %2:ud {nomask cmod 5}
    %6:ud = shr %2.8:ud %1:ud {nomask}
    %7:ud = sel %6:ud #0x1:ud {nomask cmod 4}
    %8:ud = sel %7:ud %2.8:ud {nomask cmod 5}
    %9x32:ud = sampler #0x0:ud {w8 nomask [resinfo bti 1]}
    %10:ud = mov %5:ud {w8}
    %11:ud = mov %8:ud {w8}
    %12:ud = mov %9.24:ud {w8}
    %13:ud = mov #0x0:ud {w8}
    %14x3:ud = collect %10:ud %11:ud %12:ud {w8}
    msg.write %13:ud %14x3:ud {w8 [untyped_write channels 7]}
)");
}

// At least one, but none for a null surface.
TEST(SelectImages, LayersOfAnArray) {
  EXPECT_EQ(Selected(R"(
    %1:i32, %2:i32, %3:i32 = image_size[5, texel lod] 0
    store_ssbo[0, align 4] 0, %1, %3
)",
                     8),
            R"(
    %1x24:ud = sampler #0x0:ud {w8 nomask [resinfo bti 1]}
    %2:ud = sel %1:ud #0x1:ud {nomask cmod 5}
    %3:ud = sel %1.16:ud %2:ud {nomask cmod 4}
    %4:ud = mov %1:ud {w8}
    %5:ud = mov %3:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    %7x2:ud = collect %4:ud %5:ud {w8}
    msg.write %6:ud %7x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectImages, FacesOfACubeAreCountedInCubes) {
  EXPECT_EQ(Selected(R"(
    %1:i32, %2:i32, %3:i32 = image_size[13, texel]
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    %1x24:ud = sampler #0x0:ud {w8 nomask [resinfo bti 1]}
    %2:ud = mul %1.16:ud #0xaaab:uw {nomask}
    %3:ud = shr %2:ud #0x12:ud {nomask}
    %4:ud = mov %3:ud {w8}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectImages, SamplesOfAnImage) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = image_samples[11, texel]
    store_ssbo[0, align 4] 0, %1
)",
                     8),
            R"(
    %1x8:ud = sampler_header %0x8:ud {w8 nomask aux 57344}
    %2x8:ud = sampler %1x8:ud {w8 nomask [sampleinfo header 1 bti 1]}
    %3:ud = mov %2:ud {w8}
    %4:ud = mov #0x0:ud {w8}
    msg.write %4:ud %3:ud {w8 [untyped_write channels 1]}
)");
}

// Channels of 10 and 11 bits convert by way of halves.
TEST(SelectImages, SmallFloatsNeedHalfFloats) {
  const char* const load = R"(
    %1:f32, %2:f32, %3:f32, %4:f32 = image_load[7, texel] 0, 0
    store_ssbo[0, align 4] 0, %1
)";
  const char* const store = "image_store[7, texel] 0, 0, 1f, 2f, 3f, 4f\n";
  const Device& device = TglBut(&Instructions::half_floats);
  for (const char* const body : {load, store}) {
    EXPECT_EQ(Selected(body, 8).rfind("\n    ", 0), 0u) << Selected(body, 8);
    EXPECT_EQ(Selected(body, 8, device), "storage image with floats of 10 and 11 bits");
  }
}

}  // namespace
}  // namespace kiln::intel
