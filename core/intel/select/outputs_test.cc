// Tests the LIR that selection makes of a fragment's outputs: see outputs.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Components that are not written are undefined.
TEST(SelectOutputs, TargetsAscendAndTheLastEndsTheThread) {
  EXPECT_EQ(SelectedFragment(R"(
    store_output[1, 1] 7
    store_output[0, 0] 1f, 0f
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x7:ud {w8}
      %3:ud = mov #0x3f800000:ud {w8}
      %4:ud = mov #0x0:ud {w8}
      %5x4:ud = collect %3:ud %4:ud _ _ {w8}
      %6x4:ud = collect _ %2:ud _ _ {w8}
      msg.target %5x4:ud {w8 [target_write]}
      msg.target_end %6x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
}

TEST(SelectOutputs, WithoutTargetTheMessageGoesNowhere) {
  EXPECT_EQ(SelectedFragment(R"(
    store_ssbo[0, align 4] 0, 7
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x7:ud {w8}
      %3:ud = mov #0x0:ud {w8}
      %4:uw = dispatched %1.7:uw {w8 nomask}
      msg.write %3:ud %2:ud %4:uw {w8 pred 1 [untyped_write bti 2 channels 1]}
      %5x4:ud = collect _ _ _ _ {w8}
      msg.target_end %5x4:ud {w8 [target_write last_target 1 null_target 1]}
)");
}

TEST(SelectOutputs, SampleMasksArePackedWordsInFront) {
  EXPECT_EQ(SelectedFragment(R"(
    store_output.indexed[2, 0] 0, 5
    store_output[0, 0] 1f
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x5:ud {w8}
      %3:ud = mov #0x3f800000:ud {w8}
      %4:ud = pack_lanes %2:ud {w8 nomask aux 2}
      %5x4:ud = collect %3:ud _ _ _ {w8}
      msg.target_end %4:ud %5x4:ud {w8 [target_write last_target 1]}
)");
}

// A message of another length than in the pipeline's state hangs.
TEST(SelectOutputs, UndefinedMasksAreSent) {
  EXPECT_EQ(SelectedFragment(R"(
    store_output.indexed[2, 0] 0, undef.i32
    store_output[0, 0] undef.f32, 1f
)",
                             8),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x3f800000:ud {w8}
      %3:ud = mov #0x0:ud {w8}
      %4:ud = pack_lanes %3:ud {w8 nomask aux 2}
      %5x4:ud = collect _ %2:ud _ _ {w8}
      msg.target_end %4:ud %5x4:ud {w8 [target_write last_target 1]}
)");
}

// A mask without colour still has an effect.
TEST(SelectOutputs, SampleMasksOf16LanesFillARegister) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:i32 = load_input[1, 0]
    store_output.indexed[2, 0] 0, %0
)",
                             16),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    scratch_header %0
    block b0 depth 0
      %3:ud = mov %2.3:ud {w16}
      %4:ud = pack_lanes %3:ud {w16 nomask aux 2}
      %5x4:ud = collect _ _ _ _ {w16}
      msg.target_end %4:ud %5x4:ud {w16 [target_write lanes 16 form 0 last_target 1]}
)");
}

