// Floats: exact fractions, halves, differences, scaled functions.
#include <string>

#include "core/amd/select/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::HasSubstr;
using testing::Not;

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

// A constant divisor changes its sign for free, and its reciprocal is a constant.
TEST(SelectFloats, Remainders) {
  EXPECT_EQ(SelectedOps("%10:f32 = frem %4, %3\n"), "v_rcp_f32 v_mul_f32 v_trunc_f32 v_fma_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = frem %3, 3f\n"), "v_mul_f32 v_trunc_f32 v_fma_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fmod %3, -0.75f\n"), "v_mul_f32 v_floor_f32 v_fma_f32");
  EXPECT_THAT(SelectedText("%10:f32 = fmod %3, 3f\n"), HasSubstr("0x3eaaaaab"));
}

// The instruction flushes what is subnormal, and its reciprocals of 0 are infinite.
TEST(SelectFloats, ReciprocalsThatAreNoNormalNumbers) {
  const std::string whole = "v_rcp_f32 v_mul_f32 v_floor_f32 v_fma_f32";
  EXPECT_EQ(SelectedOps("%10:f32 = fmod %3, 0f\n"), whole);
  EXPECT_EQ(SelectedOps("%10:f32 = fmod %3, 1e-39f\n"), whole);
  EXPECT_EQ(SelectedOps("%10:f32 = fmod %3, 3e38f\n"), whole);
}

// Outputs that may be invariant have the same bits whether the divisor is known or not.
TEST(SelectFloats, InvariantRemaindersAreNotFolded) {
  const std::string declarations = "input 0 location 0.0 f32 x1\noutput 0 location 0.0 f32 x1\n";
  const auto selected = [&](const std::string& op) {
    return SelectedFragment(declarations, "%0:f32 = load_input[0, 0]\n%1:f32 = " + op +
                                              " %0, 3f\nstore_output[0, 0] %1\n");
  };
  EXPECT_THAT(selected("fmod"), Not(HasSubstr("v_rcp_f32")));
  EXPECT_THAT(selected("fmod.no_transform"), HasSubstr("v_rcp_f32"));
}

TEST(SelectFloats, AScaledAngleIsInTurns) {
  EXPECT_EQ(SelectedOps("%10:f32 = fcos %3\n"), "v_mul_f32 v_cos_f32");
}

}  // namespace
}  // namespace kiln::amd
