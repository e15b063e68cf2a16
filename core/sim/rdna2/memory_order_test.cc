// Tests memory_order.h: results arrive late, and by one seed at one time; what litmus_test.cc does
// not show: stores of whole lines, halves of loads from LDS, scalar loads, scratch.
#include "core/sim/rdna2/memory_order.h"

#include <algorithm>
#include <set>

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint64_t kSeeds = 200;

// Returns the outputs of all seeds.
std::set<std::vector<uint32_t>> Outputs(TestProgram p) {
  std::set<std::vector<uint32_t>> outputs;
  p.options.contract = false;
  p.options.zero_memory = true;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    p.options.memory_seed = seed;
    outputs.insert(Lanes(p));
  }
  return outputs;
}

TEST(MemoryOrder, ALoadThatIsNotWaitedForMayNotHaveArrived) {
  const Words load = {
      0x7e020280,              // v_mov_b32_e32 v1, 0
      0xe0301000, 0x8003021f,  // buffer_load_dword v2, v31, s[12:15], 0 offen
  };
  const Words use = {0x7e020302};  // v_mov_b32_e32 v1, v2
  TestProgram p{.body = load, .input = std::vector<uint32_t>(32, 7)};
  p.body.insert(p.body.end(), use.begin(), use.end());
  EXPECT_GT(Outputs(p).size(), 2u);  // lanes arrive apart
  p.body = load;
  p.body.push_back(0xbf8c3f70);  // s_waitcnt vmcnt(0)
  p.body.insert(p.body.end(), use.begin(), use.end());
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{std::vector<uint32_t>(32, 7)}));
}

// vmcnt falls in order: a count of one says that the first load has arrived.
TEST(MemoryOrder, CountsOfVectorLoadsFallInOrder) {
  TestProgram p{.body =
                    {
                        0x7e020280,              // v_mov_b32_e32 v1, 0
                        0xe0301000, 0x8003011f,  // buffer_load_dword v1, v31, s[12:15], 0 offen
                        0xe0301080, 0x8003021f,  // buffer_load_dword v2, v31, ... offset:128
                        0xbf8c3f71,              // s_waitcnt vmcnt(1)
                        0x7e060301,              // v_mov_b32_e32 v3, v1
                        0xbf8c3f70,              // s_waitcnt vmcnt(0)
                        0x7e020303,              // v_mov_b32_e32 v1, v3
                    },
                .input = std::vector<uint32_t>(64, 7)};
  const std::vector<uint32_t> arrived(32, 7);
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{arrived}));
  p.body[5] = 0xbf8c3f72;  // s_waitcnt vmcnt(2)
  EXPECT_GT(Outputs(p).size(), 1u);
}

// Scalar loads come in any order: only a count of zero says anything.
TEST(MemoryOrder, CountsOfScalarLoadsSayNothingButZero) {
  TestProgram p{.body = {0xbe900380,              // s_mov_b32 s16, 0
                         0xf4200406, 0xfa000000,  // s_buffer_load_dword s16, s[12:15], 0x0
                         0xf4200446, 0xfa000004,  // s_buffer_load_dword s17, s[12:15], 0x4
                         0xbf8cc17f,              // s_waitcnt lgkmcnt(1)
                         0x7e020210,              // v_mov_b32_e32 v1, s16
                         0xbf8cc07f},             // s_waitcnt lgkmcnt(0)
                .input = std::vector<uint32_t>(32, 7)};
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{std::vector<uint32_t>(32, 7),
                                                         std::vector<uint32_t>(32, 0)}));
}

TEST(MemoryOrder, LoadsIntoHalvesKeepTheOtherHalf) {
  TestProgram p{.body = {0xe0301000, 0x8003011f,  // buffer_load_dword v1, v31, s[12:15], 0 offen
                         0xe0941080, 0x8003011f,  // buffer_load_short_d16_hi v1 ... offset:128
                         0xbf8c3f70},             // s_waitcnt vmcnt(0)
                .input = std::vector<uint32_t>(64, 0x10002)};
  // Loads of one type write registers in order.
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{std::vector<uint32_t>(32, 0x20002)}));
}

// Wave 1 writes one dword, of which each lane of wave 0 reads the same: lanes 0 to 31 and 32 to 63
// may see it at two times, lanes of one half never.
TEST(MemoryOrder, LoadsFromLdsAreTwoHalves) {
  const TestProgram p{.lanes = 64,
                      .invocations = 128,
                      .body =
                          {
                              0x90109405,              // s_lshr_b32 s16, s5, 20
                              0xbf068110,              // s_cmp_eq_u32 s16, 1
                              0x7e040280,              // v_mov_b32_e32 v2, 0
                              0x7e060281,              // v_mov_b32_e32 v3, 1
                              0x7e020280,              // v_mov_b32_e32 v1, 0
                              0xbf850003,              // s_cbranch_scc1 3
                              0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
                              0xbf820002,              // s_branch 2
                              0xd8340000, 0x00000302,  // ds_write_b32 v2, v3
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          },
                      .lds_bytes = 512};
  std::set<std::vector<uint32_t>> seen;
  for (const std::vector<uint32_t>& out : Outputs(p)) {
    for (size_t lane = 1; lane < 64; ++lane) {
      if (lane != 32) {
        EXPECT_EQ(out[lane], out[lane - 1]);
      }
    }
    seen.insert({out[0], out[32]});
  }
  EXPECT_EQ(seen, (std::set<std::vector<uint32_t>>{{0, 0}, {0, 1}, {1, 1}}));
}

