// Tests access_log.h: what a barrier orders only after a wait.
#include "core/sim/rdna2/access_log.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// Two waves; returns the violation, empty if there is none.
std::string Violation(const Words& body, bool contract = true) {
  TestProgram p{.lanes = 32, .invocations = 64, .body = body, .lds_bytes = 512};
  p.input.resize(64);
  p.options.contract = contract;
  const absl::Status error = ErrorOf(p);
  if (error.ok()) return "";
  EXPECT_EQ(error.code(), absl::StatusCode::kFailedPrecondition) << error;
  return std::string(error.message());
}

TEST(AccessLogTest, LdsThatAnotherWaveReads) {
  const Words missing = {
      0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
      0xbf8a0000,              // s_barrier
      0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
      0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
  };
  EXPECT_NE(Violation(missing).find("wait for lgkmcnt of \"offset"), std::string::npos)
      << Violation(missing);
  EXPECT_EQ(Violation(missing, false), "");
  EXPECT_EQ(Violation({
                0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                0xbf8a0000,              // s_barrier
                0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
                0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
            }),
            "");
}

TEST(AccessLogTest, WaitsAfterTheBarrierAreTooLate) {
  EXPECT_NE(Violation({
                0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
                0xbf8a0000,              // s_barrier
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
                0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
            }),
            "");
}

TEST(AccessLogTest, TheWavesOwnAccessesAreInOrder) {
  EXPECT_EQ(Violation({
                0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
                0xbf8a0000,              // s_barrier
                0xd8d80000, 0x0100001f,  // ds_read_b32 v1, v31
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
            }),
            "");
}

TEST(AccessLogTest, ReadsBeforeAWrite) {
  const std::string v = Violation({
      0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
      0xd8d80000, 0x0300001f,  // ds_read_b32 v3, v31
      0xbf8a0000,              // s_barrier
      0xd8340000, 0x00000002,  // ds_write_b32 v2, v0
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
  });
  EXPECT_NE(v.find("may read later"), std::string::npos) << v;
}

TEST(AccessLogTest, AtomicsAmongThemselvesAreInNoOrder) {
  EXPECT_EQ(Violation({
                0x7e040280,              // v_mov_b32_e32 v2, 0
                0xd8000000, 0x00000002,  // ds_add_u32 v2, v0
                0xbf8a0000,              // s_barrier
                0xd8000000, 0x00000002,  // ds_add_u32 v2, v0
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
            }),
            "");
}

TEST(AccessLogTest, StoresToMemoryInWgpMode) {
  const Words missing = {
      0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
      0xe0701000, 0x8003001f,  // buffer_store_dword v0, v31, s[12:15], 0 offen
      0xbf8a0000,              // s_barrier
      0xe0301000, 0x80030102,  // buffer_load_dword v1, v2, s[12:15], 0 offen
      0xbf8c3f70,              // s_waitcnt vmcnt(0)
  };
  // RecordOf has CU mode: one cache in order.
  EXPECT_EQ(Violation(missing), "");
  for (bool waits : {false, true}) {
    TestProgram p{.lanes = 32, .invocations = 64, .body = missing};
    if (waits) {
      p.body = {
          0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
          0xe0701000, 0x8003001f,  // buffer_store_dword v0, v31, s[12:15], 0 offen
          0xbbfd0000,              // s_waitcnt_vscnt null, 0x0
          0xbf8a0000,              // s_barrier
          0xe0301000, 0x80030102,  // buffer_load_dword v1, v2, s[12:15], 0 offen
          0xbf8c3f70,              // s_waitcnt vmcnt(0)
      };
    }
    p.input.resize(64);
    out::LaunchRecord record = RecordOf(p);
    std::get<out::AmdLaunch>(record.arch).rsrc1 |= 1u << 29;
    scene::Dispatch dispatch = DispatchOf(p);
    const absl::Status status = rdna2::Run(CodeOf(p), record, {}, dispatch).status();
    EXPECT_EQ(status.ok(), waits) << status;
  }
}

TEST(AccessLogTest, TheEndWaitsForEverything) {
  // Wave 0 stores and ends.
  EXPECT_EQ(Violation({
                0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
                0x9394ff05, 0x00050014,  // s_bfe_u32 s20, s5, 0x50014
                0xbf068014,              // s_cmp_eq_u32 s20, 0
                0xbf840001,              // s_cbranch_scc0 1
                0xbf810000,              // s_endpgm
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                0xbf8a0000,              // s_barrier
                0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
                0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
                0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
            }),
            "");
}

TEST(AccessLogTest, CountsOfLdsIncludeStores) {
  // Two are in flight, the load was first.
  EXPECT_EQ(Violation({
                0xd8d80000, 0x0200001f,  // ds_read_b32 v2, v31
                0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
                0xbf8cc17f,              // s_waitcnt lgkmcnt(1)
                0x7e020302,              // v_mov_b32_e32 v1, v2
            }),
            "");
}

TEST(AccessLogTest, AllWritersOfADwordAreRemembered) {
  // Waves 0 and 1 store to one place, of which only wave 1 waits; wave 2 loads behind the barrier.
  TestProgram p{.lanes = 32, .invocations = 96, .lds_bytes = 512};
  p.input.resize(96);
  p.body = {
      0x7e040280,              // v_mov_b32_e32 v2, 0
      0x9394ff05, 0x00050014,  // s_bfe_u32 s20, s5, 0x50014
      0xbf068214,              // s_cmp_eq_u32 s20, 2
      0xbf850005,              // s_cbranch_scc1 5
      0xd8340000, 0x00000002,  // ds_write_b32 v2, v0
      0xbf068014,              // s_cmp_eq_u32 s20, 0
      0xbf850001,              // s_cbranch_scc1 1
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
      0xbf8a0000,              // s_barrier
      0xbf078214,              // s_cmp_lg_u32 s20, 2
      0xbf850003,              // s_cbranch_scc1 3
      0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
  };
  const absl::Status error = ErrorOf(p);
  EXPECT_NE(error.message().find("which wave 0 may write later"), std::string::npos) << error;
  p.body[9] = 0xbf8cc07f;  // all wait: s_waitcnt lgkmcnt(0)
  p.body[8] = 0xbf800000;  // s_nop 0
  EXPECT_TRUE(ErrorOf(p).ok()) << ErrorOf(p);
}

TEST(AccessLogTest, ALaterLoadDoesNotHideAnEarlierOne) {
  // Wave 0 loads before the barrier without a wait, and again behind it, where wave 1 stores.
  TestProgram p{.lanes = 32, .invocations = 64, .lds_bytes = 512};
  p.input.resize(64);
  p.body = {
      0x7e040280,              // v_mov_b32_e32 v2, 0
      0x9394ff05, 0x00050014,  // s_bfe_u32 s20, s5, 0x50014
      0xbf078014,              // s_cmp_lg_u32 s20, 0
      0xbf850002,              // s_cbranch_scc1 2
      0xd8d80000, 0x03000002,  // ds_read_b32 v3, v2
      0xbf8a0000,              // s_barrier
      0xbf850003,              // s_cbranch_scc1 3
      0xd8d80000, 0x03000002,  // ds_read_b32 v3, v2
      0xbf820002,              // s_branch 2
      0xd8340000, 0x00000002,  // ds_write_b32 v2, v0
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
  };
  const absl::Status error = ErrorOf(p);
  EXPECT_NE(error.message().find("which wave 0 may read later"), std::string::npos) << error;
}

}  // namespace
}  // namespace kiln::sim::rdna2
