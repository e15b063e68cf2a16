// Tests the operations that selection makes of arithmetic: integers, bits, floats, fused forms.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(SelectArithmetic, UniformIntegersAreScalarInstructions) {
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %2, 5\n%11:i32 = imul %10, %2\n%12:i32 = shl %11, 3\n"
                        "%13:i32 = umax %12, %2\n%14:i32 = iabs %13\n"),
            "s_add_u32 s_mul_i32 s_lshl_b32 s_max_u32 s_abs_i32");
  EXPECT_EQ(SelectedOps("%10:i32 = isub %2, %1\n%11:i32 = imul %10, %1\n%12:i32 = ashr %11, %2\n"),
            "v_sub_nc_u32 v_mul_lo_u32 v_ashrrev_i32");
}

// A product of factors below 2^24; of a lane's number and an unknown one.
TEST(SelectArithmetic, SmallFactors) {
  EXPECT_EQ(SelectedOps("%10:i32 = and %1, 255\n%11:i32 = imul %10, 1000\n"),
            "v_and_b32 v_mul_u32_u24");
}

TEST(SelectArithmetic, TwoOperationsInOneInstruction) {
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %1, %2\n%11:i32 = iadd %10, 7\n"), "v_add3_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %1, 4\n%11:i32 = iadd %2, %10\n"), "v_lshl_add_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = and %1, 15\n%11:i32 = or %10, %2\n"), "v_and_or_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = xor %1, %2\n%11:i32 = iadd %10, 3\n"), "v_xad_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = imax %1, 0\n%11:i32 = imin %10, 9\n"), "v_med3_i32");
  // The bounds are the wrong way round: one bound always wins.
  EXPECT_EQ(SelectedOps("%10:i32 = imax %1, 9\n%11:i32 = imin %10, 0\n"), "v_max_i32 v_min_i32");
}

// A uniform part with one reader, if the instruction may read all its scalars.
TEST(SelectArithmetic, ScalarsJoinVectorInstructions) {
  EXPECT_EQ(SelectedOps("%10:i32 = shl %2, 3\n%11:i32 = iadd %10, %1\n"), "v_lshl_add_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %2, 1000\n%11:i32 = iadd %10, %1\n"), "v_add3_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %2, 3\n%11:i32 = iadd %10, %1\n%12:i32 = iadd %10, 9\n"),
            "s_lshl_b32 v_add_nc_u32 s_add_u32");
}

TEST(SelectArithmetic, ShiftsAndMasksAreFields) {
  EXPECT_EQ(SelectedOps("%10:i32 = ushr %1, 5\n%11:i32 = and %10, 7\n%12:i32 = isub %11, 1\n"),
            "v_bfe_u32 v_subrev_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %2, 24\n%11:i32 = ashr %10, 28\n"), "s_bfe_i32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %2, 2\n%11:i32 = iadd %10, %2\n"), "s_lshl2_add_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = shl %2, 5\n%11:i32 = iadd %10, %2\n"), "s_lshl_b32 s_add_u32");
}

// Two of three sums in a row are one instruction; an operation with two readers is made for itself.
TEST(SelectArithmetic, EverySecondOfAChainIsFused) {
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %1, %2\n%11:i32 = iadd %10, 7\n%12:i32 = iadd %11, %1\n"),
            "v_add_nc_u32 v_add3_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %1, %2\n%11:i32 = iadd %10, 7\n%12:i32 = iadd %10, 8\n"),
            "v_add_nc_u32 v_add_nc_u32 v_add_nc_u32");
}

// In the place of an addend that nothing else reads.
TEST(SelectArithmetic, Accumulation) {
  EXPECT_EQ(SelectedOps("%10:f32 = fmul %3, %3\n%11:f32 = ffma %3, %4, %10\n"),
            "v_mul_f32 v_fmac_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fmul %3, %3\n%11:f32 = ffma %3, %4, %10\n"
                        "%12:f32 = fadd %10, %11\n"),
            "v_mul_f32 v_fma_f32 v_add_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fmul %3, %3\n%11:f32 = ffma %3, 3.5f, %10\n"),
            "v_mul_f32 v_fma_f32");
}

