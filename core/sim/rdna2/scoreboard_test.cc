// Tests scoreboard.h: each wait, and that waits which are not needed are not asked for.
#include "core/sim/rdna2/scoreboard.h"

#include <cstring>

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

// Issue makes room in the counters before the newest load is counted, which is in flight all the
// same.
TEST(ScoreboardTest, TheNewestOfManyLoads) {
  for (const uint32_t loads : {1u, 6u, 7u, 8u, 64u}) {
    TestProgram p;
    p.lanes = 32;
    for (uint32_t n = 0; n < loads; ++n) {
      p.body.push_back(0xe0300000);  // buffer_load_dword v2, or v3 last, off, s[12:15], 0
      p.body.push_back(0x80030000 | (n + 1 == loads ? 3 : 2) << 8);
    }
    TestProgram waits = p;
    waits.body.push_back(0xbf8c3f70);                                     // s_waitcnt vmcnt(0)
    for (TestProgram* of : {&p, &waits}) of->body.push_back(0x7e020303);  // v_mov_b32_e32 v1, v3
    EXPECT_VIOLATION(p, "reads v3 without a wait for vmcnt");
    EXPECT_EQ(Violation(waits), "") << loads;
  }
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

// Issues a program in order, without executing but s_mov_b32 of exec_lo and m0. Returns the
// violation, empty if there is none.
std::string IssueAll(const Words& words, bool memory_ordered = true) {
  std::vector<uint8_t> bytes(4 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  const absl::StatusOr<Program> program = Load(bytes, isa::Wave::k32);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return "no program";
  Scoreboard scoreboard(&*program, {.unsourced = false, .memory_ordered = memory_ordered}, nullptr);
  WaveState wave;
  wave.SetLaneMask(isa::kExecLo, ~uint32_t{0});
  for (uint32_t i = 0; i < program->ops.size(); ++i) {
    const absl::Status status = scoreboard.Issue(i, wave, 0);
    if (!status.ok()) return std::string(status.message());
    const isa::Instruction& inst = program->ops[i].inst;
    const bool to = inst.dst.code == isa::kExecLo || inst.dst.code == isa::kM0;
    if (inst.op != isa::Opcode::kSMovB32 || !to) continue;
    const int code = inst.src[0].code;
    wave.SetScalar(inst.dst.code, inst.src[0].is_literal()
                                      ? inst.literal
                                      : static_cast<uint32_t>(code - isa::kInt0));
  }
  return "";
}

#define EXPECT_FINDING(words, text)                  \
  do {                                               \
    const std::string v = IssueAll(words);           \
    EXPECT_NE(v.find(text), std::string::npos) << v; \
  } while (false)

TEST(ScoreboardTest, WithoutMemoryOrderKindsOfLoadsEndInAnyOrder) {
  const Words mixed = {
      0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
      0xf0800108, 0x00c40306,  // image_sample v3, v[6:7], s[16:23], s[24:27]
      0xbf8c3f71,              // s_waitcnt vmcnt(1)
      0x7e020302,              // v_mov_b32_e32 v1, v2
  };
  EXPECT_EQ(IssueAll(mixed, true), "");
  EXPECT_NE(IssueAll(mixed, false).find("reads v2"), std::string::npos);
  Words all = mixed;
  all[4] = 0xbf8c3f70;  // s_waitcnt vmcnt(0)
  EXPECT_EQ(IssueAll(all, false), "");
  // Loads of one kind stay in order.
  const Words same = {
      0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
      0xe0300000, 0x80030300,  // buffer_load_dword v3, off, s[12:15], 0
      0xbf8c3f71,              // s_waitcnt vmcnt(1)
      0x7e020302,              // v_mov_b32_e32 v1, v2
  };
  EXPECT_EQ(IssueAll(same, false), "");
}

TEST(ScoreboardTest, FlatLoadsNeedBothCountersAndLgkmcntAtZero) {
  const auto with = [](uint32_t wait) {
    return Words{
        0xdc300000, 0x027d0008,  // flat_load_dword v2, v[8:9]
        0xdc300000, 0x037d0008,  // flat_load_dword v3, v[8:9]
        wait,
        0x7e020302,  // v_mov_b32_e32 v1, v2
    };
  };
  EXPECT_FINDING(with(0xbf8c0171), "vmcnt and lgkmcnt");  // s_waitcnt vmcnt(1) lgkmcnt(1)
  EXPECT_FINDING(with(0xbf8c0170), "vmcnt and lgkmcnt");  // s_waitcnt vmcnt(0) lgkmcnt(1)
  EXPECT_FINDING(with(0xbf8c3f70), "vmcnt and lgkmcnt");  // s_waitcnt vmcnt(0)
  EXPECT_FINDING(with(0xbf8cc07f), "vmcnt and lgkmcnt");  // s_waitcnt lgkmcnt(0)
  EXPECT_EQ(IssueAll(with(0xbf8c0070)), "");              // s_waitcnt vmcnt(0) lgkmcnt(0)
  EXPECT_EQ(IssueAll(with(0xbf8c0071)), "");              // s_waitcnt vmcnt(1) lgkmcnt(0)
}

TEST(ScoreboardTest, VmcntCountsFlatLoadsInOrderWithOthers) {
  const auto with = [](uint32_t wait) {
    return Words{
        0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
        0xdc300000, 0x037d0008,  // flat_load_dword v3, v[8:9]
        wait,
        0x7e020302,  // v_mov_b32_e32 v1, v2
    };
  };
  EXPECT_FINDING(with(0xbf8c3f72), "reads v2");  // s_waitcnt vmcnt(2)
  EXPECT_EQ(IssueAll(with(0xbf8c3f71)), "");     // s_waitcnt vmcnt(1)
  EXPECT_EQ(IssueAll(with(0xbf8c3f70)), "");     // s_waitcnt vmcnt(0)
}

// Stores in flight are asked for where others read the memory, and scratch has no other readers.
TEST(ScoreboardTest, StoresToScratchAreNotInFlightForOthers) {
  const auto in_flight = [](const Words& store) {
    std::vector<uint8_t> bytes(4 * store.size());
    std::memcpy(bytes.data(), store.data(), bytes.size());
    const absl::StatusOr<Program> program = Load(bytes, isa::Wave::k32);
    EXPECT_TRUE(program.ok()) << program.status();
    Scoreboard scoreboard(&*program, {.unsourced = false, .memory_ordered = true}, nullptr);
    WaveState wave;
    EXPECT_TRUE(scoreboard.Issue(0, wave, 0).ok());
    return scoreboard.StoresInFlight();
  };
  EXPECT_TRUE(in_flight({0xdc708000, 0x007d0402}));   // global_store_dword v[2:3], v4, off
  EXPECT_FALSE(in_flight({0xdc704000, 0x007f0600}));  // scratch_store_dword off, v6, off
}

TEST(ScoreboardTest, ExportsEndInOrderWithinTheirClass) {
  const auto with = [](uint32_t target) {
    return Words{
        0xf8000001,
        0x00000002,  // exp mrt0 v2, off, off, off
        0xf8000001 | target << 4,
        0x03,        // exp TARGET v3, off, off, off
        0xbf8cff1f,  // s_waitcnt expcnt(1)
        0x7e040285,  // v_mov_b32_e32 v2, 5
    };
  };
  EXPECT_EQ(IssueAll(with(1)), "") << "mrt1";
  EXPECT_FINDING(with(12), "overwrites a source");  // pos0
  EXPECT_FINDING(with(32), "overwrites a source");  // param0
}

// Begins with a load to v2 in some lanes, then turns on others.
Words LoadThen(uint32_t loaded, uint32_t on, const Words& rest) {
  Words words = {
      0xbefe03ff, loaded,      // s_mov_b32 exec_lo, LOADED
      0xe0300000, 0x80030200,  // buffer_load_dword v2, off, s[12:15], 0
      0xbefe03ff, on,          // s_mov_b32 exec_lo, ON
  };
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

TEST(ScoreboardTest, LanesThatAreReadOrWrittenWhateverExecIs) {
  const Words first = {0x7e280502};                // v_readfirstlane_b32 s20, v2
  const Words read_9 = {0xd7600014, 0x00011302};   // v_readlane_b32 s20, v2, 9
  const Words write_9 = {0xd7610002, 0x00011204};  // v_writelane_b32 v2, s4, 9
  EXPECT_FINDING(LoadThen(0xff, 0, first), "reads v2");
  EXPECT_EQ(IssueAll(LoadThen(0xfe, 0, first)), "") << "lane 0 if none is on";
  EXPECT_FINDING(LoadThen(0xff, 0x80, first), "reads v2");
  EXPECT_EQ(IssueAll(LoadThen(0xff, 0xff00, first)), "");
  EXPECT_EQ(IssueAll(LoadThen(0xff, 0x8100, first)), "") << "only the first";
  EXPECT_FINDING(LoadThen(0x200, 0, read_9), "reads v2");
  EXPECT_FINDING(LoadThen(0x200, 0, write_9), "overwrites v2");
  EXPECT_EQ(IssueAll(LoadThen(0x1ff, ~0u, write_9)), "") << "another lane";
}

TEST(ScoreboardTest, LevelsOfDetailReadTheQuad) {
  const Words sample = {0xf0800108, 0x00c40402};             // image_sample v4, v[2:3], ...
  const Words parts = {0xf080010a, 0x00c40405, 0x00000002};  // image_sample v4, [v5, v2], ...
  const Words level = {0xf09c0108, 0x00c40402};              // image_sample_lz v4, v[2:3], ...
  const Words lod = {0xf1800108, 0x00c40402};                // image_get_lod v4, v[2:3], ...
  for (const Words& quad : {sample, parts, lod}) {
    EXPECT_FINDING(LoadThen(2, 1, quad), "reads v2");
    EXPECT_EQ(IssueAll(LoadThen(0x10, 1, quad)), "") << "another quad";
  }
  EXPECT_EQ(IssueAll(LoadThen(2, 1, level)), "");
}

TEST(ScoreboardTest, RelativeMovesUseTheRegisterThatM0Says) {
  // v3 and s21 are in flight.
  const auto after = [](uint32_t m0, uint32_t move) {
    return Words{
        0xe0300000, 0x80030300,  // buffer_load_dword v3, off, s[12:15], 0
        0xf4200546, 0xfa000000,  // s_buffer_load_dword s21, s[12:15], 0x0
        0xbefc03ff, m0,          // s_mov_b32 m0, M0
        move,
    };
  };
  const uint32_t kMoves = 0x7e028702;    // v_movrels_b32_e32 v1, v2
  const uint32_t kMoved = 0x7e048501;    // v_movreld_b32_e32 v2, v1
  const uint32_t kMovesd = 0x7e0a8902;   // v_movrelsd_b32_e32 v5, v2
  const uint32_t kMovesd2 = 0x7e0a9102;  // v_movrelsd_2_b32_e32 v5, v2
  const uint32_t kSwap = 0x7e04d105;     // v_swaprel_b32 v2, v5
  EXPECT_FINDING(after(1, kMoves), "reads v3");
  EXPECT_FINDING(after(1, kMoved), "overwrites v3");
  EXPECT_FINDING(after(1, kMovesd), "reads v3");
  EXPECT_FINDING(after(1, kMovesd2), "reads v3");
  EXPECT_FINDING(after(0x10000, kSwap), "v3");
  for (uint32_t move : {kMoves, kMoved, kMovesd, kMovesd2, kSwap}) {
    EXPECT_EQ(IssueAll(after(2, move)), "") << move;
  }
  EXPECT_FINDING(after(1, 0xbe962e14), "reads s21");             // s_movrels_b32 s22, s20
  EXPECT_FINDING(after(1, 0xbe94301e), "overwrites s21");        // s_movreld_b32 s20, s30
  EXPECT_FINDING(after(0, 0xbe982f14), "reads s21");             // s_movrels_b64 s[24:25], s[20:21]
  EXPECT_FINDING(after(0x10000, 0xbe94491e), "overwrites s21");  // s_movrelsd_2_b32 s20, s30
  EXPECT_EQ(IssueAll(after(2, 0xbe962e14)), "");
  EXPECT_EQ(IssueAll(after(2, 0xbe982f14)), "");
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
