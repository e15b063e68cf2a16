// Tests simulator.h: workgroups of several waves, barriers, ends, refusals.
#include "core/sim/rdna2/simulator.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// Each lane stores its id and reads that of the lane mirrored in the workgroup.
const Words kMirror = {
    0xd8340000, 0x0000001f,  // ds_write_b32 v31, v0
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
    0xbf8a0000,              // s_barrier
    0x4c043eff, 0x000000fc,  // v_sub_nc_u32_e32 v2, 0xfc, v31
    0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
    0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
};

TEST(SimulatorTest, WavesMeetAtABarrier) {
  for (uint32_t lanes : {32u, 64u}) {
    for (bool opposite : {false, true}) {
      TestProgram p{.lanes = lanes, .invocations = 64, .body = kMirror, .lds_bytes = 512};
      p.options.opposite = opposite;
      std::vector<uint32_t> want;
      for (uint32_t i = 0; i < 64; ++i) want.push_back(63 - i);
      EXPECT_EQ(Lanes(p), want) << lanes << opposite;
    }
  }
}

// Keeps what kMirror does, without the instructions before and behind it.
class Keeper : public Observer {
 public:
  void Group() override { ++groups; }
  void Step(uint32_t wave, uint32_t phase, uint32_t offset, uint64_t exec) override {
    last = {wave, phase, offset, exec};
    ++steps;
  }
  void Access(Space space, uint64_t address, uint32_t bytes, Use use) override {
    if (space != Space::kLds) return;
    EXPECT_EQ(bytes, 4u);
    accesses.push_back({last.wave, last.phase, address, use == Use::kWrite});
  }

  struct Last {
    uint32_t wave, phase, offset;
    uint64_t exec;
  } last{};
  struct Accessed {
    uint32_t wave, phase;
    uint64_t address;
    bool write;
    bool operator==(const Accessed&) const = default;
  };
  uint64_t groups = 0, steps = 0;
  std::vector<Accessed> accesses;
};

TEST(SimulatorTest, AnObserverIsToldWhatRuns) {
  for (bool contract : {false, true}) {
    Keeper keeper;
    TestProgram p{
        .lanes = 32, .invocations = 64, .body = kMirror, .lds_bytes = 512, .groups = {2, 1, 1}};
    p.options.observer = &keeper;
    p.options.contract = contract;
    const absl::StatusOr<TestResult> result = RunProgram(p);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(keeper.groups, 2u);
    EXPECT_EQ(keeper.steps, result->stats.instructions);
    EXPECT_EQ(keeper.last.offset, result->stats.executed.back());
    EXPECT_EQ(keeper.last.exec, 0xffffffffu);
    std::vector<Keeper::Accessed> want;
    for (int group = 0; group < 2; ++group) {
      for (uint32_t phase : {0u, 1u}) {
        for (uint32_t i = 0; i < 64; ++i) {
          want.push_back({i / 32, phase, 4 * (phase == 0 ? i : 63 - i), phase == 0});
        }
      }
    }
    EXPECT_EQ(keeper.accesses, want);
  }
}

TEST(SimulatorTest, AWaveThatHasEndedDoesNotHoldTheOthers) {
  // Wave 0 ends before the barrier.
  const TestProgram p{.lanes = 32,
                      .invocations = 64,
                      .body = {
                          0x9394ff05, 0x00050014,  // s_bfe_u32 s20, s5, 0x50014
                          0xbf068014,              // s_cmp_eq_u32 s20, 0
                          0xbf840001,              // s_cbranch_scc0 1
                          0xbf810000,              // s_endpgm
                          0xbf8a0000,              // s_barrier
                          0x7e020283,              // v_mov_b32_e32 v1, 3
                      }};
  const std::vector<uint32_t> lanes = Lanes(p);
  EXPECT_EQ(lanes[0], 0u);
  EXPECT_EQ(lanes[32], 3u);
}

TEST(SimulatorTest, LanesBeyondTheWorkgroupAreOff) {
  const TestProgram p{.lanes = 32,
                      .invocations = 40,
                      .body =
                          {
                              0x7e040280,              // v_mov_b32_e32 v2, 0
                              0x7e060281,              // v_mov_b32_e32 v3, 1
                              0x7e020280,              // v_mov_b32_e32 v1, 0
                              0xe0c80000, 0x80030300,  // buffer_atomic_add v3, off, s[12:15], 0
                          },
                      .input = {0}};
  // The end of the program turns all lanes on; those beyond store outside.
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->input[0], 40u);
}

TEST(SimulatorTest, CountsWhatRan) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0xbf810000,  // s_endpgm
                          },
                      .groups = {2, 3, 1},
                      .whole = true};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->stats.threads, 6u);
  EXPECT_EQ(result->stats.instructions, 6u);
  EXPECT_EQ(result->stats.executed, std::vector<uint32_t>{0});
}

