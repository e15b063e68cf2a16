// Tests smem.h.
#include "core/sim/rdna2/smem.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// The input's address is in its V#: s12, s13.
TEST(SmemTest, LoadsWithBothOffsets) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0xbe940388,              // s_mov_b32 s20, 8
              0x870dff0d, 0x0000ffff,  // s_and_b32 s13, s13, 0xffff
              0xf4040586, 0x281ffffc,  // s_load_dwordx2 s[22:23], s[12:13], s20 offset:-0x4
              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
              0x8f178817,              // s_lshl_b32 s23, s23, 8
              0x88161716,              // s_or_b32 s22, s22, s23
              0x7e020216,              // v_mov_b32_e32 v1, s22
          },
      .input = {10, 11, 12, 13}};
  EXPECT_EQ(Lanes(p)[0], 11u | 12u << 8);
}

TEST(SmemTest, BufferLoadBeyondRecordsGivesZero) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0xf4280406, 0xfa000008,  // s_buffer_load_dwordx4 s[16:19], s[12:15], 0x8
              0xf4200506, 0xfa000010,  // s_buffer_load_dword s20, s[12:15], 0x10
              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
              0x80101110,              // s_add_u32 s16, s16, s17
              0x80101210,              // s_add_u32 s16, s16, s18
              0x80101410,              // s_add_u32 s16, s16, s20
              0x7e020210,              // v_mov_b32_e32 v1, s16
          },
      .input = {10, 11, 12, 13}};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output[0], 25u);
  // Only the load that begins outside.
  ASSERT_EQ(result->stats.out_of_bounds.size(), 1u);
}

TEST(SmemTest, LoadMayEndPastTheMemoryInItsPage) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x870dff0d, 0x0000ffff,  // s_and_b32 s13, s13, 0xffff
                              0xf4080406, 0xfa000008,  // s_load_dwordx4 s[16:19], s[12:13], 0x8
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                              0x7e020212,              // v_mov_b32_e32 v1, s18
                          },
                      .input = {10, 11, 12, 13}};
  EXPECT_EQ(Lanes(p)[0] & 0xfff00000, 0x7fb00000u);
}

// Descriptors beyond the end of their table, in its page.
TEST(SmemTest, LoadMayNotBeginPastTheMemory) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x870dff0d, 0x0000ffff,  // s_and_b32 s13, s13, 0xffff
                              0xf4080406, 0xfa000040,  // s_load_dwordx4 s[16:19], s[12:13], 0x40
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          },
                      .input = {10, 11, 12, 13}};
  EXPECT_EQ(ErrorOf(p).code(), absl::StatusCode::kOutOfRange);
}

TEST(SmemTest, WildAddress) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0xbe940380,              // s_mov_b32 s20, 0
                          0xbe9503ff, 0x0000004d,  // s_mov_b32 s21, 0x4d
                          0xf400040a, 0xfa000000,  // s_load_dword s16, s[20:21], 0x0
                      }};
  EXPECT_EQ(ErrorOf(p).code(), absl::StatusCode::kOutOfRange);
}

TEST(SmemTest, ClocksRunForwards) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0xf4900500, 0x00000000,  // s_memtime s[20:21]
                          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          0xf4940580, 0x00000000,  // s_memrealtime s[22:23]
                          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          0x80961416,              // s_sub_u32 s22, s22, s20
                          0x82971517,              // s_subb_u32 s23, s23, s21
                          0x7e020216,              // v_mov_b32_e32 v1, s22
                      }};
  const uint32_t passed = Lanes(p)[0];
  EXPECT_GT(passed, 0u);
  EXPECT_LT(passed, 1000u);
}

}  // namespace
}  // namespace kiln::sim::rdna2
