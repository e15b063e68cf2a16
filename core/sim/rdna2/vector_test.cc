// Tests vector.h: exec, masks, DPP, lane operations, at both wave sizes.
#include "core/sim/rdna2/vector.h"

#include <functional>

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

std::vector<uint32_t> Expected(uint32_t lanes, const std::function<uint32_t(uint32_t)>& f) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < lanes; ++i) values.push_back(f(i));
  return values;
}

constexpr uint32_t kOld = 77;

TEST(VectorTest, LanesThatAreOffKeepTheirValue) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0xbefe03ff, 0x000000f0,  // s_mov_b32 exec_lo, 0xf0
                          0xd5250001, 0x00010b00,  // v_add_nc_u32_e64 v1, v0, 5
                      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t i) { return i >= 4 && i < 8 ? i + 5 : kOld; }));
}

TEST(VectorTest, CompareGivesZeroForLanesThatAreOff) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0xbeea03c1,              // s_mov_b32 vcc_lo, -1
                          0xbefe03ff, 0x000000ff,  // s_mov_b32 exec_lo, 0xff
                          0x7d880084,              // v_cmp_gt_u32_e32 vcc_lo, 4, v0
                          0xbefe03c1,              // s_mov_b32 exec_lo, -1
                          0x7e02026a,              // v_mov_b32_e32 v1, vcc_lo
                      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t) { return 0xfu; }));
}

TEST(VectorTest, CompareOfWave64WritesTwoRegisters) {
  const TestProgram p{.lanes = 64,
                      .body = {
                          0xd4c30010, 0x000200a8,  // v_cmp_le_u32_e64 s[16:17], 40, v0
                          0x7e020211,              // v_mov_b32_e32 v1, s17
                      }};
  EXPECT_EQ(Lanes(p), Expected(64, [](uint32_t) { return 0xffffff00u; }));
}

TEST(VectorTest, CmpxChangesExec) {
  const TestProgram p{.lanes = 64,
                      .body = {
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0x7da200bc,              // v_cmpx_lt_u32_e32 60, v0
                          0x7e020281,              // v_mov_b32_e32 v1, 1
                      }};
  EXPECT_EQ(Lanes(p), Expected(64, [](uint32_t i) { return i > 60 ? 1u : kOld; }));
}

TEST(VectorTest, CarryAndSelect) {
  const TestProgram p{
      .lanes = 32,
      .body = {
          0xd70f6a02, 0x000200c8,              // v_add_co_u32 v2, vcc_lo, -8, v0
          0xd5286a03, 0x01a90080,              // v_add_co_ci_u32_e64 v3, vcc_lo, 0, 0, vcc_lo
          0xd4c20010, 0x00020681,              // v_cmp_eq_u32_e64 s16, 1, v3
          0xd5010001, 0x0041ff02, 0x0000004d,  // v_cndmask_b32_e64 v1, v2, 0x4d, s16
      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t i) { return i >= 8 ? kOld : i - 8; }));
}

TEST(VectorTest, QuadPermutation) {
  const TestProgram p{
      .lanes = 32,
      .body = {
          0x7e0202fa,
          0xff004b00,  // v_mov_b32_dpp v1, v0 quad_perm:[3,2,0,1] row_mask:0xf bank_mask:0xf
      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t i) {
              constexpr uint32_t kFrom[] = {3, 2, 0, 1};
              return i / 4 * 4 + kFrom[i % 4];
            }));
}

TEST(VectorTest, ShiftKeepsOrZeroesWhatLeavesTheRow) {
  const TestProgram keep{
      .lanes = 32,
      .body = {
          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
          0x7e0202fa, 0xff011300,  // v_mov_b32_dpp v1, v0 row_shr:3 row_mask:0xf bank_mask:0xf
      }};
  EXPECT_EQ(Lanes(keep), Expected(32, [](uint32_t i) { return i % 16 < 3 ? kOld : i - 3; }));
  const TestProgram zero{
      .lanes = 32,
      .body = {
          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
          0x7e0202fa,
          0xff090100,  // v_mov_b32_dpp v1, v0 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
      }};
  EXPECT_EQ(Lanes(zero), Expected(32, [](uint32_t i) { return i % 16 == 15 ? 0 : i + 1; }));
}

TEST(VectorTest, RowAndBankMasks) {
  const TestProgram p{
      .lanes = 64,
      .body = {
          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
          0x7e0202fa, 0xa3014000,  // v_mov_b32_dpp v1, v0 row_mirror row_mask:0xa bank_mask:0x3
      }};
  EXPECT_EQ(Lanes(p), Expected(64, [](uint32_t i) {
              return i / 16 % 2 == 1 && i % 16 < 8 ? i / 16 * 16 + 15 - i % 16 : kOld;
            }));
}

TEST(VectorTest, DppFromLanesThatAreOff) {
  const TestProgram keep{
      .lanes = 32,
      .body = {
          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
          0xbefe03ff, 0x55555555,  // s_mov_b32 exec_lo, 0x55555555
          0x7e0202fa, 0xff016100,  // v_mov_b32_dpp v1, v0 row_xmask:1 row_mask:0xf bank_mask:0xf
      }};
  EXPECT_EQ(Lanes(keep), Expected(32, [](uint32_t) { return kOld; }));
  const TestProgram fetch{
      .lanes = 32,
      .body = {
          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
          0xbefe03ff, 0x55555555,  // s_mov_b32 exec_lo, 0x55555555
          0x7e0202fa,
          0xff056100,  // v_mov_b32_dpp v1, v0 row_xmask:1 row_mask:0xf bank_mask:0xf fi:1
      }};
  EXPECT_EQ(Lanes(fetch), Expected(32, [](uint32_t i) { return i % 2 == 0 ? i + 1 : kOld; }));
}

