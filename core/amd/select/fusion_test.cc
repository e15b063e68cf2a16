// Which two operations are one instruction: the place of the inner one, constants, scalars.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// v_add_lshl shifts a sum; the sum that is a count is none.
TEST(SelectFusion, ThePlaceOfTheInnerOperation) {
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %1, %2\n%11:i32 = shl %10, 3\n%12:i32 = isub %11, 1\n"),
            "v_add_lshl_u32 v_subrev_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %1, %2\n%11:i32 = shl 3, %10\n%12:i32 = isub %11, 1\n"),
            "v_add_nc_u32 v_lshlrev_b32 v_subrev_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = xor %1, %2\n%11:i32 = xor 7, %10\n"), "v_xor3_b32");
}

TEST(SelectFusion, ThreeAtOnce) {
  EXPECT_EQ(SelectedOps("%10:i32 = or %1, %2\n%11:i32 = or %10, 7\n"), "v_or3_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = umin %1, %2\n%11:i32 = umin %10, 7\n"), "v_min3_u32");
  EXPECT_EQ(SelectedOps("%10:f32 = fmax %3, %4\n%11:f32 = fmax %10, 7f\n"), "v_max3_f32");
  EXPECT_EQ(SelectedOps("%10:i32 = umin %1, %2\n%11:i32 = imin %10, 7\n"), "v_min_u32 v_min_i32");
}

// A product joins a sum only if its factors have 24 bits.
TEST(SelectFusion, ProductsOfSmallFactors) {
  EXPECT_EQ(SelectedOps("%10:i32 = and %1, 255\n%11:i32 = imul %10, 9\n%12:i32 = iadd %11, %2\n"),
            "v_and_b32 v_mad_u32_u24");
  EXPECT_EQ(SelectedOps("%10:i32 = not %1\n%11:i32 = imul %10, %2\n%12:i32 = iadd %11, %2\n"),
            "v_not_b32 v_mul_lo_u32 v_add_nc_u32");
}

// Two scalars and a literal are too many to read at once.
TEST(SelectFusion, AsManyScalarsAsAnInstructionReads) {
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %2, 1000\n%11:i32 = iadd %10, %1\n"), "v_add3_u32");
  EXPECT_EQ(SelectedOps("%9:i32 = workgroup_id[1]\n%10:i32 = xor %2, %9\n%11:i32 = xor %10, %1\n"),
            "v_xor3_b32");
}

// The mask must be ones from the lowest bit on, and the way back no shorter than the way there.
TEST(SelectFusion, FieldsAreOnesInARow) {
  EXPECT_EQ(SelectedOps("%10:i32 = ushr %1, 5\n%11:i32 = and %10, 6\n%12:i32 = isub %11, 1\n"),
            "v_lshrrev_b32 v_and_b32 v_subrev_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %1, 8\n%11:i32 = ushr %10, 24\n%12:i32 = isub %11, 1\n"),
            "v_bfe_u32 v_subrev_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %1, 24\n%11:i32 = ushr %10, 8\n%12:i32 = isub %11, 1\n"),
            "v_lshlrev_b32 v_lshrrev_b32 v_subrev_nc_u32");
}

TEST(SelectFusion, MediansHaveOrderedBounds) {
  EXPECT_EQ(SelectedOps("%10:i32 = umin %1, 9\n%11:i32 = umax %10, 3\n"), "v_med3_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = umin %1, 3\n%11:i32 = umax %10, 9\n"), "v_min_u32 v_max_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = umin %1, 9\n%11:i32 = umax %10, %2\n"), "v_min_u32 v_max_u32")
      << "bounds that are not constant may be in any order";
}

}  // namespace
}  // namespace kiln::amd
