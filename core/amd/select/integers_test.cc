// Integers of 32 bits: signs, the place of sources, saturated sums of products.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// The short form of a subtraction has a VGPR second.
TEST(SelectIntegers, SubtractionsPutAVgprSecond) {
  EXPECT_EQ(SelectedOps("%10:i32 = isub %1, %2\n%11:i32 = isub %2, %1\n%12:i32 = ineg %1\n"),
            "v_subrev_nc_u32 v_sub_nc_u32 v_sub_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = ineg %2\n"), "s_sub_u32");
}

TEST(SelectIntegers, SignsAreMediansAndScalarMinima) {
  EXPECT_EQ(SelectedOps("%10:i32 = isign %1\n%11:i32 = isign %2\n"),
            "v_med3_i32 s_max_i32 s_min_i32");
  EXPECT_EQ(SelectedOps("%10:i32 = iabs %1\n"), "v_sub_nc_u32 v_max_i32");
}

TEST(SelectIntegers, HighHalvesOfProducts) {
  EXPECT_EQ(SelectedOps("%10:i32 = umul_high %1, %2\n%11:i32 = smul_high %2, 9\n"),
            "v_mul_hi_u32 s_mul_hi_i32");
}

// A factor that may have 25 bits takes the slow product.
TEST(SelectIntegers, FactorsOf24Bits) {
  EXPECT_EQ(SelectedOps("%9:i32 = not %1\n%10:i32 = and %9, 0xffffff\n%11:i32 = imul %10, %10\n"),
            "v_not_b32 v_and_b32 v_mul_u32_u24");
  EXPECT_EQ(SelectedOps("%9:i32 = not %1\n%10:i32 = and %9, 0x1ffffff\n%11:i32 = imul %10, %10\n"),
            "v_not_b32 v_and_b32 v_mul_lo_u32");
}

// Signed times unsigned bytes have three dot products, of which a saturating one may saturate none.
TEST(SelectIntegers, SaturatedSumsOfProducts) {
  EXPECT_EQ(SelectedOps("%10:i32 = udot4x8_sat %1, %2, %1\n"), "v_dot4_u32_u8");
  EXPECT_EQ(SelectedOps("%10:i32 = sudot4x8_sat %1, %2, %1\n"),
            "v_copy v_xor_b32 v_dot4_i32_i8 v_dot4_i32_i8 v_dot4_i32_i8 v_add_nc_i32");
  EXPECT_NE(SelectedText("%10:i32 = udot4x8_sat %1, %2, %1\n").find("sat"), std::string::npos);
}

}  // namespace
}  // namespace kiln::amd
