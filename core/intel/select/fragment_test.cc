// Tests the LIR that selection makes of a fragment's inputs and of kills: see fragment.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectFragment, InputsAreTwoMultiplyAddsOfSetupData) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32, %1:f32 = load_input[0, 2]
    store_output[0, 0] %0, %1
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 40
    scratch_header %0
    block b0 depth 0
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %7:f = mad %4.7:f %3:f %4.5:f {w8}
      %8:f = mad %7:f %2:f %4.4:f {w8}
      %9x4:ud = collect %6:ud %8:ud _ _ {w8}
      msg.target_end %9x4:ud {w8 [target_write last_target 1]}
)");
}

// Pushed registers are read where they are; the register after them, and one that a value selects,
// are read by messages.
TEST(SelectFragment, PushedUniformsAreRegistersOfThePayload) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32, %1:f32 = load_ubo[2, align 4] 60
    %2:f32 = load_ubo.indexed[3, align 4] 1, 4
    store_output[0, 0] %0, %1, %2
)",
                             8, 1, {{2, 0, 1, 1, 0}, {3, 1, 0, 1, 0}}),
            R"(
    livein %0 at 0
    livein %1 at 16
    livein %2 at 24
    livein %3 at 8
    scratch_header %0
    block b0 depth 0
      %4x8:ud = header #0x40:ud {w8 nomask}
      %5x8:ud = msg %4x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 2 owords 2]}
      %6:ud = mov %1.7:ud {w8}
      %7:ud = mov %5:ud {w8}
      %8:ud = mov %2.1:ud {w8}
      %9x4:ud = collect %6:ud %7:ud %8:ud _ {w8}
      msg.target_end %9x4:ud {w8 [target_write last_target 1]}
)");
}

// The payload has them 8 lanes at a time.
TEST(SelectFragment, CoordinatesOf16LanesAreBroughtTogether) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    store_output[0, 0] %0
)",
                             16),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 32
    livein %5 at 48
    scratch_header %0
    block b0 depth 0
      %4x2:ud = join_groups %2x16:ud %3x16:ud {w16 nomask}
      %6:f = mad %5.3:f %4.1:f %5.1:f {w16}
      %7:f = mad %6:f %4:f %5:f {w16}
      %8x4:ud = collect %7:ud _ _ _ {w16}
      msg.target_end %8x4:ud {w16 [target_write lanes 16 form 0 last_target 1]}
)");
}

TEST(SelectFragment, CoordinatesOf32LanesComeInTwoBlocks) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    store_output[0, 0] %0
)",
                             32),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 40
    livein %5 at 56
    livein %6 at 72
    livein %8 at 88
    scratch_header %0
    block b0 depth 0
      %7x2:ud = join_groups %3x16:ud %4x16:ud %5x16:ud %6x16:ud {w32 nomask}
      %9:f = mad %8.3:f %7.1:f %8.1:f {w32}
      %10:f = mad %9:f %7:f %8:f {w32}
      %11x4:ud = collect %10:ud _ _ _ {w32}
      msg.target_end %11x4:ud {w32 [target_write lanes 16 form 0 last_target 1]}
)");
}

TEST(SelectFragment, FlatInputsAreDwordsOfSetupData) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[1, 0]
    %1:i32 = iadd %0, 1
    store_output[1, 0] %1
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    scratch_header %0
    block b0 depth 0
      %3:d = add %2.3:d #0x1:d {w8}
      %4x4:ud = collect %3:ud _ _ _ {w8}
      msg.target_end %4x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
}

// One set of coordinates serves both.
TEST(SelectFragment, CentroidsOfOneSampleAreCentres) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    %1:f32 = load_input[2, 1]
    store_output[0, 0] %0, %1
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 32
    livein %7 at 48
    scratch_header %0
    block b0 depth 0
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %8:f = mad %7.7:f %3:f %7.5:f {w8}
      %9:f = mad %8:f %2:f %7.4:f {w8}
      %10x4:ud = collect %6:ud %9:ud _ _ {w8}
      msg.target_end %10x4:ud {w8 [target_write last_target 1]}
)");
}