TEST(SimulatorTest, TrapsAreFindings) {
  const absl::Status error = ErrorOf({.lanes = 32,
                                      .body = {
                                          0xbf920002,  // s_trap 2
                                      }});
  EXPECT_EQ(error.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(error.message().find("trap"), std::string::npos) << error;
}

TEST(SimulatorTest, RunningPastTheEnd) {
  EXPECT_EQ(ErrorOf({.lanes = 32,
                     .body =
                         {
                             0xbf800000,  // s_nop 0
                         },
                     .whole = true})
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorOf({.lanes = 32,
                     .body =
                         {
                             0xbf9f0000,  // s_code_end
                         },
                     .whole = true})
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SimulatorTest, NamedRefusals) {
  EXPECT_EQ(ErrorOf({.lanes = 32,
                     .body =
                         {
                             0xbf900001,  // s_sendmsg sendmsg(MSG_INTERRUPT)
                         }})
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST(SimulatorTest, MemoryModeRefusesWhatItDoesNotFollow) {
  TestProgram p{.lanes = 32, .body = {}};
  p.options.memory_seed = 1;
  EXPECT_TRUE(RunProgram(p).ok());
  Keeper keeper;
  p.options.observer = &keeper;
  EXPECT_EQ(ErrorOf(p).code(), absl::StatusCode::kInvalidArgument);
  p.options.observer = nullptr;
  scene::Dispatch dispatch = DispatchOf(p);
  out::LaunchRecord record = RecordOf(p);
  std::get<out::AmdLaunch>(record.arch).rsrc1 &= ~(1u << 30);  // MEM_ORDERED
  EXPECT_EQ(rdna2::Run(CodeOf(p), record, p.options, dispatch).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(SimulatorTest, RegistersBeyondTheWave) {
  EXPECT_EQ(ErrorOf({.lanes = 32,
                     .body =
                         {
                             0x7e400280,  // v_mov_b32_e32 v32, 0
                         }})
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SimulatorTest, RecordsThatDoNotFit) {
  const TestProgram p{.lanes = 32, .body = {}};
  scene::Dispatch dispatch = DispatchOf(p);
  out::LaunchRecord record = RecordOf(p);
  record.stage = "geometry";
  EXPECT_EQ(rdna2::Run(CodeOf(p), record, {}, dispatch).status().code(),
            absl::StatusCode::kUnimplemented);
  for (const char* stage : {"fragment", "vertex"}) {
    record.stage = stage;
    EXPECT_EQ(rdna2::Run(CodeOf(p), record, {}, dispatch).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  record = RecordOf(p);
  record.dispatch_width = 16;
  EXPECT_EQ(rdna2::Run(CodeOf(p), record, {}, dispatch).status().code(),
            absl::StatusCode::kInvalidArgument);
  record = RecordOf(p);
  record.arch = out::IntelLaunch{};
  EXPECT_EQ(rdna2::Run(CodeOf(p), record, {}, dispatch).status().code(),
            absl::StatusCode::kInvalidArgument);
  record = RecordOf(p);
  std::get<out::AmdLaunch>(record.arch).instruction_bytes += 4;
  EXPECT_EQ(rdna2::Run(CodeOf(p), record, {}, dispatch).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SimulatorTest, TrapRegistersAreForTrapHandlers) {
  const Words kWrites[] = {
      {0xbeec0304},              // s_mov_b32 ttmp0, s4
      {0xbeee0404},              // s_mov_b64 ttmp[2:3], s[4:5]
      {0x7ede0500},              // v_readfirstlane_b32 ttmp3, v0
      {0xf4041b00, 0xfa000000},  // s_load_dwordx2 ttmp[0:1], s[0:1], 0x0
      {0xd4c2006c, 0x00020300},  // v_cmp_eq_u32_e64 ttmp0, v0, v1
  };
  for (const Words& write : kWrites) {
    const absl::Status error = ErrorOf({.lanes = 32, .body = write});
    EXPECT_EQ(error.code(), absl::StatusCode::kInvalidArgument) << error;
    EXPECT_NE(error.message().find("trap handlers"), std::string::npos) << error;
  }
  EXPECT_TRUE(ErrorOf({.lanes = 32,
                       .body =
                           {
                               0xbe94036c,  // s_mov_b32 s20, ttmp0
                           }})
                  .ok());
}

TEST(SimulatorTest, DlcIsForLoads) {
  const auto with = [](uint32_t first) {
    return ErrorOf({.lanes = 32, .body = {first, 0x8003011f}, .input = std::vector<uint32_t>(32)});
  };
  constexpr uint32_t kDlc = 1 << 15;
  EXPECT_TRUE(with(0xe0301000 | kDlc).ok());  // buffer_load_dword v1, v31, s[12:15], 0 offen dlc
  EXPECT_TRUE(with(0xe0701000).ok());         // buffer_store_dword v1, v31, s[12:15], 0 offen
  EXPECT_EQ(with(0xe0701000 | kDlc).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(with(0xe0c81000 | kDlc).code(), absl::StatusCode::kInvalidArgument);  // atomic_add
}

TEST(SimulatorTest, SumsOfDifferencesOverTheirSources) {
  const auto with = [](uint32_t first, uint32_t second) {
    return ErrorOf({.lanes = 32, .body = {first, second}});
  };
  // v_mqsad_u32_u8 v[1:4], v[8:9], v10, v[12:15]; then with v[4:7] as the last source
  EXPECT_TRUE(with(0xd5750001, 0x04321508).ok()) << with(0xd5750001, 0x04321508);
  EXPECT_EQ(with(0xd5750001, 0x04121508).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kiln::sim::rdna2
