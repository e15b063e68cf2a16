// Tests launch.h: the registers with which a wave starts.
#include "core/sim/rdna2/launch.h"

#include <utility>
#include <variant>

#include "core/sim/rdna2/draw_testing.h"
#include "core/sim/rdna2/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(LaunchTest, PushDataAndSystemRegisters) {
  const TestProgram p{.lanes = 32, .invocations = 64, .push = {11, 22}};
  scene::Dispatch dispatch = DispatchOf(p);
  const out::LaunchRecord record = RecordOf(p);
  const auto state = LaunchState::Create(CodeOf(p), record, {}, dispatch);
  ASSERT_TRUE(state.ok()) << state.status();
  WaveState w;
  (*state)->StartWave(1, {5, 6, 7}, w);
  EXPECT_EQ(w.scalar[2], 11u);
  EXPECT_EQ(w.scalar[3], 22u);
  EXPECT_EQ(w.scalar[4], 5u);                        // workgroup x alone is enabled
  EXPECT_EQ(w.scalar[5], 2u | 1u << 6 | 1u << 20);   // waves, number
  EXPECT_EQ(w.scalar[6] & 0xfff00000, 0x7fb00000u);  // no scratch
  EXPECT_EQ(w.vector[0][0], 32u);
  EXPECT_EQ(w.vector[0][31], 63u);
  EXPECT_EQ(w.vector.size(), 32u);
  EXPECT_EQ(w.mode, 0xc0u | 1u << 8);
  EXPECT_EQ(w.scalar[isa::kNull], 0u);
}

TEST(LaunchTest, LocalIdsOfThreeDimensions) {
  const TestProgram p{.lanes = 64, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  record.compute.local_size = {5, 3, 2};
  std::get<out::AmdLaunch>(record.arch).rsrc2 |= 2u << 11;
  scene::Dispatch dispatch = DispatchOf(p);
  const auto state = LaunchState::Create(CodeOf(p), record, {}, dispatch);
  ASSERT_TRUE(state.ok()) << state.status();
  WaveState w;
  (*state)->StartWave(0, {0, 0, 0}, w);
  EXPECT_EQ(w.Exec(), (uint64_t{1} << 30) - 1);
  EXPECT_EQ(w.vector[0][23], 3u);
  EXPECT_EQ(w.vector[1][23], 1u);
  EXPECT_EQ(w.vector[2][23], 1u);
}

TEST(LaunchTest, UndefinedContentsDiffer) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e020314,  // v_mov_b32_e32 v1, v20
                      }};
  TestProgram q = p;
  q.options.opposite = true;
  EXPECT_NE(Lanes(p), Lanes(q));
}

TEST(LaunchTest, ZeroMemory) {
  TestProgram p{.lanes = 32,
                .body =
                    {
                        0xd8d80000, 0x0100001f,  // ds_read_b32 v1, v31
                        0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                    },
                .lds_bytes = 512};
  EXPECT_NE(Lanes(p)[3], 0u);
  p.options.zero_memory = true;
  EXPECT_EQ(Lanes(p)[3], 0u);
}

TEST(LaunchTest, RecordsThatContradictThemselves) {
  const TestProgram p{.lanes = 32, .body = {}};
  scene::Dispatch dispatch = DispatchOf(p);
  out::LaunchRecord record = RecordOf(p);
  record.shared_bytes = 1024;
  EXPECT_EQ(LaunchState::Create(CodeOf(p), record, {}, dispatch).status().code(),
            absl::StatusCode::kInvalidArgument);
  record = RecordOf(p);
  record.push[0].bytes = 12;
  EXPECT_EQ(LaunchState::Create(CodeOf(p), record, {}, dispatch).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(LaunchTest, MissingBufferIsTheNullDescriptor) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0xe0301000, 0x8003011f,  // buffer_load_dword v1, v31, s[12:15], 0 offen
                          0xbf8c3f70,              // s_waitcnt vmcnt(0)
                      }};
  scene::Dispatch dispatch = DispatchOf(p);
  dispatch.buffers.pop_back();
  const auto stats = rdna2::Run(CodeOf(p), RecordOf(p), {}, dispatch);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(dispatch.buffers[0].bytes, std::vector<uint8_t>(128, 0));
}