TEST(SelectFragment, ElementsAreChosenByComparing) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[1, 0]
    %1:f32 = load_input.indexed[3, 0] %0
    store_output[0, 0] %1
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 32
    livein %3 at 16
    livein %4 at 24
    livein %5 at 48
    livein %9 at 64
    livein %14 at 80
    scratch_header %0
    block b0 depth 0
      %6:f = mad %5.3:f %4:f %5.1:f {w8}
      %7:f = mad %6:f %3:f %5:f {w8}
      %8:uw = cmp %2.3:ud #0x1:ud {w8 cmod 1}
      %10:f = mad %9.3:f %4:f %9.1:f {w8}
      %11:f = mad %10:f %3:f %9:f {w8}
      %12:ud = sel %11:ud %7:ud %8:uw {w8 pred 1}
      %13:uw = cmp %2.3:ud #0x2:ud {w8 cmod 1}
      %15:f = mad %14.3:f %4:f %14.1:f {w8}
      %16:f = mad %15:f %3:f %14:f {w8}
      %17:ud = sel %16:ud %12:ud %13:uw {w8 pred 1}
      %18x4:ud = collect %17:ud _ _ _ {w8}
      msg.target_end %18x4:ud {w8 [target_write last_target 1]}
)");
}

TEST(SelectFragment, PlacesOfPixels) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32, %1:f32, %2:f32, %3:f32 = load_input[5, 0]
    store_output[0, 0] %0, %1, %2, %3
)",
                             16),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %8 at 16
    livein %9 at 32
    scratch_header %0
    block b0 depth 0
      %2:uw = pixel_places %1x8:uw {w16 nomask}
      %5:uw = pixel_places %1x8:uw {w16 nomask aux 1}
      %3:f = mov %2:uw {w16}
      %4:f = add %3:f #0x3f000000:f {w16}
      %6:f = mov %5:uw {w16}
      %7:f = add %6:f #0x3f000000:f {w16}
      %10:f = math %9:f {w16 aux 1}
      %11x4:ud = collect %4:ud %7:ud %8:ud %10:ud {w16}
      msg.target_end %11x4:ud {w16 [target_write lanes 16 form 0 last_target 1]}
)");
}

TEST(SelectFragment, FacingAndLayerAreBitsOfThePositions) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:bool = load_input[6, 0]
    %1:i32 = load_input[4, 0]
    %2:i32 = select %0, %1, 7
    store_output[1, 0] %2
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = and %1.1:ud #0x8000:ud {nomask}
      %3:d %4:uw = cmp %2:d #0x0:d {nomask cmod 1}
      %5:ud = shr %1.1:ud #0x10:ud {nomask}
      %6:ud = and %5:ud #0x7ff:ud {nomask}
      %7:uw = cmp %3:d #0x0:d {w8 cmod 2}
      %8:ud = sel %6:ud #0x7:ud %7:uw {w8 pred 1}
      %9x4:ud = collect %8:ud _ _ _ {w8}
      msg.target_end %9x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
}

TEST(SelectFragment, OneSampleIsThePixel) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[7, 0]
    %1:f32, %2:f32 = load_input[8, 0]
    %3:i32 = load_input.indexed[9, 0] 0
    store_output[0, 0] %1, %2
    store_output[1, 0] %0, %3
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %3:ud = mov #0x1:ud {nomask}
      %2:uw = dispatched %1.7:uw {w8 nomask}
      %4:ud = sel %3:ud #0x0:ud %2:uw {w8 pred 1}
      %5:ud = mov #0x3f000000:ud {w8}
      %6:ud = mov #0x3f000000:ud {w8}
      %7:ud = mov #0x0:ud {w8}
      %8x4:ud = collect %5:ud %6:ud _ _ {w8}
      %9x4:ud = collect %7:ud %4:ud _ _ {w8}
      msg.target %8x4:ud {w8 [target_write]}
      msg.target_end %9x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
}

TEST(SelectFragment, SamplesAsLanes) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[7, 0]
    %1:f32, %2:f32 = load_input[8, 0]
    %3:i32 = load_input.indexed[9, 0] 0
    store_output[0, 0] %1, %2
    store_output[1, 0] %0, %3
)",
                             8, /*samples=*/4),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %11 at 24
    scratch_header %0
    block b0 depth 0
      %3:uw = sample_ids %1x8:uw {w8 nomask}
      %5:uw = sample_offsets %2x8:uw {w8 nomask}
      %8:uw = sample_offsets %2x8:uw {w8 nomask aux 1}
      %13:ud = mov #0x1:ud {nomask}
      %4:ud = mov %3:uw {w8}
      %6:f = mov %5:uw {w8}
      %7:f = mul %6:f #0x3d800000:f {w8}
      %9:f = mov %8:uw {w8}
      %10:f = mul %9:f #0x3d800000:f {w8}
      %12:ud = mov %3:uw {w8}
      %14:ud = shl %13:ud %12:ud {w8}
      %15:ud = and %11:ud %14:ud {w8}
      %16x4:ud = collect %7:ud %10:ud _ _ {w8}
      %17x4:ud = collect %4:ud %15:ud _ _ {w8}
      msg.target %16x4:ud {w8 [target_write]}
      msg.target_end %17x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
}

