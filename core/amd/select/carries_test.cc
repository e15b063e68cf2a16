// Carries and borrows that meet their sums: in which order, with which readers, in which registers.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// A carry and its sum are one instruction whichever comes first; the sources of a sum may be
// exchanged, those of a difference not.
TEST(SelectCarries, FindTheirSum) {
  EXPECT_EQ(SelectedOps("%10:i32 = uadd_carry %1, 5\n%11:i32 = iadd 5, %1\n"
                        "%12:i32 = or %10, %11\n"),
            "v_add_co_u32 v_cndmask_b32 v_or_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = usub_borrow %1, %2\n%11:i32 = isub %2, %1\n"
                        "%12:i32 = imul %10, %11\n"),
            "v_sub_co_u32 v_cndmask_b32 v_sub_nc_u32 v_mul_lo_u32");
}

// A number too, where something else than an addition reads it.
TEST(SelectCarries, AreNumbersForOtherReaders) {
  EXPECT_EQ(SelectedOps("%10:i32 = uadd_carry %1, 5\n%11:i32 = iadd %1, %10\n"
                        "%12:i32 = or %10, %11\n"),
            "v_add_co_u32 v_cndmask_b32 v_add_co_ci_u32 v_or_b32");
}

// The condition of all lanes becomes a mask.
TEST(SelectCarries, OfScalarsJoinVectors) {
  EXPECT_EQ(SelectedOps("%10:i32 = uadd_carry %2, 5\n%11:i32 = iadd %1, %10\n"),
            "s_add_u32 mask_of_scc v_add_co_ci_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = usub_borrow %2, 5\n%11:i32 = isub %2, %10\n"),
            "s_sub_u32 s_subb_u32");
}

// The high half of a sum of 64 bits takes the carry of the low one, in scalar registers too, so
// that no other sum comes between the two and SCC need not be saved.
TEST(SelectCarries, JoinTheHighHalf) {
  EXPECT_EQ(SelectedOps("%10:i32 = iadd %2, 5\n%11:i32 = uadd_carry %2, 5\n"
                        "%12:i32 = imul %2, 3\n%13:i32 = iadd %12, %2\n"
                        "%14:i32 = iadd %13, %11\n%15:i32 = xor %14, %10\n"),
            "s_add_u32 s_mul_i32 s_addc_u32 s_xor_b32");
  // Two carries are added one after the other.
  EXPECT_EQ(SelectedOps("%10:i32 = uadd_carry %2, 5\n%11:i32 = uadd_carry %2, 7\n"
                        "%12:i32 = iadd %2, %10\n%13:i32 = iadd %12, %11\n"),
            "s_add_u32 s_add_u32 s_addc_u32 s_addc_u32");
}

// A borrow that is subtracted from is a number, as is one that is added.
TEST(SelectCarries, OnlyASubtrahendIsABorrow) {
  EXPECT_EQ(SelectedOps("%10:i32 = usub_borrow %1, 5\n%11:i32 = isub %10, %1\n"),
            "v_sub_co_u32 v_cndmask_b32 v_sub_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = usub_borrow %1, 5\n%11:i32 = iadd %1, %10\n"),
            "v_sub_co_u32 v_cndmask_b32 v_add_nc_u32");
}

}  // namespace
}  // namespace kiln::amd
