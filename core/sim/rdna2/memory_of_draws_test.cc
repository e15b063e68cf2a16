// Tests memory mode of draws: results arrive late in fragments and vertices, and waves of one
// primitive run at the same time.
#include <cstring>
#include <set>
#include <utility>

#include "core/sim/rdna2/draw_testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint64_t kSeeds = 200;

// Loads the dword behind s_getpc_b64, the instruction 0x7e0402f2, into v2 or v6.
const Words kLoadV2 = {
    0xbe821f00,              // s_getpc_b64 s[2:3]
    0x7e0402f2,              // v_mov_b32_e32 v2, 1.0
    0x7e080280,              // v_mov_b32_e32 v4, 0
    0xdc308000, 0x02020004,  // global_load_dword v2, v4, s[2:3]
};
const Words kLoadV6 = {
    0xbe821f00,              // s_getpc_b64 s[2:3]
    0x7e0402f2,              // v_mov_b32_e32 v2, 1.0
    0x7e080280,              // v_mov_b32_e32 v4, 0
    0xdc308000, 0x06020004,  // global_load_dword v6, v4, s[2:3]
};
const Words kWaitLoads = {0xbf8c3f70};  // s_waitcnt vmcnt(0)

// Returns the first pixel's red of all seeds.
std::set<float> Reds(FragmentProgram p) {
  std::set<float> reds;
  p.options.contract = false;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    p.options.memory_seed = seed;
    const auto draw = RunDraw(p);
    EXPECT_TRUE(draw.ok()) << draw.status();
    if (draw.ok()) reds.insert(ColorAt(*draw, 0, 0, 0));
  }
  return reds;
}

TEST(MemoryOfDraws, AnExportDoesNotWaitForLoads) {
  const std::set<float> waited =
      Reds(ProgramOf(Joined({kReady, kLoadV2, kWaitLoads, kExportV2, kEndProgram})));
  EXPECT_EQ(waited.size(), 1u);
  EXPECT_FALSE(waited.contains(1.0f));
  std::set<float> both = waited;
  both.insert(1.0f);
  EXPECT_EQ(Reds(ProgramOf(Joined({kReady, kLoadV2, kExportV2, kEndProgram}))), both);
}

TEST(MemoryOfDraws, VerticesLikewise) {
  const auto positions = [](const Words& wait) {
    std::set<uint32_t> found;
    VertexProgram p = VertexProgramOf(
        Joined({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports, kShadeVertices, kLoadV6,
                wait, kExportPosition, kExportParameter, kEndProgram}));
    p.options.contract = false;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      p.options.memory_seed = seed;
      const auto vertices = RunVertices(p);
      EXPECT_TRUE(vertices.ok()) << vertices.status();
      if (vertices.ok()) found.insert(vertices->entries[vertices->At(0, 0, 0)]);
    }
    return found;
  };
  EXPECT_EQ(positions(kWaitLoads), (std::set<uint32_t>{0x7e0402f2}));
  EXPECT_EQ(positions({}), (std::set<uint32_t>{0, 0x7e0402f2}));
}

// Every fragment adds 1 to a dword; its red is what the dword was.
FragmentProgram Counting() {
  FragmentProgram p = ProgramOf(Joined({
      {
          0xbefc0301,              // s_mov_b32 m0, s1
          0xbe8103ff, 0xffff8000,  // s_mov_b32 s1, 0xffff8000
          0xf4080200, 0xfa000000,  // s_load_dwordx4 s[8:11], s[0:1], 0x0
          0x7e060281,              // v_mov_b32_e32 v3, 1
          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
          0xe0c84000, 0x80020300,  // buffer_atomic_add v3, off, s[8:11], 0 glc
      },
      kWaitLoads,
      {0x7e040d03},  // v_cvt_f32_u32_e32 v2, v3
      kExportV2,
      kEndProgram,
  }));
  p.record.fragment.has_side_effects = true;
  p.record.resources = {{out::ResourceKind::kSsbo, 0, 0, 1, ""}};
  out::DescriptorRange range;
  range.count = 1;
  range.stride = 16;
  range.form = out::DescriptorForm::kBufferResource;
  p.record.descriptor_memory = {range};
  auto& amd = std::get<out::AmdLaunch>(p.record.arch);
  amd.rsrc2 |= 1u << 1;  // USER_SGPR
  amd.user_sgprs = {{0, out::SgprContent::kDescriptorMemory, 0}};
  // Two waves: 8 x 8 pixels.
  p.draw.width = p.draw.height = 8;
  p.draw.quads.clear();
  for (uint16_t y = 0; y < 8; y += 2) {
    for (uint16_t x = 0; x < 8; x += 2) p.draw.quads.push_back({0, x, y, {1, 1, 1, 1}});
  }
  p.draw.targets[0].texels.resize(4 * 64);
  return p;
}

// Runs it with a buffer; returns the red of the first pixel of the upper and of the lower half.
std::pair<float, float> FirstOfWaves(FragmentProgram p) {
  scene::Dispatch dispatch;
  dispatch.buffers.resize(1);
  dispatch.buffers[0].bytes.resize(4);
  dispatch.draw = p.draw;
  std::vector<uint8_t> code(4 * p.body.size());
  std::memcpy(code.data(), p.body.data(), code.size());
  const auto stats = Run(code, p.record, p.options, dispatch);
  EXPECT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(dispatch.buffers[0].bytes[0], 64);
  return {ColorAt(*dispatch.draw, 0, 0, 0), ColorAt(*dispatch.draw, 0, 4, 0)};
}

TEST(MemoryOfDraws, WavesOfAPrimitiveRunTogether) {
  FragmentProgram p = Counting();
  EXPECT_EQ(FirstOfWaves(p), (std::pair<float, float>{0, 32}));
  uint64_t second_first = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    p.options.memory_seed = seed;
    const auto [upper, lower] = FirstOfWaves(p);
    second_first += upper > lower;
    EXPECT_EQ(FirstOfWaves(p), (std::pair{upper, lower})) << seed;  // one seed, one run
  }
  EXPECT_GT(second_first, 0);
  EXPECT_LT(second_first, kSeeds);
}

}  // namespace
}  // namespace kiln::sim::rdna2
