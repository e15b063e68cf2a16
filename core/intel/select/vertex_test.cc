// Tests the LIR that selection makes of a vertex shader's inputs and outputs: see vertex.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// The header is sent with the position; the write of a location after a gap ends the thread.
TEST(SelectVertex, AttributesAreRegistersAndSlotsGoInPairs) {
  EXPECT_EQ(SelectedVertex(R"(
    %0:f32, %1:f32, %2:f32, %3:f32 = load_input[0, 0]
    %4:i32 = load_input[1, 1]
    store_output[3, 0] %0, %1, %2, %3
    store_output[1, 1] %4
)"),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    livein %3 at 24
    livein %4 at 32
    livein %5 at 40
    livein %6 at 64
    scratch_header %0
    block b0 depth 0
      %7:ud = mov #0x0:ud {w8}
      %8:ud = mov #0x0:ud {w8}
      %9:ud = mov #0x0:ud {w8}
      %10:ud = mov #0x0:ud {w8}
      %11x8:ud = collect %7:ud %8:ud %9:ud %10:ud %2:ud %3:ud %4:ud %5:ud {w8}
      msg.urb %1x8:ud %11x8:ud {w8 [urb_write header 1]}
      %12x4:ud = collect _ _ %6:ud _ {w8}
      %13x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %13x8:ud %12x4:ud {w8 [urb_write header 1 urb_offset 6]}
)");
}

TEST(SelectVertex, NumbersOfTheDrawAreSums) {
  EXPECT_EQ(SelectedVertex(R"(
    %0:i32 = load_input[4, 0]
    %1:i32 = load_input[5, 0]
    %2:f32 = i2f %0
    store_output[4, 0] %2
    store_output[1, 0] %1, %1
)"),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 32
    livein %3 at 16
    livein %5 at 48
    scratch_header %0
    block b0 depth 0
      %4:d = add %2:ud %3:ud {w8}
      %6:f = mov %4:d {w8}
      %7:ud = mov #0x0:ud {w8}
      %8:ud = mov #0x0:ud {w8}
      %9:ud = mov #0x0:ud {w8}
      %10x4:ud = collect %7:ud %8:ud %9:ud %6:ud {w8}
      msg.urb %1x8:ud %10x4:ud {w8 [urb_write header 1]}
      %11x4:ud = collect _ %5:ud %5:ud _ {w8}
      %12x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %12x8:ud %11x4:ud {w8 [urb_write header 1 urb_offset 6]}
)");
}

TEST(SelectVertex, ElementsAreChosenByComparing) {
  EXPECT_EQ(SelectedVertex(R"(
    %0:i32 = load_input[4, 0]
    %1:f32 = load_input.indexed[2, 0] %0
    store_output.indexed[5, 0] 1, %1
    store_output.indexed[6, 0] 0, %1
)"),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 96
    livein %3 at 80
    livein %5 at 16
    livein %7 at 48
    scratch_header %0
    block b0 depth 0
      %4:d = add %2:ud %3:ud {w8}
      %6:uw = cmp %4:ud #0x1:ud {w8 cmod 1}
      %8:ud = sel %7:ud %5:ud %6:uw {w8 pred 1}
      %9:ud = mov #0x0:ud {w8}
      %10:ud = mov #0x0:ud {w8}
      %11:ud = mov #0x0:ud {w8}
      %12:ud = mov #0x0:ud {w8}
      %13x4:ud = collect %9:ud %10:ud %11:ud %12:ud {w8}
      msg.urb %1x8:ud %13x4:ud {w8 [urb_write header 1]}
      %14x4:ud = collect _ %8:ud %8:ud _ {w8}
      %15x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %15x8:ud %14x4:ud {w8 [urb_write header 1 urb_offset 2]}
)");
}

// They arrive and leave as floats.
TEST(SelectVertex, HalvesAreFloatsOutside) {
  EXPECT_EQ(SelectedVertex(R"(
    %0:f16 = load_input[3, 0]
    %1:f16 = fadd %0, %0
    store_output[2, 0] %1
)"),
            R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 16
    scratch_header %0
    block b0 depth 0
      %3:hf = mov %2:f {w8}
      %4:hf = add %3:hf %3:hf {w8}
      %5:f = mov %4:hf {w8}
      %6:ud = mov #0x0:ud {w8}
      %7:ud = mov #0x0:ud {w8}
      %8:ud = mov #0x0:ud {w8}
      %9:ud = mov #0x0:ud {w8}
      %10x4:ud = collect %6:ud %7:ud %8:ud %9:ud {w8}
      msg.urb %1x8:ud %10x4:ud {w8 [urb_write header 1]}
      %11x4:ud = collect %5:ud _ _ _ {w8}
      %12x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %12x8:ud %11x4:ud {w8 [urb_write header 1 urb_offset 7]}
)");
}

// A single view needs no code, and nothing is divided.
TEST(SelectVertex, OneViewIsKnown) {
  EXPECT_EQ(SelectedViews(/*fragment=*/false, 0x4), R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 40
    livein %3 at 24
    scratch_header %0
    block b0 depth 0
      %4:d = add %2:ud %3:ud {w8}
      %5:ud = mov #0x2:ud {w8}
      %6:ud = mov #0x2:ud {w8}
      %7:ud = mov #0x0:ud {w8}
      %8:ud = mov #0x0:ud {w8}
      %9:ud = mov #0x0:ud {w8}
      %10x4:ud = collect %7:ud %6:ud %8:ud %9:ud {w8}
      msg.urb %1x8:ud %10x4:ud {w8 [urb_write header 1]}
      %11x4:ud = collect %4:ud %5:ud _ _ {w8}
      %12x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %12x8:ud %11x4:ud {w8 [urb_write header 1 urb_offset 4]}
)");
}

