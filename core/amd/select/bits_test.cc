// Counts, searches and fields of bits: of short numbers, of scalars, with counts that are not
// constant.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// The bits of a short number are at the top of the reversed dword.
TEST(SelectBits, ShortNumbersAreReversedAndMovedDown) {
  EXPECT_EQ(SelectedOps("%10:i32 = bit_reverse %1\n"), "v_bfrev_b32");
  EXPECT_EQ(SelectedOps("%10:i16 = trunc %1\n%11:i16 = bit_reverse %10\n"),
            "v_bfrev_b32 v_lshrrev_b32");
}

// Bits above a short number in its dword must not count.
TEST(SelectBits, ShortNumbersAreWidenedToBeCounted) {
  EXPECT_EQ(SelectedOps("%10:i32 = bit_count %1\n%11:i32 = bit_count %2\n"),
            "v_bcnt_u32_b32 s_bcnt1_i32_b32");
  EXPECT_EQ(SelectedOps("%9:i32 = not %1\n%10:i16 = trunc %9\n%11:i32 = bit_count %10\n"),
            "v_not_b32 v_and_b32 v_bcnt_u32_b32");
  EXPECT_EQ(SelectedOps("%9:i32 = not %2\n%10:i16 = trunc %9\n%11:i32 = find_lsb %10\n"),
            "s_not_b32 s_and_b32 s_ff1_i32_b32");
  // Unless nothing is: a lane's number is small.
  EXPECT_EQ(SelectedOps("%10:i16 = trunc %1\n%11:i32 = bit_count %10\n"), "v_bcnt_u32_b32");
}

// A field without bits is 0, one of all bits a shift.
TEST(SelectBits, CountsAtTheEnds) {
  EXPECT_EQ(SelectedOps("%10:i32 = ubitfield_extract %1, 3, 0\n%11:i32 = iadd %10, %1\n"),
            "v_add_nc_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = sbitfield_extract %1, 3, 32\n"), "v_ashrrev_i32");
}

// s_bfe has offset and count in one source.
TEST(SelectBits, ScalarFieldsPackOffsetAndCount) {
  EXPECT_EQ(SelectedOps("%10:i32 = and %2, 7\n%11:i32 = ubitfield_extract %2, %10, %10\n"
                        "%12:i32 = iadd %11, %2\n"),
            "s_and_b32 s_pack_ll_b32_b16 s_bfe_u32 s_add_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = ubitfield_extract %2, 3, %2\n%11:i32 = iadd %10, %2\n"),
            "s_pack_ll_b32_b16 s_bfe_u32 s_lshr_b32 s_cmp_lt_u32 s_cselect_b32 s_add_u32");
}

TEST(SelectBits, InsertsOfScalars) {
  EXPECT_EQ(SelectedOps("%10:i32 = bitfield_insert %2, %2, 3, 5\n"),
            "s_lshl_b32 s_andn2_b32 s_and_b32 s_or_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = bitfield_insert %1, %1, 0, 5\n"), "v_bfi_b32");
}

// v_bfm makes no mask of 32 ones.
TEST(SelectBits, InsertsWhoseCountMayBeAllBits) {
  EXPECT_EQ(SelectedOps("%10:i32 = and %1, 7\n%11:i32 = bitfield_insert %1, %2, 0, %10\n"),
            "v_and_b32 v_bfm_b32 v_bfi_b32");
  EXPECT_EQ(SelectedOps("%11:i32 = bitfield_insert %1, %2, 0, %1\n"),
            "v_bfm_b32 v_cmp_gt_u32 v_cndmask_b32 v_bfi_b32");
}

}  // namespace
}  // namespace kiln::amd
