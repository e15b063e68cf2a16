// Tests scoreboard.h: each wait, and that waits which are not needed are not asked for.
#include "core/sim/rdna2/scoreboard.h"

#include "core/sim/rdna2/draw_testing.h"
#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// Returns the violation, empty if there is none.
std::string Violation(TestProgram p) {
  p.input = {1, 2, 3, 4};
  p.lds_bytes = 512;
  const absl::Status error = ErrorOf(p);
  if (error.ok()) return "";
  EXPECT_EQ(error.code(), absl::StatusCode::kFailedPrecondition) << error;
  return std::string(error.message());
}

#define EXPECT_VIOLATION(program, text)              \
  do {                                               \
    const std::string v = Violation(program);        \
    EXPECT_NE(v.find(text), std::string::npos) << v; \
  } while (false)

TEST(ScoreboardTest, VectorLoadThenRead) {
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xe0300000, 0x80030100,  // buffer_load_dword v1, off, s[12:15], 0
                           0x4a020281,              // v_add_nc_u32_e32 v1, 1, v1
                       }}),
      "reads v1 without a wait for vmcnt");
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0xe0300000, 0x80030100,  // buffer_load_dword v1, off, s[12:15], 0
                               0xbf8c3f70,              // s_waitcnt vmcnt(0)
                               0x4a020281,              // v_add_nc_u32_e32 v1, 1, v1
                           }}),
            "");
}

TEST(ScoreboardTest, CountsAllButTheLastLoads) {
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                               0xe0300000, 0x80030300,  // buffer_load_dword v3, off, s[12:15], 0
                               0xbf8c3f71,              // s_waitcnt vmcnt(1)
                               0x7e020302,              // v_mov_b32_e32 v1, v2
                           }}),
            "");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                           0xe0300000, 0x80030300,  // buffer_load_dword v3, off, s[12:15], 0
                           0xbf8c3f71,              // s_waitcnt vmcnt(1)
                           0x7e020303,              // v_mov_b32_e32 v1, v3
                       }}),
      "reads v3");
}

TEST(ScoreboardTest, OverwritingALoad) {
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                           0x7e040285,              // v_mov_b32_e32 v2, 5
                       }}),
      "overwrites v2");
  // Loads of one type write in order, LDS is another.
  EXPECT_EQ(
      Violation({.lanes = 32,
                 .body =
                     {
                         0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                         0xe0300004, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0 offset:4
                     }}),
      "");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                           0xd8d80000, 0x0200001f,  // ds_read_b32 v2, v31
                       }}),
      "overwrites v2");
}

TEST(ScoreboardTest, OtherLanesMayUseTheRegister) {
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0xbefe03ff, 0x000000ff,  // s_mov_b32 exec_lo, 0xff
                               0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                               0xbefe03ff, 0x0000ff00,  // s_mov_b32 exec_lo, 0xff00
                               0x7e040285,              // v_mov_b32_e32 v2, 5
                           }}),
            "");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xbefe03ff, 0x000000ff,  // s_mov_b32 exec_lo, 0xff
                           0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                           0xbefe03ff, 0x0000ff00,  // s_mov_b32 exec_lo, 0xff00
                           0x7e0602fa,
                           0xff011802,  // v_mov_b32_dpp v3, v2 row_shr:8 row_mask:0xf bank_mask:0xf
                       }}),
      "reads v2");
}

TEST(ScoreboardTest, ScalarLoadsEndOutOfOrder) {
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xf4200506, 0xfa000000,  // s_buffer_load_dword s20, s[12:15], 0x0
                           0xbe950314,              // s_mov_b32 s21, s20
                       }}),
      "reads s20 without a wait for lgkmcnt");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xf4200506, 0xfa000000,  // s_buffer_load_dword s20, s[12:15], 0x0
                           0xf4200586, 0xfa000004,  // s_buffer_load_dword s22, s[12:15], 0x4
                           0xbf8cc17f,              // s_waitcnt lgkmcnt(1)
                           0xbe950314,              // s_mov_b32 s21, s20
                       }}),
      "reads s20");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xf4200506, 0xfa000000,  // s_buffer_load_dword s20, s[12:15], 0x0
                           0xbe940385,              // s_mov_b32 s20, 5
                       }}),
      "overwrites s20");
}

TEST(ScoreboardTest, LdsEndsInOrderUnlikeScalarLoads) {
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0xd8d80000, 0x0200001f,  // ds_read_b32 v2, v31
                               0xd8d80000, 0x0300001f,  // ds_read_b32 v3, v31
                               0xbf8cc17f,              // s_waitcnt lgkmcnt(1)
                               0x7e020302,              // v_mov_b32_e32 v1, v2
                           }}),
            "");
  // One of the three has not ended: it may be the first DS instruction only if it is the last.
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0xd8d80000, 0x0200001f,  // ds_read_b32 v2, v31
                               0xf4200506, 0xfa000000,  // s_buffer_load_dword s20, s[12:15], 0x0
                               0xd8d80000, 0x0300001f,  // ds_read_b32 v3, v31
                               0xbf8cc17f,              // s_waitcnt lgkmcnt(1)
                               0x7e020302,              // v_mov_b32_e32 v1, v2
                           }}),
            "");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xd8d80000, 0x0200001f,  // ds_read_b32 v2, v31
                           0xf4200506, 0xfa000000,  // s_buffer_load_dword s20, s[12:15], 0x0
                           0xbf8cc17f,              // s_waitcnt lgkmcnt(1)
                           0x7e020302,              // v_mov_b32_e32 v1, v2
                       }}),
      "reads v2");
}

