// Tests flat.h.
#include "core/sim/rdna2/flat.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(FlatTest, GlobalWithBothAddressForms) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0x870dff0d, 0x0000ffff,  // s_and_b32 s13, s13, 0xffff
              0x36083e8c,              // v_and_b32_e32 v4, 12, v31
              0xdc308004, 0x020c0004,  // global_load_dword v2, v4, s[12:13] offset:4
              0xd70f6a05, 0x0002080c,  // v_add_co_u32 v5, vcc_lo, s12, v4
              0xd5286a06, 0x01a9000d,  // v_add_co_ci_u32_e64 v6, vcc_lo, s13, 0, vcc_lo
              0xdc208000, 0x037d0005,  // global_load_ubyte v3, v[5:6], off
              0xbf8c3f70,              // s_waitcnt vmcnt(0)
              0xd76f0001, 0x04092103,  // v_lshl_or_b32 v1, v3, 16, v2
          },
      .input = {10, 11, 12, 13, 14}};
  const std::vector<uint32_t> lanes = Lanes(p);
  EXPECT_EQ(lanes[0], 11u | 10u << 16);
  EXPECT_EQ(lanes[3], 14u | 13u << 16);
}

TEST(FlatTest, AtomicReturnsUnderGlc) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0x870dff0d, 0x0000ffff,  // s_and_b32 s13, s13, 0xffff
              0x7e080280,              // v_mov_b32_e32 v4, 0
              0x7e0a0281,              // v_mov_b32_e32 v5, 1
              0xdcc98000, 0x010c0504,  // global_atomic_add v1, v4, v5, s[12:13] glc
              0xbf8c3f70,              // s_waitcnt vmcnt(0)
              0xdcc88004, 0x000c0504,  // global_atomic_add v4, v5, s[12:13] offset:4
          },
      .input = {100, 200}};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output[0], 100u);
  EXPECT_EQ(result->output[31], 131u);
  EXPECT_EQ(result->input, (std::vector<uint32_t>{132, 232}));
}

TEST(FlatTest, WildAddressNamesTheLane) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e080280,              // v_mov_b32_e32 v4, 0
                          0x7e0a0280,              // v_mov_b32_e32 v5, 0
                          0xbefe03ff, 0x00000100,  // s_mov_b32 exec_lo, 0x100
                          0xdc308000, 0x017d0004,  // global_load_dword v1, v[4:5], off
                      }};
  const absl::Status error = ErrorOf(p);
  EXPECT_EQ(error.code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(error.message().find("lane 8"), std::string::npos) << error;
}

// Sets FLAT_SCRATCH to the wave's scratch, which is the first memory with a short address.
const Words kScratch = {
    0xbe9403ff, 0x10000000,  // s_mov_b32 s20, 0x10000000
    0x80140614,              // s_add_u32 s20, s20, s6
    0xbe9503ff, 0xffff8000,  // s_mov_b32 s21, 0xffff8000
    0xb994f814,              // s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s20
    0xb995f815,              // s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s21
};

Words WithScratch(const Words& rest) {
  Words words = kScratch;
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

TEST(FlatTest, ScratchIsOfTheLane) {
  const TestProgram p{
      .lanes = 32,
      .invocations = 64,
      .body = WithScratch({
          0xd5250003, 0x00010700,  // v_add_nc_u32_e64 v3, v0, 3
          0xdc744004, 0x007f0300,  // scratch_store_dwordx2 off, v[3:4], off offset:4
          0x7e0a0288,              // v_mov_b32_e32 v5, 8
          0xdc604ffe, 0x007d0005,  // scratch_store_byte v5, v0, off offset:-2
          0xbbfd0000,              // s_waitcnt_vscnt null, 0x0
          0xbe960382,              // s_mov_b32 s22, 2
          0xdc304002, 0x01160000,  // scratch_load_dword v1, off, s22 offset:2
          0xbf8c3f70,              // s_waitcnt vmcnt(0)
      }),
      .scratch_per_lane = 16};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 64; ++i) want.push_back(((i + 3) & ~0xff0000u) | (i & 0xff) << 16);
  EXPECT_EQ(Lanes(p), want);
}

TEST(FlatTest, ScalarScratchAddressesIgnoreTheFieldOfTheVgpr) {
  const TestProgram p{
      .lanes = 32,
      .body = WithScratch({
          0xb0160008,              // s_movk_i32 s22, 0x8
          0xdc704ffc, 0x00160080,  // scratch_store_dword off, v0, s22 offset:-4, with v128
          0xbbfd0000,              // s_waitcnt_vscnt null, 0x0
          0xdc304004, 0x017f0000,  // scratch_load_dword v1, off, off offset:4
      }),
      .scratch_per_lane = 16};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i) want.push_back(i);
  EXPECT_EQ(Lanes(p), want);
}

TEST(FlatTest, BeyondTheLanesScratch) {
  const absl::Status error =
      ErrorOf({.lanes = 32,
               .body = WithScratch({
                   0xdc304010, 0x017f0000,  // scratch_load_dword v1, off, off offset:16
               }),
               .scratch_per_lane = 16});
  EXPECT_EQ(error.code(), absl::StatusCode::kOutOfRange) << error;
}

TEST(FlatTest, FlatScratchMustBeSet) {
  const absl::Status error =
      ErrorOf({.lanes = 32,
               .body =
                   {
                       0xdc304000, 0x017f0000,  // scratch_load_dword v1, off, off
                   },
               .scratch_per_lane = 16});
  EXPECT_NE(error.message().find("FLAT_SCRATCH"), std::string::npos) << error;
}

TEST(FlatTest, ScratchAddressesDoNotWrap) {
  const absl::Status error = ErrorOf({.lanes = 32,
                                      .body = WithScratch({
                                          0x7e0a02c4,  // v_mov_b32_e32 v5, -4
                                          0xdc304008,
                                          0x017d0005,  // scratch_load_dword v1, v5, off offset:8
                                      }),
                                      .scratch_per_lane = 16});
  EXPECT_EQ(error.code(), absl::StatusCode::kOutOfRange) << error;
  EXPECT_NE(error.message().find("4294967300"), std::string::npos) << error;
  const absl::Status below =
      ErrorOf({.lanes = 32,
               .body = WithScratch({
                   0x7e0a0280,              // v_mov_b32_e32 v5, 0
                   0xdc304ffc, 0x017d0005,  // scratch_load_dword v1, v5, off offset:-4
               }),
               .scratch_per_lane = 16});
  EXPECT_EQ(below.code(), absl::StatusCode::kOutOfRange) << below;
  EXPECT_NE(below.message().find("byte -4"), std::string::npos) << below;
}

}  // namespace
}  // namespace kiln::sim::rdna2