// One message for a constant sample, and for one that is the same in all lanes, which is added to
// it; otherwise one for each sample.
TEST(SelectFragment, InterpolationAtASample) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = interpolate[0, sample 0] 9
    store_output[0, 0] %0
)",
                             8, 4),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %3 at 16
    scratch_header %0
    block b0 depth 0
      %2x2:ud = msg %0x8:ud {w8 [interpolate_sample sample 3]}
      %4:f = mad %3.3:f %2.1:f %3.1:f {w8}
      %5:f = mad %4:f %2:f %3:f {w8}
      %6x4:ud = collect %5:ud _ _ _ {w8}
      msg.target_end %6x4:ud {w8 [target_write last_target 1]}
)");
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_ubo[2, align 4] 0
    %1:f32 = interpolate[0, sample 0] %0
    store_output[0, 0] %1
)",
                             16, 4),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %8 at 16
    scratch_header %0
    block b0 depth 0
      %2x8:ud = header #0x0:ud {w8 nomask}
      %3x8:ud = msg %2x8:ud {w8 nomask [const_block_read_unaligned header 1 bti 2 owords 2]}
      %4:ud = sel %3:ud #0x3:ud {nomask cmod 5}
      %5:ud = shl %4:ud #0x4:ud {nomask}
      %7x32:ud = msg %0x8:ud %5:ud {w16 [interpolate_sample lanes 16 indirect]}
      %6x2:ud = join_groups %7x16:ud %7.16x16:ud {w16}
      %9:f = mad %8.3:f %6.1:f %8.1:f {w16}
      %10:f = mad %9:f %6:f %8:f {w16}
      %11x4:ud = collect %10:ud _ _ _ {w16}
      msg.target_end %11x4:ud {w16 [target_write lanes 16 form 0 last_target 1]}
)");
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[7, 0]
    %1:f32 = interpolate[0, sample 0] %0
    store_output[0, 0] %1
)",
                             8, 2),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %9 at 16
    scratch_header %0
    block b0 depth 0
      %2:uw = sample_ids %1x8:uw {w8 nomask}
      %3:ud = mov %2:uw {w8}
      %4x2:ud = msg %0x8:ud {w8 [interpolate_sample]}
      %5x2:ud = msg %0x8:ud {w8 [interpolate_sample sample 1]}
      %6:uw = cmp %3:ud #0x1:ud {w8 cmod 1}
      %7:ud = sel %5:ud %4:ud %6:uw {w8 pred 1}
      %8:ud = sel %5.1:ud %4.1:ud %6:uw {w8 pred 1}
      %10:f = mad %9.3:f %8:f %9.1:f {w8}
      %11:f = mad %10:f %7:f %9:f {w8}
      %12x4:ud = collect %11:ud _ _ _ {w8}
      msg.target_end %12x4:ud {w8 [target_write last_target 1]}
)");
}

// Derivatives of values that are the same in all lanes are 0.
TEST(SelectFragment, DerivativesAreDifferencesInTheQuad) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    %1:f32 = ddx[any] %0
    %2:f32 = ddy[fine] %0
    %3:i32 = load_input[1, 0]
    %4:f32 = bitcast %3
    %5:f32 = ddx[any] %4
    store_output[0, 0] %1, %2, %5
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 32
    livein %9 at 48
    scratch_header %0
    block b0 depth 0
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %7:f = quad_difference %6:f {w8}
      %8:f = quad_difference %6:f {w8 aux 3}
      %10:ud = mov #0x0:ud {w8}
      %11x4:ud = collect %7:ud %8:ud %10:ud _ {w8}
      msg.target_end %11x4:ud {w8 [target_write last_target 1]}
)");
}

TEST(SelectFragment, StoresAreForLanesThatCoverSomething) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[1, 0]
    store_ssbo[0, align 4] 0, %0
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    scratch_header %0
    block b0 depth 0
      %3:ud = mov %2.3:ud {w8}
      %4:ud = mov #0x0:ud {w8}
      %5:uw = dispatched %1.7:uw {w8 nomask}
      msg.write %4:ud %3:ud %5:uw {w8 pred 1 [untyped_write bti 2 channels 1]}
      %6x4:ud = collect _ _ _ _ {w8}
      msg.target_end %6x4:ud {w8 [target_write last_target 1 null_target 1]}
)");
}