TEST(ScoreboardTest, StoresReadTheirSourcesAtIssue) {
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0x7e040285,              // v_mov_b32_e32 v2, 5
                               0xe0700000, 0x80030200,  // buffer_store_dword v2, off, s[12:15], 0
                               0x7e040286,              // v_mov_b32_e32 v2, 6
                               0xbe8c0380,              // s_mov_b32 s12, 0
                           }}),
            "");
  EXPECT_VIOLATION(
      (TestProgram{
          .lanes = 32,
          .body =
              {
                  0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                  0xe0700004, 0x80030200,  // buffer_store_dword v2, off, s[12:15], 0 offset:4
              }}),
      "reads v2");
}

TEST(ScoreboardTest, ReturningAtomicsAreLoads) {
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0x7e040285,              // v_mov_b32_e32 v2, 5
                           0xe0c84000, 0x80030200,  // buffer_atomic_add v2, off, s[12:15], 0 glc
                           0x7e020302,              // v_mov_b32_e32 v1, v2
                       }}),
      "reads v2");
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0x7e040285,              // v_mov_b32_e32 v2, 5
                               0xe0c80000, 0x80030200,  // buffer_atomic_add v2, off, s[12:15], 0
                               0x7e020302,              // v_mov_b32_e32 v1, v2
                           }}),
            "");
}

TEST(ScoreboardTest, SeparateCountersOfSopk) {
  EXPECT_EQ(Violation({.lanes = 32,
                       .body =
                           {
                               0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
                               0xbc7d0000,              // s_waitcnt_vmcnt null, 0x0
                               0x7e020302,              // v_mov_b32_e32 v1, v2
                           }}),
            "");
}

TEST(ScoreboardTest, MaskInFlight) {
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0xf4201a86, 0xfa000000,  // s_buffer_load_dword vcc_lo, s[12:15], 0x0
                           0x02020081,              // v_cndmask_b32_e32 v1, 1, v0, vcc_lo
                       }}),
      "without a wait for lgkmcnt");
}

TEST(ScoreboardTest, NeighboursThatOnlyOurCodeMustAvoid) {
  const TestProgram permlane{.lanes = 32,
                             .body = {
                                 0x7da20083,              // v_cmpx_lt_u32_e32 3, v0
                                 0xd7770001, 0x02010100,  // v_permlane16_b32 v1, v0, 0, 0
                             }};
  EXPECT_VIOLATION(permlane, "directly behind v_cmpx");
  TestProgram sourced = permlane;
  sourced.options.unsourced = false;
  EXPECT_EQ(Violation(sourced), "");
  EXPECT_VIOLATION(
      (TestProgram{.lanes = 32,
                   .body =
                       {
                           0x7e0402f2,              // v_mov_b32_e32 v2, 1.0
                           0xe0fc0000, 0x80030200,  // buffer_atomic_fmin v2, off, s[12:15], 0
                           0xbfa5000f,              // s_denorm_mode 15
                       }}),
      "s_denorm_mode");
}

TEST(ScoreboardTest, NothingIsNoticedWithoutContractMode) {
  TestProgram p{.lanes = 32,
                .body = {
                    0xe0300000, 0x80030100,  // buffer_load_dword v1, off, s[12:15], 0
                    0x4a020281,              // v_add_nc_u32_e32 v1, 1, v1
                }};
  p.options.contract = false;
  EXPECT_EQ(Violation(p), "");
}

// A count of exports says something only within one class.
TEST(ScoreboardTest, ExportsOfTwoClassesEndInAnyOrder) {
  const auto violation = [](const Words& exports) {
    VertexProgram p = VertexProgramOf(
        Joined({kRequest, kShadeVertices, exports, {0xbf8cff1f}, {0x7e0c0280}, kEndProgram}));
    auto& vertex = std::get<out::AmdLaunch>(p.record.arch).vertex;
    vertex.spi_shader_pos_format = 0x44;
    return std::string(RunVertices(p).status().message());
  };
  const Words pos0 = {0xf80000cf, 0x06060606};    // exp pos0 v6, v6, v6, v6
  const Words pos1 = {0xf80008df, 0x07070707};    // exp pos1 v7, v7, v7, v7 done
  const Words param0 = {0xf8000201, 0x00000007};  // exp param0 v7
  // expcnt(1) covers the first position if a position follows, not if a parameter does.
  EXPECT_EQ(violation(Joined({pos0, pos1})).find("contract"), std::string::npos);
  const std::string mixed = violation(Joined({pos0, param0}));
  EXPECT_NE(mixed.find("overwrites a source, unread yet, v6"), std::string::npos) << mixed;
}

}  // namespace
}  // namespace kiln::sim::rdna2