// The median of a NaN is the lower bound, as fmin of fmax is; fmax of fmin is the upper one.
TEST(SelectArithmetic, ClampedFloats) {
  EXPECT_EQ(SelectedOps("%10:f32 = fmax %3, 1f\n%11:f32 = fmin %10, 2f\n"), "v_med3_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fmin %3, 2f\n%11:f32 = fmax %10, 1f\n"), "v_min_f32 v_max_f32");
}

TEST(SelectArithmetic, CarriesAreFlags) {
  const char* const body =
      "%10:i32 = iadd %1, 5\n%11:i32 = uadd_carry %1, 5\n%12:i32 = iadd %1, 7\n"
      "%13:i32 = iadd %12, %11\n";
  EXPECT_EQ(SelectedOps(body), "v_add_co_u32 v_add_co_ci_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %2, 5\n%11:i32 = uadd_carry %2, 5\n"
                        "%12:i32 = iadd %2, %11\n"),
            "s_add_u32 s_addc_u32");
  EXPECT_EQ(SelectedOps("%11:i32 = uadd_carry %1, 5\n%12:i32 = imul %11, %1\n"),
            "v_add_co_u32 v_cndmask_b32 v_mul_u32_u24");
  EXPECT_EQ(SelectedOps("%11:i32 = usub_borrow %1, 5\n%12:i32 = isub %2, %11\n"),
            "v_sub_co_u32 v_sub_co_ci_u32");
}

TEST(SelectArithmetic, HighestBits) {
  EXPECT_EQ(SelectedOps("%10:i32 = find_umsb %1\n%11:i32 = find_smsb %2\n%12:i32 = find_lsb %1\n"),
            "v_ffbh_u32 v_xor_b32 v_max_i32 s_flbit_i32 s_xor_b32 s_max_i32 v_ffbl_b32");
}

TEST(SelectArithmetic, FieldsOfBits) {
  EXPECT_EQ(SelectedOps("%10:i32 = ubitfield_extract %1, 3, 5\n%11:i32 = iadd %10, 1\n"),
            "v_bfe_u32 v_add_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = ubitfield_extract %1, 3, 32\n%11:i32 = iadd %10, 1\n"),
            "v_lshrrev_b32 v_add_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = sbitfield_extract %2, 3, 5\n"), "s_bfe_i32");
  // A count that may be 32.
  EXPECT_EQ(SelectedOps("%10:i32 = ubitfield_extract %1, 3, %1\n%11:i32 = iadd %10, 1\n"),
            "v_bfe_u32 v_lshrrev_b32 v_cmp_gt_u32 v_cndmask_b32 v_add_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = bitfield_insert %1, %2, 3, 5\n"), "v_lshlrev_b32 v_bfi_b32");
}

TEST(SelectArithmetic, ModifiersAreFree) {
  const std::string text = SelectedText(
      "%10:f32 = fneg %3\n%11:f32 = fabs %4\n"
      "%12:f32 = fmul %10, %11\n");
  EXPECT_EQ(SelectedOps("%10:f32 = fneg %3\n%11:f32 = fabs %4\n%12:f32 = fmul %10, %11\n"),
            "v_mul_f32");
  EXPECT_NE(text.find("v_mul_f32"), text.npos) << text;
  // A reader that is no float instruction sees the bits.
  EXPECT_EQ(SelectedOps("%10:f32 = fneg %3\n%11:i32 = bitcast %10\n"), "v_xor_b32");
  EXPECT_EQ(SelectedOps("%10:f32 = fabs %3\n%11:f32 = fneg %10\n%12:i32 = bitcast %11\n"),
            "v_or_b32");
}

// Uniform sources too: an operation that became a modifier has no code.
TEST(SelectArithmetic, ModifiersOfUniformNumbers) {
  EXPECT_EQ(SelectedOps("%10:f32 = fneg %4\n%11:f32 = fadd %10, 3f\n%12:i32 = f2i %10\n"),
            "v_add_f32 v_cvt_i32_f32");
}

TEST(SelectArithmetic, SaturationIsPartOfItsProducer) {
  EXPECT_EQ(SelectedOps("%10:f32 = fadd %3, %4\n%11:f32 = fsaturate %10\n"), "v_add_f32");
  EXPECT_EQ(SelectedOps("%11:f32 = fsaturate %3\n"), "v_max_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fadd %3, %4\n%11:f32 = fsaturate %10\n"
                        "%12:f32 = fmul %10, %10\n"),
            "v_add_f32 v_max_f32 v_mul_f32");
}

