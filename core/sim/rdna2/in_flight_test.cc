// Tests in_flight.h: which messages a wait is for, and results that are parts of registers.
#include "core/sim/rdna2/in_flight.h"

#include <cstring>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

Program Decoded(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes(4 * words.size());
  std::memcpy(bytes.data(), words.data(), bytes.size());
  absl::StatusOr<Program> program = Load(bytes, isa::Wave::k32);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? *std::move(program) : Program();
}

const Program& Ops() {
  static const auto* const kProgram = new Program(Decoded({
      0xe0301000, 0x8003021f,  // 0: buffer_load_dword v2, v31, s[12:15], 0 offen
      0xe0701000, 0x8003011f,  // 1: buffer_store_dword v1, v31, s[12:15], 0 offen
      0xd8d80000, 0x0300001f,  // 2: ds_read_b32 v3, v31
      0xf4200406, 0xfa000000,  // 3: s_buffer_load_dword s16, s[12:15], 0x0
      0xe0941080, 0x8003021f,  // 4: buffer_load_short_d16_hi v2, v31, s[12:15], 0 offen offset:128
      0xdc300000, 0x027d0008,  // 5: flat_load_dword v2, v[8:9]
      0xf0800f08, 0x00400202,  // 6: image_sample v[2:5], v[2:3], s[0:7], s[8:11] (2D)
      0xf09c0f08, 0x00400202,  // 7: image_sample_lz v[2:5], v[2:3], s[0:7], s[8:11] (2D)
      0xbf810000,              // s_endpgm
  }));
  return *kProgram;
}

WaveState State() {
  WaveState state;
  state.vector.resize(32);
  state.SetLaneMask(isa::kExecLo, 0xf);
  return state;
}

std::vector<Message> Messages(const std::vector<size_t>& ops) {
  std::vector<Message> messages;
  for (const size_t op : ops) messages.push_back(MakeMessage(Ops().ops[op], 0, State()));
  return messages;
}

constexpr size_t kLoad = 0, kStore = 1, kLds = 2, kScalar = 3, kHalf = 4, kFlat = 5, kSample = 6,
                 kSampleOfLevel = 7;

std::vector<Message> At(const std::vector<Message>& messages, const std::vector<size_t>& numbers) {
  std::vector<Message> some;
  for (const size_t n : numbers) some.push_back(messages[n]);
  return some;
}

// The results replace the coordinates from which other lanes of a quad derive their level.
TEST(InFlight, QuadsOfDerivedLevelsStayTogether) {
  const std::vector<Message> m = Messages({kSample, kSampleOfLevel, kLoad});
  EXPECT_TRUE(m[0]->by_quads);
  EXPECT_FALSE(m[1]->by_quads);
  EXPECT_FALSE(m[2]->by_quads);
}

TEST(InFlight, MessagesOfInstructions) {
  const std::vector<Message> m = Messages({kLoad, kStore, kLds, kScalar});
  EXPECT_TRUE(m[0]->vm && !m[0]->vs && !m[0]->lgkm);
  EXPECT_TRUE(m[1]->vs && !m[1]->vm);
  EXPECT_TRUE(m[2]->lgkm && m[2]->by_halves && !m[2]->whole);
  EXPECT_TRUE(m[3]->lgkm && m[3]->whole);
  EXPECT_EQ(m[0]->left, 0xfu);
  EXPECT_EQ(m[0]->results, (Ranges{{258, 259}}));
}

TEST(InFlight, VectorLoadsAreCountedInOrder) {
  const std::vector<Message> m = Messages({kLoad, kStore, kLoad, kLoad});
  EXPECT_EQ(Waited(m, {.vm = 0}), At(m, {0, 2, 3}));
  EXPECT_EQ(Waited(m, {.vm = 1}), At(m, {0, 2}));
  EXPECT_EQ(Waited(m, {.vm = 3}), At(m, {}));
  EXPECT_EQ(Waited(m, {.vs = 0}), At(m, {1}));
  // One in the middle that has taken effect is counted until the first has.
  m[2]->left = 0;
  EXPECT_EQ(Waited(m, {.vm = 2}), At(m, {0}));
  m[0]->left = 0;
  EXPECT_EQ(Waited(m, {.vm = 1}), At(m, {}));
}

TEST(InFlight, ScalarLoadsAreCountedInAnyOrder) {
  const std::vector<Message> m = Messages({kScalar, kScalar, kLds});
  EXPECT_EQ(Waited(m, {.lgkm = 2}), At(m, {1}));
  EXPECT_EQ(Waited(m, {.lgkm = 0}), At(m, {2, 1, 0}));
}

// As llc emits for flat_load, global_load and a use of the first: vmcnt(1) lgkmcnt(0).
TEST(InFlight, FlatLoadsAreInOrderInVmcntAlone) {
  const std::vector<Message> m = Messages({kFlat, kLoad, kFlat, kLds});
  EXPECT_EQ(Waited(m, {.vm = 2}), At(m, {0}));
  EXPECT_EQ(Waited(m, {.vm = 1}), At(m, {0, 1}));
  EXPECT_EQ(Waited(m, {.lgkm = 1}), At(m, {2, 0}));
  EXPECT_EQ(Waited(m, {.lgkm = 0}), At(m, {3, 2, 0}));
}

TEST(InFlight, CleanKeepsWhatCountsNeed) {
  std::vector<Message> m = Messages({kLoad, kLoad, kStore});
  const std::vector<Message> all = m;
  m[1]->left = 0;
  m[2]->released = true;
  Clean(&m);
  EXPECT_EQ(m, At(all, {0, 1}));
  m[0]->left = 0;
  Clean(&m);
  EXPECT_TRUE(m.empty());
}

TEST(InFlight, HalvesKeepTheOtherHalf) {
  const Message m = Messages({kHalf})[0];
  m->payload.vector[2][0] = m->payload.vector[2][1] = 0x11112222;
  WaveState to = State();
  to.vector[2][0] = to.vector[2][1] = 0x33334444;
  CopyResults(*m, 1, to);
  EXPECT_EQ(to.vector[2][0], 0x11114444u);
  EXPECT_EQ(to.vector[2][1], 0x33334444u);
}

TEST(InFlight, RangesOfBytes) {
  Ranges ranges = {{8, 12}, {0, 4}, {4, 8}, {20, 24}};
  Join(&ranges);
  EXPECT_EQ(ranges, (Ranges{{0, 12}, {20, 24}}));
  EXPECT_FALSE(Overlap(ranges, {{12, 20}, {24, 30}}));
  EXPECT_TRUE(Overlap(ranges, {{12, 21}}));
  EXPECT_TRUE(AreWholeLines({{0, 256}, {384, 512}}));
  EXPECT_FALSE(AreWholeLines({{0, 124}}));
  EXPECT_FALSE(AreWholeLines({}));
}

}  // namespace
}  // namespace kiln::sim::rdna2
