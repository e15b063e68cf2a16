// Floats: exact fractions, halves, differences, scaled functions.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Where x - floor(x) rounds to 1, v_fract gives the largest number below.
TEST(SelectFloats, AnExactFractionIsADifference) {
  EXPECT_EQ(SelectedOps("%10:f32 = ffract %3\n"), "v_fract_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = ffract.exact %3\n"), "v_floor_f32 v_sub_f32");
}

TEST(SelectFloats, DifferencesPutAVgprSecond) {
  EXPECT_EQ(SelectedOps("%10:f32 = fsub %3, 5.5f\n%11:f32 = fsub 5.5f, %3\n"),
            "v_subrev_f32 v_sub_f32");
}

// Half precision would overflow, or lose too much: single precision, rounded once.
TEST(SelectFloats, FunctionsOfHalves) {
  EXPECT_EQ(SelectedOps("%10:f16 = f2f %3\n%11:f16 = fsqrt %10\n"), "v_cvt_f16_f32 v_sqrt_f16");
  EXPECT_EQ(SelectedOps("%10:f16 = f2f %3\n%11:f16 = fdiv %10, %10\n"),
            "v_cvt_f16_f32 v_cvt_f32_f16 v_rcp_f32 v_cvt_f32_f16 v_mul_f32 v_cvt_f16_f32");
}

// The sign of a negated uniform number is a scalar instruction, of a constant none.
TEST(SelectFloats, SignsOfUniformNumbers) {
  EXPECT_EQ(SelectedOps("%10:f32 = fneg %4\n%11:i32 = bitcast %10\n"), "s_xor_b32");
  EXPECT_EQ(SelectedOps("%10:f32 = fabs %4\n%11:i32 = bitcast %10\n"), "s_and_b32");
}

// A constant divisor changes its sign for free.
TEST(SelectFloats, Remainders) {
  EXPECT_EQ(SelectedOps("%10:f32 = frem %3, 3f\n"), "v_rcp_f32 v_mul_f32 v_trunc_f32 v_fma_f32");
}

TEST(SelectFloats, AScaledAngleIsInTurns) {
  EXPECT_EQ(SelectedOps("%10:f32 = fcos %3\n"), "v_mul_f32 v_cos_f32");
}

}  // namespace
}  // namespace kiln::amd