// Returns what a record is refused for, empty if it is taken.
std::string Refusal(const out::LaunchRecord& record, const TestProgram& p) {
  scene::Dispatch dispatch = DispatchOf(p);
  const absl::Status status = LaunchState::Create(CodeOf(p), record, {}, dispatch).status();
  if (status.ok()) return "";
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

void SetField(uint32_t& word, int low, int bits, uint32_t value) {
  word = (word & ~(((1u << bits) - 1) << low)) | value << low;
}

#define EXPECT_REFUSED(record, program, text)                                   \
  do {                                                                          \
    const std::string refusal = Refusal(record, program);                       \
    EXPECT_NE(refusal.find(text), std::string::npos) << "refusal: " << refusal; \
  } while (false)

TEST(LaunchTest, ComputeHasSixteenUserSgprs) {
  const TestProgram p{.lanes = 32, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc2, 1, 5, 16);
  EXPECT_EQ(Refusal(record, p), "");
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc2, 1, 5, 17);
  EXPECT_REFUSED(record, p, "more than 16 user SGPRs");
}

TEST(LaunchTest, TheWavesNumberIsInNoUserSgpr) {
  const TestProgram p{.lanes = 32, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  record.push = {{0, 4, out::PushSource::kNumWorkgroups}};
  EXPECT_EQ(Refusal(record, p), "");
  record.push = {{0, 4, out::PushSource::kSubgroupId}};
  EXPECT_REFUSED(record, p, "the same for all waves");
}

TEST(LaunchTest, WorkgroupsThatNeverBecomeResident) {
  for (bool wgp : {false, true}) {
    for (uint32_t lanes : {32u, 64u}) {
      // 4 waves of 32 lanes with 256 registers fit a SIMD, 2 of 64; a CU has two SIMDs, a WGP four.
      const uint32_t waves = (lanes == 32 ? 8 : 4) * (wgp ? 2 : 1);
      for (bool fits : {true, false}) {
        const TestProgram p{.lanes = lanes, .invocations = (waves + !fits) * lanes, .body = {}};
        out::LaunchRecord record = RecordOf(p);
        record.compute.local_size = {lanes, waves + !fits, 1};
        SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, 0, 6, lanes == 32 ? 31 : 63);
        SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, 29, 1, wgp);
        if (fits) {
          EXPECT_EQ(Refusal(record, p), "") << waves;
        } else {
          EXPECT_REFUSED(record, p, "of its workgroup do not fit");
        }
      }
    }
  }
}

TEST(LaunchTest, GroupsOf1024InvocationsWithFewRegisters) {
  const TestProgram p{.lanes = 32, .invocations = 1024, .body = {}};
  EXPECT_EQ(Refusal(RecordOf(p), p), "");
}

TEST(LaunchTest, RegistersThatNoWaveHas) {
  const TestProgram p{.lanes = 32, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, 0, 6, 31);
  EXPECT_EQ(Refusal(record, p), "");
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, 0, 6, 32);
  EXPECT_REFUSED(record, p, "more than 256 VGPRs");
}

TEST(LaunchTest, AWorkgroupHas64KiBOfLds) {
  const TestProgram p{.lanes = 32, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc2, 15, 9, 128);
  EXPECT_EQ(Refusal(record, p), "");
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc2, 15, 9, 129);
  EXPECT_REFUSED(record, p, "more LDS than a workgroup can have");
}

TEST(LaunchTest, NoProgramIsPrivileged) {
  const TestProgram p{.lanes = 32, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, 20, 1, 1);
  EXPECT_REFUSED(record, p, "privileged");
}

TEST(LaunchTest, ModeComesFromItsFieldsInRsrc1) {
  const TestProgram p{.lanes = 32, .body = {}};
  for (const auto& [field, bit] : {std::pair(21, 8), std::pair(23, 9), std::pair(26, 23)}) {
    out::LaunchRecord record = RecordOf(p);
    for (uint32_t value : {0u, 1u}) {
      SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, field, 1, value);
      scene::Dispatch dispatch = DispatchOf(p);
      const auto state = LaunchState::Create(CodeOf(p), record, {}, dispatch);
      ASSERT_TRUE(state.ok()) << state.status();
      WaveState w;
      (*state)->StartWave(0, {0, 0, 0}, w);
      EXPECT_EQ(w.mode >> bit & 1, value) << field;
    }
  }
}