// The mask is read again after each kill.
TEST(SelectFragment, StoresAfterAKillAreForLiveLanes) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[1, 0]
    %1:f32 = load_input[0, 0]
    %2:bool = flt %1, 0.5f
    store_ssbo[0, align 4] 0, %0
    demote %2
    store_ssbo[0, align 4] 4, %0
    store_ssbo[0, align 4] 8, %0
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 48
    livein %3 at 16
    livein %4 at 24
    livein %5 at 32
    scratch_header %0
    exit_block b1
    block b0 depth 0
      start_dead %1.7:uw {w8 nomask}
      %6:f = mad %5.3:f %4:f %5.1:f {w8}
      %7:f = mad %6:f %3:f %5:f {w8}
      %8:ud = mov %2.3:ud {w8}
      %9:ud = mov #0x0:ud {w8}
      %10:uw = live {w8 nomask}
      msg.write %9:ud %8:ud %10:uw {w8 pred 1 [untyped_write bti 2 channels 1]}
      kill %7:f #0x3f000000:f {w8 cmod 5}
      discard_jump {w8 aux 1}
      %11:ud = mov %2.3:ud {w8}
      %12:ud = mov #0x4:ud {w8}
      %13:uw = live {w8 nomask}
      msg.write %12:ud %11:ud %13:uw {w8 pred 1 [untyped_write bti 2 channels 1]}
      %14:ud = mov %2.3:ud {w8}
      %15:ud = mov #0x8:ud {w8}
      msg.write %15:ud %14:ud %13:uw {w8 pred 1 [untyped_write bti 2 channels 1]}
      %16x4:ud = collect _ _ _ _ {w8}
      -> b1
    block b1 depth 0
      %17:uw = live {w8 nomask}
      msg.target_end %16x4:ud %17:uw {w8 pred 1 [target_write last_target 1 null_target 1]}
)");
}

TEST(SelectFragment, HelpersAreLanesThatAreNotLive) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:bool = helper_invocation
    %1:i32 = select %0, 3, 4
    store_output[1, 0] %1
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %3:ud = mov #0xffffffff:ud {nomask}
      %6:ud = mov #0x3:ud {nomask}
      %2:uw = dispatched %1.7:uw {w8 nomask}
      %4:ud = sel %3:ud #0x0:ud %2:uw {w8 pred 1 inv}
      %5:uw = cmp %4:d #0x0:d {w8 cmod 2}
      %7:ud = sel %6:ud #0x4:ud %5:uw {w8 pred 1}
      %8x4:ud = collect %7:ud _ _ _ {w8}
      msg.target_end %8x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
}

TEST(SelectFragment, TerminatedLanesLeaveByThemselves) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    %1:bool = flt %0, 0.5f
    terminate %1
    store_output[0, 0] %0
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 32
    scratch_header %0
    exit_block b1
    block b0 depth 0
      start_dead %1.7:uw {w8 nomask}
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %7:uw = cmp %6:f #0x3f000000:f {w8 cmod 5}
      kill %6:f #0x3f000000:f {w8 cmod 5}
      discard_jump %7:uw {w8 pred 1}
      %8x4:ud = collect %6:ud _ _ _ {w8}
      -> b1
    block b1 depth 0
      %9:uw = live {w8 nomask}
      msg.target_end %8x4:ud %9:uw {w8 pred 1 [target_write last_target 1]}
)");
}

TEST(SelectFragment, ImplicitSamplesLookAtTheQuad) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32, %1:f32 = load_input[0, 0]
    %2:f32, %3:f32, %4:f32, %5:f32 = sample_implicit[1, texel] %0, %1
    store_output[0, 0] %2, %3, %4, %5
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 32
    scratch_header %0
    block b0 depth 0
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %7:f = mad %4.7:f %3:f %4.5:f {w8}
      %8:f = mad %7:f %2:f %4.4:f {w8}
      %9x4:ud = quad_sampler %6:ud %8:ud {w8 [sample bti 2]}
      %10x4:ud = collect %9:ud %9.1:ud %9.2:ud %9.3:ud {w8}
      msg.target_end %10x4:ud {w8 [target_write last_target 1]}
)");
}

// Without views it is 0, with one view its number, with several the layer of the render target.
TEST(SelectFragment, ViewIndex) {
  EXPECT_EQ(SelectedViews(/*fragment=*/true, 0), R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x0:ud {w8}
      %3x4:ud = collect %2:ud _ _ _ {w8}
      msg.target_end %3x4:ud {w8 [target_write last_target 1]}
)");
  EXPECT_EQ(SelectedViews(/*fragment=*/true, 4), R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x2:ud {w8}
      %3x4:ud = collect %2:ud _ _ _ {w8}
      msg.target_end %3x4:ud {w8 [target_write last_target 1]}
)");
  EXPECT_EQ(SelectedViews(/*fragment=*/true, 5), R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = shr %1.1:ud #0x10:ud {nomask}
      %3:ud = and %2:ud #0x7ff:ud {nomask}
      %4:ud = mov %3:ud {w8}
      %5x4:ud = collect %4:ud _ _ _ {w8}
      msg.target_end %5x4:ud {w8 [target_write last_target 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
