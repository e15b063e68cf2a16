// Tests the operations that selection makes of arithmetic on doubles; tests/exec runs them.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// %10 is a double of each lane.
std::string OpsOf(const std::string& body) {
  const std::string head = "%10:f64 = u2f %1\n";
  const std::string all = SelectedOps(head + body);
  const std::string first = "v_cvt_f64_u32";
  EXPECT_TRUE(all.starts_with(first)) << all;
  return all.size() > first.size() ? all.substr(first.size() + 1) : "";
}

TEST(SelectDoubles, ArithmeticIsOneInstruction) {
  EXPECT_EQ(OpsOf("%11:f64 = fadd %10, 1d\n%12:f64 = fmul %11, %11\n%13:f64 = ffma %12, %11, %10\n"
                  "%14:f64 = ffloor %13\n%15:f64 = fmin %14, %10\n"),
            "v_add_f64 v_mul_f64 v_fma_f64 v_floor_f64 v_min_f64");
  EXPECT_EQ(OpsOf("%11:f64 = fsub %10, 3d\n%12:bool = flt %11, 0d\n"), "v_add_f64 v_cmp_lt_f64");
}

// The high half is a literal where the low one is 0; else both are in a pair of registers.
TEST(SelectDoubles, Constants) {
  EXPECT_EQ(OpsOf("%11:f64 = fmul %10, 3d\n"), "v_mul_f64");
  EXPECT_EQ(OpsOf("%11:f64 = fmul %10, 0.1d\n"), "s_copy s_copy collect v_mul_f64");
  // An instruction has one literal.
  EXPECT_EQ(OpsOf("%11:f64 = ffma %10, 3d, 5d\n"), "v_copy v_copy collect v_fma_f64");
}

TEST(SelectDoubles, SignsAreModifiersOrBits) {
  EXPECT_EQ(OpsOf("%11:f64 = fneg %10\n%12:f64 = fabs %11\n%13:f64 = fadd %12, %11\n"),
            "v_add_f64");
  EXPECT_EQ(OpsOf("%11:f64 = fneg %10\n%12:i32 = f64_high %11\n%13:i32 = iadd %12, 1\n"),
            "v_xor_b32 collect v_add_nc_u32");
}

TEST(SelectDoubles, HalvesAreNoCode) {
  EXPECT_EQ(OpsOf("%11:i32 = f64_low %10\n%12:i32 = f64_high %10\n%13:i32 = iadd %11, %12\n"),
            "v_add_nc_u32");
  EXPECT_EQ(SelectedOps("%10:f64 = pack_f64 %2, 7\n%11:f64 = fadd %10, 1d\n"),
            "s_copy collect v_add_f64");
}

TEST(SelectDoubles, Select) {
  EXPECT_EQ(OpsOf("%11:bool = feq %10, %10\n%12:f64 = select %11, %10, 0d\n"),
            "v_cmp_eq_f64 v_cndmask_b32 v_cndmask_b32 collect");
}

TEST(SelectDoubles, DivisionAndRoot) {
  EXPECT_EQ(OpsOf("%11:f64 = fdiv 1d, %10\n"),
            "v_div_scale_f64 v_div_scale_f64 v_rcp_f64 v_fma_f64 v_fma_f64 v_fma_f64 v_or_b32 "
            "collect v_fma_f64 v_fma_f64 v_mul_f64 v_fma_f64 div_fmas v_div_fixup_f64");
  EXPECT_EQ(OpsOf("%11:f64 = fsqrt %10\n"),
            "v_cmp_gt_f64 v_cndmask_b32 v_ldexp_f64 v_rsq_f64 v_mul_f64 v_mul_f64 v_fma_f64 "
            "v_fma_f64 v_fma_f64 v_fma_f64 v_fma_f64 v_fma_f64 v_fma_f64 v_cndmask_b32 v_ldexp_f64 "
            "v_cmp_class_f64 v_cndmask_b32 v_cndmask_b32 collect");
}

TEST(SelectDoubles, Conversions) {
  EXPECT_EQ(OpsOf("%11:f32 = f2f %10\n%12:f64 = f2f %11\n%13:i32 = f2i %12\n"),
            "v_cvt_f32_f64 v_cvt_f64_f32 v_cvt_i32_f64");
  // Rounded once.
  EXPECT_EQ(OpsOf("%11:f16 = f2f %10\n"),
            "v_cmp_ne_u32 v_cndmask_b32 v_or_b32 v_copy collect v_cvt_f32_f64 v_cvt_f16_f32");
}

}  // namespace
}  // namespace kiln::amd