// The views of a mask without gaps are consecutive.
TEST(SelectVertex, TwoViewsAreTheLowBit) {
  EXPECT_EQ(SelectedViews(/*fragment=*/false, 0x6), R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 40
    livein %6 at 24
    scratch_header %0
    block b0 depth 0
      %3:ud = and %2:ud #0x1:ud {w8}
      %4:ud = add %3:ud #0x1:ud {w8}
      %5:ud = shr %2:ud #0x1:ud {w8}
      %7:d = add %5:ud %6:ud {w8}
      %8:ud = mov #0x0:ud {w8}
      %9:ud = mov #0x0:ud {w8}
      %10:ud = mov #0x0:ud {w8}
      %11x4:ud = collect %8:ud %4:ud %9:ud %10:ud {w8}
      msg.urb %1x8:ud %11x4:ud {w8 [urb_write header 1]}
      %12x4:ud = collect %7:ud %4:ud _ _ {w8}
      %13x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %13x8:ud %12x4:ud {w8 [urb_write header 1 urb_offset 4]}
)");
}

TEST(SelectVertex, ThreeViewsDivideByMultiplying) {
  EXPECT_EQ(SelectedViews(/*fragment=*/false, 0x7), R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 40
    livein %8 at 24
    scratch_header %0
    block b0 depth 0
      %4:ud = mov #0xaaaaaaab:ud {nomask}
      %3:ud = mul_high %2:ud %4:ud {w8}
      %5:ud = shr %3:ud #0x1:ud {w8}
      %6:d = mul %5:d #0xfffd:w {w8}
      %7:d = add %2:d %6:d {w8}
      %9:d = add %5:ud %8:ud {w8}
      %10:ud = mov #0x0:ud {w8}
      %11:ud = mov #0x0:ud {w8}
      %12:ud = mov #0x0:ud {w8}
      %13x4:ud = collect %10:ud %7:ud %11:ud %12:ud {w8}
      msg.urb %1x8:ud %13x4:ud {w8 [urb_write header 1]}
      %14x4:ud = collect %9:ud %7:ud _ _ {w8}
      %15x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %15x8:ud %14x4:ud {w8 [urb_write header 1 urb_offset 4]}
)");
}

TEST(SelectVertex, ViewsOfAMaskWithGapsComeFromATable) {
  EXPECT_EQ(SelectedViews(/*fragment=*/false, 0x5), R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 40
    livein %9 at 24
    scratch_header %0
    block b0 depth 0
      %5:ud = mov #0x20:ud {nomask}
      %3:ud = and %2:ud #0x1:ud {w8}
      %4:ud = shl %3:ud #0x2:ud {w8}
      %6:ud = shr %5:ud %4:ud {w8}
      %7:ud = and %6:ud #0xf:ud {w8}
      %8:ud = shr %2:ud #0x1:ud {w8}
      %10:d = add %8:ud %9:ud {w8}
      %11:ud = mov #0x0:ud {w8}
      %12:ud = mov #0x0:ud {w8}
      %13:ud = mov #0x0:ud {w8}
      %14x4:ud = collect %11:ud %7:ud %12:ud %13:ud {w8}
      msg.urb %1x8:ud %14x4:ud {w8 [urb_write header 1]}
      %15x4:ud = collect %10:ud %7:ud _ _ {w8}
      %16x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %16x8:ud %15x4:ud {w8 [urb_write header 1 urb_offset 4]}
)");
}

TEST(SelectVertex, MoreThanEightTakeASecondTable) {
  EXPECT_EQ(SelectedViews(/*fragment=*/false, 0x5ff), R"(
    livein %0 at 0
    livein %1 at 8
    livein %2 at 40
    livein %14 at 24
    scratch_header %0
    block b0 depth 0
      %4:ud = mov #0xcccccccd:ud {nomask}
      %9:ud = mov #0xa8:ud {nomask}
      %3:ud = mul_high %2:ud %4:ud {w8}
      %5:ud = shr %3:ud #0x3:ud {w8}
      %6:d = mul %5:d #0xfff6:w {w8}
      %7:d = add %2:d %6:d {w8}
      %8:uw = cmp %7:ud #0x8:ud {w8 cmod 4}
      %10:ud = sel %9:ud #0x76543210:ud %8:uw {w8 pred 1}
      %11:ud = shl %7:ud #0x2:ud {w8}
      %12:ud = shr %10:ud %11:ud {w8}
      %13:ud = and %12:ud #0xf:ud {w8}
      %15:d = add %5:ud %14:ud {w8}
      %16:ud = mov #0x0:ud {w8}
      %17:ud = mov #0x0:ud {w8}
      %18:ud = mov #0x0:ud {w8}
      %19x4:ud = collect %16:ud %13:ud %17:ud %18:ud {w8}
      msg.urb %1x8:ud %19x4:ud {w8 [urb_write header 1]}
      %20x4:ud = collect %15:ud %13:ud _ _ {w8}
      %21x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %21x8:ud %20x4:ud {w8 [urb_write header 1 urb_offset 4]}
)");
}

TEST(SelectVertex, AProgramWithoutOutputsWritesItsHeader) {
  EXPECT_EQ(SelectedVertex(""), R"(
    livein %0 at 0
    livein %1 at 8
    scratch_header %0
    block b0 depth 0
      %2:ud = mov #0x0:ud {w8}
      %3:ud = mov #0x0:ud {w8}
      %4:ud = mov #0x0:ud {w8}
      %5:ud = mov #0x0:ud {w8}
      %6x4:ud = collect %2:ud %3:ud %4:ud %5:ud {w8}
      %7x8:ud = mov %1x8:ud {w8 nomask}
      msg.urb_end %7x8:ud %6x4:ud {w8 [urb_write header 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
