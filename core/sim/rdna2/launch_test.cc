// Tests launch.h: the registers with which a wave starts.
#include "core/sim/rdna2/launch.h"

#include "core/sim/rdna2/testing.h"
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

}  // namespace
}  // namespace kiln::sim::rdna2