TEST(LaunchTest, MemoryOrderComesFromRsrc1) {
  const TestProgram p{.lanes = 32, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  for (bool ordered : {true, false}) {
    SetField(std::get<out::AmdLaunch>(record.arch).rsrc1, 30, 1, ordered);
    scene::Dispatch dispatch = DispatchOf(p);
    const auto state = LaunchState::Create(CodeOf(p), record, {}, dispatch);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ((*state)->memory_ordered(), ordered);
  }
}

TEST(LaunchTest, ScratchMustBeEnabled) {
  const TestProgram p{.lanes = 32, .body = {}, .scratch_per_lane = 16};
  out::LaunchRecord record = RecordOf(p);
  EXPECT_EQ(Refusal(record, p), "");
  SetField(std::get<out::AmdLaunch>(record.arch).rsrc2, 0, 1, 0);
  EXPECT_REFUSED(record, p, "scratch that rsrc2 does not enable");
}

TEST(LaunchTest, SharedVgprsAreNotModelled) {
  const TestProgram p{.lanes = 64, .body = {}};
  out::LaunchRecord record = RecordOf(p);
  std::get<out::AmdLaunch>(record.arch).rsrc3 = 1;
  scene::Dispatch dispatch = DispatchOf(p);
  const absl::Status status = LaunchState::Create(CodeOf(p), record, {}, dispatch).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_NE(status.message().find("shared VGPRs"), std::string::npos) << status;
}

// Return the error of a draw whose record is changed.
template <typename F>
std::string FragmentError(F change) {
  FragmentProgram p = ProgramOf(Joined({kReady, kInterpolate, kExportV2, kEndProgram}));
  change(p.record, std::get<out::AmdLaunch>(p.record.arch));
  return std::string(RunDraw(std::move(p)).status().message());
}
template <typename F>
std::string VertexError(F change) {
  VertexProgram p = VertexProgramOf();
  change(p.record, std::get<out::AmdLaunch>(p.record.arch));
  return std::string(RunVertices(std::move(p)).status().message());
}

TEST(LaunchTest, DrawsHaveAtMost32UserSgprs) {
  const auto thirty_three = [](auto&, auto& amd) { amd.rsrc2 |= 1u << 27 | 1u << 1; };
  EXPECT_THAT(FragmentError(thirty_three), testing::HasSubstr("more than 32 user SGPRs"));
  EXPECT_THAT(VertexError(thirty_three), testing::HasSubstr("more than 32 user SGPRs"));
}

TEST(LaunchTest, SharedVgprsOfDrawsAreNotModelled) {
  const auto shared = [](auto&, auto& amd) { amd.rsrc2 |= 1u << 28; };
  EXPECT_THAT(FragmentError(shared), testing::HasSubstr("unsupported: shared VGPRs"));
  EXPECT_THAT(VertexError(shared), testing::HasSubstr("unsupported: shared VGPRs"));
}

TEST(LaunchTest, InputsOfDrawsFitTheRegisters) {
  const auto all = [](auto&, auto& amd) {  // 8 registers; the inputs are 23
    amd.rsrc1 &= ~0x3fu;
    amd.fragment.spi_ps_input_ena = amd.fragment.spi_ps_input_addr = 0xffff;
  };
  EXPECT_THAT(FragmentError(all), testing::HasSubstr("inputs beyond the 8 VGPRs"));
  const auto last = [](auto&, auto& amd) {  // a place beyond, which is not filled
    amd.rsrc1 &= ~0x3fu;
    amd.fragment.spi_ps_input_addr = 0xffff;
  };
  EXPECT_EQ(FragmentError(last), "");
  const auto instance = [](auto&, auto& amd) { SetField(amd.rsrc1, 0, 6, 1); };  // v8 of 8
  EXPECT_THAT(VertexError(instance), testing::HasSubstr("inputs beyond the 8 VGPRs"));
}

TEST(LaunchTest, PrimitiveShadersRunInCuMode) {
  EXPECT_THAT(VertexError([](auto&, auto& amd) { amd.rsrc1 |= 1u << 27; }),
              testing::HasSubstr("WGP mode"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