// The mask has the first alpha * 4 of four samples, is in front of both render targets' colours,
// and is combined with the program's own mask.
TEST(SelectOutputs, AlphaBecomesAMask) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    store_output[0, 3] %0
    store_output[1, 0] 7
)",
                             8, 4, {}, /*alpha_to_coverage=*/true),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 32
    scratch_header %0
    block b0 depth 0
      %11:ud = mov #0xffffffff:ud {nomask}
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %7:ud = mov #0x7:ud {w8}
      %8:f = mov %6:f {w8 sat}
      %9:f = mul %8:f #0x40800000:f {w8}
      %10:ud = mov %9:f {w8}
      %12:ud = shl %11:ud %10:ud {w8}
      %13:ud = not %12:ud {w8}
      %14:ud = pack_lanes %13:ud {w8 nomask aux 2}
      %15x4:ud = collect _ _ _ %6:ud {w8}
      %16:ud = pack_lanes %13:ud {w8 nomask aux 2}
      %17x4:ud = collect %7:ud _ _ _ {w8}
      msg.target %14:ud %15x4:ud {w8 [target_write]}
      msg.target_end %16:ud %17x4:ud {w8 [target_write bti 1 target 2 last_target 1]}
)");
  EXPECT_EQ(SelectedFragment(R"(
    store_output[0, 0] 1f, 1f, 1f, 0.5f
    store_output.indexed[2, 0] 0, 5
)",
                             16, 4, {}, /*alpha_to_coverage=*/true),
            R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %10:ud = mov #0xffffffff:ud {nomask}
      %2:ud = mov #0x3f800000:ud {w16}
      %3:ud = mov #0x3f800000:ud {w16}
      %4:ud = mov #0x3f800000:ud {w16}
      %5:ud = mov #0x3f000000:ud {w16}
      %6:ud = mov #0x5:ud {w16}
      %7:f = mov %5:f {w16 sat}
      %8:f = mul %7:f #0x40800000:f {w16}
      %9:ud = mov %8:f {w16}
      %11:ud = shl %10:ud %9:ud {w16}
      %12:ud = not %11:ud {w16}
      %13:ud = and %6:ud %12:ud {w16}
      %14:ud = pack_lanes %13:ud {w16 nomask aux 2}
      %15x4:ud = collect %2:ud %3:ud %4:ud %5:ud {w16}
      msg.target_end %14:ud %15x4:ud {w16 [target_write lanes 16 form 0 last_target 1]}
)");
}

// Payloads are made in front of the exit block, where no lane comes from an exit yet.
TEST(SelectOutputs, ProgramsThatKillWriteLiveLanes) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    %1:bool = flt %0, 0.5f
    discard %1
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
    exit_block b1
    block b0 depth 0
      %4x2:ud = join_groups %2x16:ud %3x16:ud {w16 nomask}
      start_dead %1.7:uw {w16 nomask}
      %6:f = mad %5.3:f %4.1:f %5.1:f {w16}
      %7:f = mad %6:f %4:f %5:f {w16}
      kill %7:f #0x3f000000:f {w16 cmod 5}
      discard_jump {w16 aux 1}
      %8x4:ud = collect %7:ud _ _ _ {w16}
      -> b1
    block b1 depth 0
      %9:uw = live {w16 nomask}
      msg.target_end %8x4:ud %9:uw {w16 pred 1 [target_write lanes 16 form 0 last_target 1]}
)");
}

TEST(SelectOutputs, WhatNothingFollowsLeavesAtOnce) {
  EXPECT_EQ(SelectedFragment(R"(
    %0:f32 = load_input[0, 0]
    %1:bool = flt %0, 0.5f
    if %1 {
      discard true
      unreachable
    } else {
      yield
    }
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
    exit_block b3
    block b0 depth 0
      start_dead %1.7:uw {w8 nomask}
      %5:f = mad %4.3:f %3:f %4.1:f {w8}
      %6:f = mad %5:f %2:f %4:f {w8}
      %7:uw = cmp %6:f #0x3f000000:f {w8 cmod 5}
      if %7:uw {w8 pred 1}
      -> b1, b2
    block b1 depth 0
      kill %0:ud %0:ud {w8 cmod 1}
      discard_jump {w8}
      endif {w8}
      ~> b2
    block b2 depth 0
      %8x4:ud = collect %6:ud _ _ _ {w8}
      -> b3
    block b3 depth 0
      %9:uw = live {w8 nomask}
      msg.target_end %8x4:ud %9:uw {w8 pred 1 [target_write last_target 1]}
)");
}

TEST(SelectOutputs, ProgramsThatKillHave32Lanes) {
  const std::string text = SelectedFragment(R"(
    discard true
)",
                                            32);
  EXPECT_NE(text.find("start_dead"), std::string::npos) << text;
  EXPECT_NE(text.find("kill %0:ud %0:ud {w32 cmod 1}"), std::string::npos) << text;
}

}  // namespace
}  // namespace kiln::intel
