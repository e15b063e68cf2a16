// Tests control_flow.h: branches, loops that lanes leave one by one, calls, bad targets.
#include "core/sim/rdna2/control_flow.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(ControlFlowTest, LanesLeaveALoopOneByOne) {
  // v1 = number of rounds: lane + 1.
  const TestProgram p{.lanes = 64, .body = {
      0x7e020280,  // v_mov_b32_e32 v1, 0
      0xbe94047e,  // s_mov_b64 s[20:21], exec
      0xd5250001, 0x00010301,  // v_add_nc_u32_e64 v1, v1, 1
      0x7d820300,  // v_cmp_lt_u32_e32 vcc, v0, v1
      0x8afe6a7e,  // s_andn2_b64 exec, exec, vcc
      0xbf89fffb,  // s_cbranch_execnz 65531
      0xbefe0414,  // s_mov_b64 exec, s[20:21]
  }};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 64; ++i) want.push_back(i + 1);
  EXPECT_EQ(Lanes(p), want);
}

TEST(ControlFlowTest, BranchesOnScc) {
  EXPECT_EQ(Lanes({.lanes = 32, .body = {
      0x7e020281,  // v_mov_b32_e32 v1, 1
      0xbf068302,  // s_cmp_eq_u32 s2, 3
      0xbf850001,  // s_cbranch_scc1 1
      0x7e020282,  // v_mov_b32_e32 v1, 2
  }, .push = {3, 0}})[0], 1u);
  EXPECT_EQ(Lanes({.lanes = 32, .body = {
      0x7e020281,  // v_mov_b32_e32 v1, 1
      0xbf068302,  // s_cmp_eq_u32 s2, 3
      0xbf850001,  // s_cbranch_scc1 1
      0x7e020282,  // v_mov_b32_e32 v1, 2
  }, .push = {4, 0}})[0], 2u);
}

TEST(ControlFlowTest, VcczOfWave32LooksAtOneRegister) {
  EXPECT_EQ(Lanes({.lanes = 32, .body = {
      0x7e020281,  // v_mov_b32_e32 v1, 1
      0xbeea0380,  // s_mov_b32 vcc_lo, 0
      0xbeeb0381,  // s_mov_b32 vcc_hi, 1
      0xbf860001,  // s_cbranch_vccz 1
      0x7e020282,  // v_mov_b32_e32 v1, 2
  }})[0], 1u);
}

TEST(ControlFlowTest, CallAndReturn) {
  // The subroutine lies behind a branch.
  EXPECT_EQ(Lanes({.lanes = 32, .body = {
      0x7e020281,  // v_mov_b32_e32 v1, 1
      0xbb140001,  // s_call_b64 s[20:21], 1
      0xbf820002,  // s_branch 2
      0x4a020287,  // v_add_nc_u32_e32 v1, 7, v1
      0xbe802014,  // s_setpc_b64 s[20:21]
  }})[0], 8u);
}

TEST(ControlFlowTest, GetpcReachesConstantData) {
  const absl::Status error = ErrorOf({.lanes = 32, .body = {
      0xbe941f00,  // s_getpc_b64 s[20:21]
      0x80148214,  // s_add_u32 s20, s20, 2
      0xbe802014,  // s_setpc_b64 s[20:21]
  }});
  EXPECT_EQ(error.code(), absl::StatusCode::kOutOfRange) << error;
  EXPECT_EQ(Lanes({.lanes = 32, .body = {
      0xbe941f00,  // s_getpc_b64 s[20:21]
      0xf400058a, 0xfa1ffffc,  // s_load_dword s22, s[20:21], -0x4
      0xbf8cc07f,  // s_waitcnt lgkmcnt(0)
      0x7e020216,  // v_mov_b32_e32 v1, s22
  }})[0], 0xbe941f00u);
}

TEST(ControlFlowTest, BranchOutOfTheProgram) {
  const absl::Status error = ErrorOf({.lanes = 32, .body = {
      0xbf8203e8,  // s_branch 1000
  }});
  EXPECT_EQ(error.code(), absl::StatusCode::kOutOfRange) << error;
}

TEST(ControlFlowTest, EndlessLoopIsAFinding) {
  TestProgram p{.lanes = 32, .body = {
      0xbf82ffff,  // s_branch 65535
  }};
  p.options.max_instructions = 100000;
  EXPECT_EQ(ErrorOf(p).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(ControlFlowTest, DebuggersBranchIsRefused) {
  EXPECT_EQ(ErrorOf({.lanes = 32, .body = {
      0xbf970000,  // s_cbranch_cdbgsys 0
  }}).code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace kiln::sim::rdna2
