#include "core/sim/rdna2/graphics_rules.h"

#include <utility>

#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::HasSubstr;

// s_mov_b64 s[8:9], 0; s_mov_b64 s[10:11], 0; buffer_store_dword v2, off, s[8:11], 0: to the null
// descriptor.
const Words kStore = {0xbe880480, 0xbe8a0480, 0xe0700000, 0x80020200};
const Words kWholeQuads = {0xbefe097e};             // s_wqm_b32 exec_lo, exec_lo
const Words kSwap = {0x7e0402fa, 0xff00b100};       // v_mov_b32_dpp v2, v0 quad_perm:[1,0,3,2]
const Words kBroadcast = {0x7e0402fa, 0xff000000};  // v_mov_b32_dpp v2, v0 quad_perm:[0,0,0,0]

std::string ErrorOf(FragmentProgram p) {
  return std::string(RunDraw(std::move(p)).status().message());
}

FragmentProgram WithStore(const Words& before) {
  FragmentProgram p = ProgramOf(Joined({kOne, before, kStore, kExportV2, kEndProgram}));
  p.record.fragment.has_side_effects = true;
  return p;
}

TEST(GraphicsRules, FragmentsAnnounceStores) {
  FragmentProgram p = WithStore({});
  EXPECT_EQ(ErrorOf(p), "");
  p.record.fragment.has_side_effects = false;
  EXPECT_THAT(ErrorOf(p), HasSubstr("which the record does not announce"));
}

TEST(GraphicsRules, HelperLanesStoreNothing) {
  FragmentProgram p = WithStore(kWholeQuads);
  EXPECT_EQ(ErrorOf(p), "");
  p.draw.quads[0].coverage = {1, 0, 1, 1};
  EXPECT_THAT(ErrorOf(p), HasSubstr("a helper lane writes memory"));
  p = WithStore({});
  p.draw.quads[0].coverage = {1, 0, 1, 1};
  EXPECT_EQ(ErrorOf(p), "");
}

TEST(GraphicsRules, FragmentsHaveNoBarriers) {
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({{0xbf8a0000}, kExportV2, kEndProgram}))),
              HasSubstr("a barrier"));
}

TEST(GraphicsRules, QuadOperationsReadLanesThatAreOn) {
  const auto error = [](const Words& before, const Words& operation) {
    FragmentProgram p = ProgramOf(Joined({before, operation, kExportV2, kEndProgram}));
    p.draw.quads[1].coverage = {1, 0, 1, 1};
    return ErrorOf(p);
  };
  EXPECT_THAT(error({}, kSwap),
              HasSubstr("an operation of quads reads a helper lane that has never run"));
  EXPECT_EQ(error(kWholeQuads, kSwap), "");
  EXPECT_EQ(error({}, kBroadcast), "");
  // s_mov_b32 exec_lo, 0xffdf: the helper took another side, or ended.
  EXPECT_EQ(error(Joined({kWholeQuads, kOne, {0xbefe03ff, 0x0000ffdf}}), kSwap), "");
}

TEST(GraphicsRules, LevelsOfDetailNeedWholeQuads) {
  WaveState wave;
  const auto check = [&](uint32_t first, uint32_t exec, uint64_t have_run = 0) {
    const uint32_t words[] = {first, 0x00220000};
    auto program = Load({reinterpret_cast<const uint8_t*>(words), 8}, isa::Wave::k32);
    EXPECT_TRUE(program.ok());
    wave.SetLaneMask(isa::kExecLo, exec);
    FragmentWave of;
    of.covered = 0x73;
    of.have_run = have_run;
    return CheckQuads(program->ops[0], of, wave).ok();
  };
  EXPECT_TRUE(check(0xf0800f08, 0xf0));  // image_sample
  EXPECT_FALSE(check(0xf0800f08, 0x70));
  EXPECT_TRUE(check(0xf0800f08, 0x70, 0xf0));
  EXPECT_TRUE(check(0xf0800f08, 0x30));  // a covered lane is off, too
  EXPECT_TRUE(check(0xf09c0f08, 0x70));  // image_sample_lz
}

TEST(GraphicsRules, StoresEndBeforeTheLastPosition) {
  const Words wait = {0xbbfd0000};  // s_waitcnt_vscnt null, 0x0
  const auto error = [](const Words& before, uint32_t config) {
    VertexProgram p =
        VertexProgramOf(Joined({kRequest, kPackPrimitives, kExportPrimitives, kWaitExports,
                                kShadeVertices, before, kExportPosition, kEndProgram}));
    auto& amd = std::get<out::AmdLaunch>(p.record.arch);
    amd.vertex.spi_vs_out_config = config;
    amd.vertex.parameters.clear();
    return std::string(RunVertices(p).status().message());
  };
  constexpr uint32_t kNoParameters = 1 << 7;
  EXPECT_THAT(error(kStore, kNoParameters), HasSubstr("without a wait for vscnt"));
  EXPECT_EQ(error(Joined({kStore, wait}), kNoParameters), "");
  EXPECT_EQ(error(kStore, 0), "");
}

}  // namespace
}  // namespace kiln::sim::rdna2
