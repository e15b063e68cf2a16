// Tests the operations that selection makes of conversions.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(SelectConversions, FloatsAndIntegers) {
  EXPECT_EQ(SelectedOps("%10:f32 = i2f %1\n%11:i32 = f2u %10\n"), "v_cvt_f32_i32 v_cvt_u32_f32");
  EXPECT_EQ(SelectedOps("%10:i16 = f2i %3\n"), "v_cvt_i32_f32 v_copy v_med3_i32");
  EXPECT_EQ(SelectedOps("%10:i16 = f2u %3\n"), "v_cvt_u32_f32 v_min_u32");
}

TEST(SelectConversions, Halfs) {
  EXPECT_EQ(SelectedOps("%10:f16 = f2f %3\n%11:f32 = f2f %10\n"), "v_cvt_f16_f32 v_cvt_f32_f16");
  // The instruction keeps the high half of its result's register.
  EXPECT_EQ(SelectedOps("%10:i32 = f2f16 %3\n%11:i32 = or %10, %2\n"),
            "v_cvt_f16_f32 v_and_b32 v_or_b32");
  EXPECT_EQ(
      SelectedOps(
          "%10:i32 = f2f16 %3\n%11:i32 = shl %10, 16\n%12:i32 = iadd %11, 1\n%13:i32 = imul %11, %1\n"),
      "v_cvt_f16_f32 v_lshlrev_b32 v_add_nc_u32 v_mul_lo_u32");
}

TEST(SelectConversions, PartsOfDwords) {
  EXPECT_EQ(SelectedOps("%10:i32 = ushr %1, 8\n%11:i32 = and %10, 255\n%12:f32 = u2f %11\n"),
            "v_cvt_f32_ubyte1");
  EXPECT_EQ(SelectedOps("%10:i32 = ushr %1, 16\n%11:f32 = f16f %10\n"
                        "%12:i32 = and %1, 0xffff\n%13:f32 = f16f %12\n"),
            "v_cvt_f32_f16 v_cvt_f32_f16");
  // Another reader wants the shifted number.
  EXPECT_EQ(SelectedOps("%10:i32 = ushr %1, 24\n%11:f32 = u2f %10\n%12:i32 = imul %10, %1\n"),
            "v_lshrrev_b32 v_cvt_f32_ubyte3 v_mul_u32_u24");
}

TEST(SelectConversions, PairsOfWords) {
  EXPECT_EQ(SelectedOps("%10:i32 = f2f16 %3\n%11:f32 = fadd %3, %4\n%12:i32 = f2f16 %11\n"
                        "%13:i32 = shl %12, 16\n%14:i32 = or %10, %13\n"),
            "v_cvt_f16_f32 v_add_f32 v_cvt_f16_f32 v_perm_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = and %1, 0xffff\n%11:i32 = iadd %1, %2\n"
                        "%12:i32 = shl %11, 16\n%13:i32 = or %12, %10\n%14:i32 = or %13, 1\n"),
            "v_add_nc_u32 v_perm_b32 v_or_b32");
}

TEST(SelectConversions, Widths) {
  EXPECT_EQ(
      SelectedOps(
          "%10:i8 = trunc %2\n%11:i32 = sext %10\n%12:i32 = zext %10\n%13:i32 = iadd %12, 1\n"),
      "s_sext_i32_i8 s_and_b32 s_add_u32");
  EXPECT_EQ(SelectedOps("%10:i8 = trunc %1\n%11:f32 = u2f %10\n"), "v_cvt_f32_ubyte0");
}

}  // namespace
}  // namespace kiln::amd
