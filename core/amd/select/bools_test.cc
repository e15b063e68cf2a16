// Tests the operations that selection makes of booleans.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(SelectBools, UniformComparisonsAreScc) {
  EXPECT_EQ(SelectedOps("%10:bool = ult %2, 5\n%11:i32 = select %10, %2, 7\n"),
            "s_cmp_lt_u32 s_cselect_b32");
  EXPECT_EQ(SelectedOps("%10:bool = ult %2, 5\n%11:bool = ieq %2, 3\n%12:bool = or %10, %11\n"
                        "%13:i32 = select %12, 1, 2\n"),
            "s_cmp_lt_u32 s_cselect_b32 s_cmp_eq_u32 s_cselect_b32 s_or_b32 s_cselect_b32");
}

// The number of a comparison is made behind it, once; a reader that finds another SCC tests it.
TEST(SelectBools, UniformComparisonsAreNumbersForReadersOfNumbers) {
  EXPECT_EQ(SelectedOps("%10:bool = ult %2, 5\n%11:i32 = select %10, 1, 0\n"
                        "%12:bool = not %10\n%13:i32 = select %12, 3, 4\n"),
            "s_cmp_lt_u32 s_cselect_b32 s_xor_b32 s_cselect_b32");
  EXPECT_EQ(SelectedOps("%10:bool = ult %2, 5\n%11:bool = ieq %2, 3\n%12:bool = or %10, %11\n"
                        "%13:bool = ult %2, 9\n%14:i32 = select %13, 3, 4\n"
                        "%15:i32 = select %12, 5, 6\n"),
            "s_cmp_lt_u32 s_cselect_b32 s_cmp_eq_u32 s_cselect_b32 s_or_b32 s_cmp_lt_u32 "
            "s_cselect_b32 s_cmp_lg_u32 s_cselect_b32");
}

// Logic makes SCC, a select does not.
TEST(SelectBools, UniformSelectsOfAConstantAreLogic) {
  const auto select = [](const std::string& sides) {
    return SelectedOps("%10:bool = ult %2, 5\n%11:bool = ieq %2, 3\n%12:bool = select %10, " +
                       sides + "\n%13:i32 = select %12, 3, 4\n");
  };
  const std::string numbers = "s_cmp_lt_u32 s_cselect_b32 s_cmp_eq_u32 s_cselect_b32 ";
  EXPECT_EQ(select("true, %11"), numbers + "s_or_b32 s_cselect_b32");
  EXPECT_EQ(select("%11, false"), numbers + "s_and_b32 s_cselect_b32");
  EXPECT_EQ(select("false, %11"), numbers + "s_andn2_b32 s_cselect_b32");
  EXPECT_EQ(select("%11, true"), numbers + "s_cmp_lg_u32 s_cselect_b32 s_cmp_lg_u32 s_cselect_b32");
}

TEST(SelectBools, SelectsNegateTheirSides) {
  const std::string negated = "%10:f32 = fneg %3\n%11:bool = flt %3, %4\n";
  EXPECT_EQ(SelectedOps(negated + "%12:f32 = select %11, %10, %3\n"), "v_cmp_lt_f32 v_cndmask_b32");
  EXPECT_EQ(SelectedOps("%10:f32 = fneg %3\n%11:f32 = select true, %10, %3\n"), "v_xor_b32");
  // Halves have their sign elsewhere, and s_cselect has no modifiers.
  EXPECT_EQ(SelectedOps("%10:f16 = f2f %3\n%11:f16 = fneg %10\n%12:bool = flt %3, %4\n"
                        "%13:f16 = select %12, %11, %10\n"),
            "v_cvt_f16_f32 v_xor_b32 v_cmp_lt_f32 v_cndmask_b32");
  EXPECT_EQ(SelectedOps("%10:f32 = fneg %4\n%11:bool = ult %2, 5\n"
                        "%12:f32 = select %11, %10, %4\n"),
            "s_xor_b32 s_cmp_lt_u32 s_cselect_b32");
}

TEST(SelectBools, DivergentComparisonsAreMasks) {
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, 5\n%11:i32 = select %10, %1, 7\n"),
            "v_cmp_lt_i32 v_cndmask_b32");
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, %2\n%11:bool = ult %2, 9\n%12:bool = and %10, %11\n"),
            "v_cmp_lt_i32 s_cmp_lt_u32 mask_of_scc mask_and");
}

// The mask, a scalar and a literal are too many for one instruction.
TEST(SelectBools, SelectsReadTwoScalars) {
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, 5\n%11:i32 = select %10, %2, 1000\n"),
            "v_cmp_lt_i32 v_copy v_cndmask_b32");
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, 5\n%11:i32 = select %10, %2, 10\n"),
            "v_cmp_lt_i32 v_cndmask_b32");
}

// fne is true on NaN; the inverse of an ordered comparison is too.
TEST(SelectBools, UnorderedComparisons) {
  EXPECT_EQ(SelectedOps("%10:bool = fne %3, %4\n"), "v_cmp_neq_f32");
  EXPECT_EQ(SelectedOps("%10:bool = flt %3, %4\n%11:bool = not %10\n"), "v_cmp_nlt_f32");
  EXPECT_EQ(SelectedOps("%10:bool = flt %3, %4\n%11:bool = not %10\n%12:bool = or %10, %11\n"),
            "v_cmp_lt_f32 mask_not mask_or");
}

TEST(SelectBools, BooleansAreComparedAndSelected) {
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, %2\n%11:bool = feq %3, %4\n%12:bool = ieq %10, %11\n"),
            "v_cmp_lt_i32 v_cmp_eq_f32 mask_xor mask_not");
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, %2\n%11:bool = feq %3, %4\n"
                        "%12:bool = select %10, %11, false\n"),
            "v_cmp_lt_i32 v_cmp_eq_f32 mask_and");
}

// A side that is the same in all lanes is no mask.
TEST(SelectBools, SelectsOfAConstantAreOneOperation) {
  const auto select = [](const std::string& sides) {
    return SelectedOps("%10:bool = slt %1, %2\n%11:bool = feq %3, %4\n%12:bool = select %10, " +
                       sides + "\n");
  };
  const std::string compares = "v_cmp_lt_i32 v_cmp_eq_f32 ";
  EXPECT_EQ(select("false, %11"), compares + "mask_and_not");
  EXPECT_EQ(select("true, %11"), compares + "mask_or");
  EXPECT_EQ(select("%11, false"), compares + "mask_and");
  EXPECT_EQ(select("%11, true"), compares + "mask_and_not mask_not");
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, %2\n%11:bool = feq %3, %4\n%12:bool = flt %3, %4\n"
                        "%13:bool = select %10, %11, %12\n"),
            compares + "v_cmp_lt_f32 mask_and mask_and_not mask_or");
}

}  // namespace
}  // namespace kiln::amd