// A load from scratch behind a store needs no wait for it.
TEST(MemoryOrder, ScratchIsInOrder) {
  const TestProgram p{.body =
                          {
                              0xbe9403ff, 0x10000000,  // s_mov_b32 s20, 0x10000000
                              0x80140614,              // s_add_u32 s20, s20, s6
                              0xbe9503ff, 0xffff8000,  // s_mov_b32 s21, 0xffff8000
                              0xb994f814,  // s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s20
                              0xb995f815,  // s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s21
                              0x7e040287,  // v_mov_b32_e32 v2, 7
                              0x7e060289,  // v_mov_b32_e32 v3, 9
                              0xdc704004, 0x007f0200,  // scratch_store_dword off, v2, off offset:4
                              0xdc304004, 0x017f0000,  // scratch_load_dword v1, off, off offset:4
                              0xdc704004, 0x007f0300,  // scratch_store_dword off, v3, off offset:4
                              0xbf8c3f70,              // s_waitcnt vmcnt(0)
                          },
                      .scratch_per_lane = 16};
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{std::vector<uint32_t>(32, 7)}));
}

// A store without GLC that overwrites a whole line may stay on its CU, though vscnt is 0: here one
// of wave 0, which wave 1 on the other CU reads with GLC behind a barrier.
TEST(MemoryOrder, AStoreOfAWholeLineNeedsGlc) {
  TestProgram p{.invocations = 64,
                .body =
                    {
                        0x363e009f,              // v_and_b32_e32 v31, 31, v0
                        0x343e3e82,              // v_lshlrev_b32_e32 v31, 2, v31
                        0x90109405,              // s_lshr_b32 s16, s5, 20
                        0xbf068110,              // s_cmp_eq_u32 s16, 1
                        0x7e020281,              // v_mov_b32_e32 v1, 1
                        0xbf850003,              // s_cbranch_scc1 3
                        0xe0701000, 0x8003011f,  // buffer_store_dword v1, v31, s[12:15], 0 offen
                        0xbbfd0000,              // s_waitcnt_vscnt null, 0x0
                        0xbf8a0000,              // s_barrier
                        0xe0305000, 0x8003011f,  // buffer_load_dword v1 ... offen glc
                        0xbf8c3f70,              // s_waitcnt vmcnt(0)
                        0x343e0082,              // v_lshlrev_b32_e32 v31, 2, v0
                    },
                .input = std::vector<uint32_t>(64),
                .wgp = true};
  const std::vector<uint32_t> new_everywhere(64, 1);
  EXPECT_GT(Outputs(p).size(), 1u);
  p.body[6] |= 1u << 14;  // glc
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{new_everywhere}));
  p.body[6] &= ~(1u << 14);
  p.body[0] = 0x363e0087;  // v_and_b32_e32 v31, 7, v0: a part of a line
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{new_everywhere}));
}

// A wave that ends without a wait arrives at the barrier when its accesses have ended: wave 0
// stores and ends, wave 1 on the other CU waits at the barrier and reads.
TEST(MemoryOrder, TheEndOfAWaveWaitsForItsAccesses) {
  const TestProgram p{.invocations = 64,
                      .body =
                          {
                              0x363e009f,              // v_and_b32_e32 v31, 31, v0
                              0x343e3e82,              // v_lshlrev_b32_e32 v31, 2, v31
                              0x90109405,              // s_lshr_b32 s16, s5, 20
                              0xbf068110,              // s_cmp_eq_u32 s16, 1
                              0x7e020281,              // v_mov_b32_e32 v1, 1
                              0xbf850003,              // s_cbranch_scc1 3
                              0xe0705000, 0x8003011f,  // buffer_store_dword v1 ... offen glc
                              0xbf810000,              // s_endpgm
                              0xbf8a0000,              // s_barrier
                              0xe0305000, 0x8003011f,  // buffer_load_dword v1 ... offen glc
                              0xbf8c3f70,              // s_waitcnt vmcnt(0)
                              0x343e0082,              // v_lshlrev_b32_e32 v31, 2, v0
                          },
                      .input = std::vector<uint32_t>(64),
                      .wgp = true};
  std::vector<uint32_t> of_wave_1(64);
  std::fill(of_wave_1.begin() + 32, of_wave_1.end(), 1);
  EXPECT_EQ(Outputs(p), (std::set<std::vector<uint32_t>>{of_wave_1}));
}

TEST(MemoryOrder, OneSeedOneRun) {
  TestProgram p{.body = {0x7e020280, 0xe0301000, 0x8003021f, 0x7e020302},
                .input = std::vector<uint32_t>(32, 7)};
  p.options.contract = false;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    p.options.memory_seed = seed;
    EXPECT_EQ(Lanes(p), Lanes(p));
  }
}

}  // namespace
}  // namespace kiln::sim::rdna2