TEST(VectorTest, Dpp8AndItsInactiveLanes) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0xbefe03c2,              // s_mov_b32 exec_lo, -2
                          0x7e0202e9, 0x05397700,  // v_mov_b32_dpp v1, v0 dpp8:[7,6,5,4,3,2,1,0]
                      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t i) {
              return i == 0 ? kOld : i == 7 ? 0 : i / 8 * 8 + 7 - i % 8;
            }));
}

TEST(VectorTest, DppReadsAllLanesBeforeItWrites) {
  const TestProgram p{
      .lanes = 32,
      .body = {
          0x7e020300,  // v_mov_b32_e32 v1, v0
          0x4a0202fa,
          0xff012101,  // v_add_nc_u32_dpp v1, v1, v1 row_ror:1 row_mask:0xf bank_mask:0xf
      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t i) { return i + i / 16 * 16 + (i + 15) % 16; }));
}

TEST(VectorTest, ReadAndWriteLanes) {
  const TestProgram p{.lanes = 64,
                      .body = {
                          0xbe9403a3,              // s_mov_b32 s20, 35
                          0xd7600015, 0x00002900,  // v_readlane_b32 s21, v0, s20
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0xbefe0480,              // s_mov_b64 exec, 0
                          0xd7610001, 0x00015015,  // v_writelane_b32 v1, s21, 40
                          0x7e2c0500,              // v_readfirstlane_b32 s22, v0
                          0xbefe04ff, 0x00fffff0,  // s_mov_b64 exec, 0xfffff0
                          0x7e2e0500,              // v_readfirstlane_b32 s23, v0
                          0xd7610001, 0x00015216,  // v_writelane_b32 v1, s22, 41
                          0xd7610001, 0x00015417,  // v_writelane_b32 v1, s23, 42
                      }};
  EXPECT_EQ(Lanes(p), Expected(64, [](uint32_t i) {
              return i == 40 ? 35u : i == 41 ? 0u : i == 42 ? 4u : kOld;
            }));
}

TEST(VectorTest, Permlane) {
  const TestProgram p{.lanes = 64,
                      .body = {
                          0xbe9403ff, 0x01234567,  // s_mov_b32 s20, 0x1234567
                          0xbe9503ff, 0x89abcdef,  // s_mov_b32 s21, 0x89abcdef
                          0xd7770002, 0x00542900,  // v_permlane16_b32 v2, v0, s20, s21
                          0xd7780003, 0x00542900,  // v_permlanex16_b32 v3, v0, s20, s21
                          0xd76f0001, 0x04091103,  // v_lshl_or_b32 v1, v3, 8, v2
                      }};
  EXPECT_EQ(Lanes(p), Expected(64, [](uint32_t i) {
              const uint32_t place = i % 16;
              const uint32_t from = place < 8 ? 7 - place : 15 - (place - 8);
              const uint32_t row = i / 16;
              return (row * 16 + from) | ((row ^ 1) * 16 + from) << 8;
            }));
}

TEST(VectorTest, PermlaneOfLanesThatAreOff) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0x7e0402ff, 0x0000004d,  // v_mov_b32_e32 v2, 0x4d
                          0xbefe03ff, 0x0000fffe,  // s_mov_b32 exec_lo, 0xfffe
                          0xd7770001, 0x02010100,  // v_permlane16_b32 v1, v0, 0, 0
                          0xd7771002, 0x02010100,  // v_permlane16_b32 v2, v0, 0, 0 op_sel:[0,1]
                          0xbefe03c1,              // s_mov_b32 exec_lo, -1
                          0xd76f0001, 0x04051102,  // v_lshl_or_b32 v1, v2, 8, v1
                      }};
  EXPECT_EQ(Lanes(p),
            Expected(32, [](uint32_t i) { return i == 0 || i >= 16 ? kOld | kOld << 8 : kOld; }));
}

TEST(VectorTest, RelativeMoves) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e0802ac,              // v_mov_b32_e32 v4, 44
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0xbefc0382,              // s_mov_b32 m0, 2
                          0x7e0a8702,              // v_movrels_b32_e32 v5, v2
                          0x7e088505,              // v_movreld_b32_e32 v4, v5
                          0x4a020b06,              // v_add_nc_u32_e32 v1, v6, v5
                      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t) { return 88u; }));
}

TEST(VectorTest, RelativeMovePastTheLastRegister) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0xbefc039f,  // s_mov_b32 m0, 31
                          0x7e028702,  // v_movrels_b32_e32 v1, v2
                      }};
  EXPECT_EQ(ErrorOf(p).code(), absl::StatusCode::kOutOfRange);
}

TEST(VectorTest, Swap) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0x7e040300,              // v_mov_b32_e32 v2, v0
                          0xbefe03ff, 0x000000ff,  // s_mov_b32 exec_lo, 0xff
                          0x7e02cb02,              // v_swap_b32 v1, v2
                      }};
  EXPECT_EQ(Lanes(p), Expected(32, [](uint32_t i) { return i < 8 ? i : kOld; }));
}

TEST(VectorTest, CountsLanesBelow) {
  const TestProgram p{.lanes = 64,
                      .body = {
                          0xd7650001, 0x000100c1,  // v_mbcnt_lo_u32_b32 v1, -1, 0
                          0xd7660001, 0x000202c1,  // v_mbcnt_hi_u32_b32 v1, -1, v1
                      }};
  EXPECT_EQ(Lanes(p), Expected(64, [](uint32_t i) { return i; }));
}

}  // namespace
}  // namespace kiln::sim::rdna2