TEST(SelectArithmetic, FunctionsOfFloats) {
  EXPECT_EQ(SelectedOps("%10:f32 = fdiv %3, %4\n"), "v_rcp_f32 v_mul_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fsin %3\n"), "v_mul_f32 v_sin_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fpow %3, %4\n"), "v_log_f32 v_mul_legacy_f32 v_exp_f32");
  EXPECT_EQ(SelectedOps("%10:f32 = fsign %3\n"), "v_cmp_neq_f32 v_cndmask_b32 v_bfi_b32");
  EXPECT_EQ(SelectedOps("%10:f32 = fmod %3, %4\n"), "v_rcp_f32 v_mul_f32 v_floor_f32 v_fma_f32");
}

// By 0, which a constant may be, the result is all ones.
TEST(SelectArithmetic, DivisionByZeroIsAllOnes) {
  const auto ends_with = [](const std::string& numbers, const std::string& end) {
    const std::string ops = SelectedOps("%10:i32 = udiv " + numbers + "\n");
    EXPECT_TRUE(ops.ends_with(end)) << ops;
  };
  ends_with("%2, %1", "v_cmp_eq_u32 v_cndmask_b32");
  ends_with("%1, 0", "v_cmp_eq_u32 v_cndmask_b32");
  ends_with("%1, %2", "s_min_u32 s_add_u32 v_or_b32");
  ends_with("%2, %2", "s_min_u32 s_add_u32 s_or_b32");
}

// The reciprocal of a scalar is refined by scalar instructions; two scalars have a scalar quotient.
TEST(SelectArithmetic, DivisionByScalars) {
  EXPECT_EQ(SelectedOps("%10:i32 = urem %1, %2\n").find("v_mul_lo_u32"),
            SelectedOps("%10:i32 = urem %1, %2\n").rfind("v_mul_lo_u32"));
  const std::string scalar = SelectedOps("%10:i32 = sdiv %2, %2\n");
  EXPECT_EQ(scalar.find("v_mul_lo_u32"), std::string::npos) << scalar;
  EXPECT_EQ(scalar.find("v_cndmask"), std::string::npos) << scalar;
  EXPECT_NE(scalar.find("s_abs_i32"), std::string::npos) << scalar;
}

// By the scale that core/sim/rdna2/alu/sequences_test.cc tries, every reciprocal within one ulp
// does.
TEST(SelectArithmetic, DivisionScalesTheReciprocal) {
  for (const char* division : {"udiv %2, %2", "urem %1, %2", "sdiv %1, %1"}) {
    const std::string text = SelectedText("%10:i32 = " + std::string(division) + "\n");
    EXPECT_NE(text.find("v_mul_f32 #0x4f7ffffc"), std::string::npos) << text;
  }
}

TEST(SelectArithmetic, DotProducts) {
  EXPECT_EQ(SelectedOps("%10:i32 = sdot4x8 %1, %2, %1\n"), "v_dot4_i32_i8");
  EXPECT_EQ(SelectedOps("%10:i32 = sudot4x8 %1, %2, %1\n"),
            "v_copy v_xor_b32 v_dot4_i32_i8 v_dot4_i32_i8 v_dot4_i32_i8");
}

TEST(SelectArithmetic, Words) {
  EXPECT_EQ(SelectedOps("%10:i16 = trunc %1\n%11:i16 = iadd %10, 3i16\n%12:i16 = ushr %11, %1\n"
                        "%13:i32 = sext %12\n%14:i32 = iadd %13, 1\n"),
            "v_add_nc_u16 v_lshrrev_b16 v_bfe_i32 v_add_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i16 = trunc %2\n%11:i16 = iadd %10, 3i16\n%12:i16 = ushr %11, %2\n"
                        "%13:i32 = zext %12\n%14:i32 = iadd %13, 1\n"),
            "s_add_u32 s_and_b32 s_and_b32 s_lshr_b32 s_and_b32 s_add_u32");
}

}  // namespace
}  // namespace kiln::amd
