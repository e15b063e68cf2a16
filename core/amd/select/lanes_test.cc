// Tests the operations that selection makes of operations between lanes.
#include "core/amd/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

TEST(SelectLanes, VotesAndBallots) {
  const char* const test = "%10:bool = slt %1, %2\n";
  EXPECT_EQ(SelectedOps(std::string(test) + "%11:bool = subgroup_any %10\n"),
            "v_cmp_lt_i32 mask_any");
  EXPECT_EQ(SelectedOps(std::string(test) + "%11:i32, %12:i32, %13:i32, %14:i32 = ballot %10\n"),
            "v_cmp_lt_i32 mask_bits");
  EXPECT_EQ(SelectedOps("%11:bool = subgroup_elect\n", 64),
            "exec_bits s_ff1_i32_b64 s_lshl_b64 mask_of_bits");
  EXPECT_EQ(SelectedOps(std::string(test) + "%11:bool = read_lane %10, %2\n"),
            "v_cmp_lt_i32 mask_bits s_bitcmp1_b32");
}

TEST(SelectLanes, ReadsOfOneLane) {
  EXPECT_EQ(SelectedOps("%10:i32 = read_first %1\n%11:i32 = iadd %10, 1\n"),
            "v_readfirstlane_b32 s_add_u32");
  EXPECT_EQ(SelectedOps("%10:i32 = read_lane %1, 5\n"), "v_readlane_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = read_first %2\n%11:i32 = iadd %10, 1\n"), "s_add_u32");
}

// ds_bpermute and v_permlanex16 reach 32 lanes.
TEST(SelectLanes, Shuffles) {
  const char* const any = "%10:i32 = xor %1, %2\n%11:i32 = shuffle %1, %10\n";
  EXPECT_EQ(SelectedOps(any), "v_xor_b32 v_lshlrev_b32 ds_bpermute_b32");
  EXPECT_EQ(SelectedOps(any, 64), "v_xor_b32 lane_shuffle");
  EXPECT_EQ(SelectedOps("%10:i32 = xor %1, 8\n%11:i32 = shuffle %1, %10\n", 64),
            "v_xor_b32 v_mov_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = xor %1, 16\n%11:i32 = shuffle %1, %10\n", 64),
            "v_xor_b32 s_copy s_copy v_permlanex16_b32");
  EXPECT_EQ(SelectedOps("%10:i32 = quad_swap[1] %1\n%11:i32 = quad_broadcast[2] %1\n"),
            "v_mov_b32 v_mov_b32");
}

TEST(SelectLanes, ReductionsAndScans) {
  EXPECT_EQ(SelectedOps("%10:i32 = reduce[iadd, 0] %1\n%11:i32 = iadd %10, 1\n"),
            "lane_scan s_add_u32");
  EXPECT_EQ(SelectedOps("%10:f32 = inclusive_scan[fmax] %3\n"), "lane_scan");
  EXPECT_EQ(SelectedOps("%10:bool = slt %1, %2\n%11:bool = reduce[xor, 0] %10\n", 64),
            "v_cmp_lt_i32 mask_bits s_bcnt1_i32_b64 s_bitcmp1_b32");
}

TEST(SelectLanes, Derivatives) {
  EXPECT_EQ(SelectedOps("%10:f32 = ddx[fine] %3\n"), "v_mov_b32 v_sub_f32");
}

}  // namespace
}  // namespace kiln::amd
