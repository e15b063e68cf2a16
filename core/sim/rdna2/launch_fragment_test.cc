#include "core/sim/rdna2/launch_fragment.h"

#include <utility>

#include "core/base/float_bits.h"
#include "core/sim/rdna2/draw_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::HasSubstr;

out::AmdFragment& StateOf(FragmentProgram& p) {
  return std::get<out::AmdLaunch>(p.record.arch).fragment;
}

// Fills the only wave of a program's draw whose inputs have these bits.
WaveState Filled(FragmentProgram p, uint32_t inputs) {
  StateOf(p).spi_ps_input_ena = StateOf(p).spi_ps_input_addr = inputs;
  std::vector<FragmentWave> waves = FragmentWaves(p.record, false, {0, 4}, p.draw);
  EXPECT_EQ(waves.size(), 1u);
  WaveState w;
  w.vector.resize(16);
  FillFragmentWave(waves[0], 3, w);
  EXPECT_EQ(w.scalar[3], waves[0].prim_mask);
  return w;
}

std::vector<float> Floats(const WaveState& w, int lane, size_t count) {
  std::vector<float> values;
  for (size_t r = 0; r < count; ++r) {
    values.push_back(AsFloat(w.vector[r][static_cast<size_t>(lane)]));
  }
  return values;
}

// Lane 6 is pixel (2, 1).
constexpr int kLane = 6;

TEST(LaunchFragment, InputsStandInTheOrderOfTheirBits) {
  const FragmentProgram p = ProgramOf(kEndProgram);
  // Centre with perspective, without, position.
  EXPECT_THAT(Floats(Filled(p, 1 << 1 | 1 << 5 | 0xf << 8), kLane, 8),
              testing::ElementsAre(0.625f, 0.375f, 0.625f, 0.375f, 2.5f, 1.5f, 0.25f, 1.0f));
}

TEST(LaunchFragment, PerspectiveWeighsByW) {
  FragmentProgram p = ProgramOf(kEndProgram);
  p.draw.primitives[0].inverse_w = {0.5, 1, 1};
  // Pixel (2, 1): weights 0, 0.625, 0.375.
  EXPECT_THAT(Floats(Filled(p, 1 << 1 | 1 << 5), kLane, 4),
              testing::ElementsAre(0.625f, 0.375f, 0.625f, 0.375f));
  // Pixel (0, 0), lane 0: weights 0.75, 0.125, 0.125; 1 / w is 0.625.
  EXPECT_THAT(Floats(Filled(p, 1 << 1 | 1 << 5), 0, 4),
              testing::ElementsAre(0.2f, 0.2f, 0.125f, 0.125f));
  // The pull model: i / w, j / w, 1 / w; and 1 / w as the position has it.
  EXPECT_THAT(Floats(Filled(p, 1 << 3 | 1 << 11), 0, 4),
              testing::Pointwise(testing::FloatEq(), {0.125f, 0.125f, 0.625f, 0.625f}));
}

TEST(LaunchFragment, FacesLayersCoverageAndPixels) {
  FragmentProgram p = ProgramOf(kEndProgram);
  p.draw.primitives[0].back_facing = true;
  p.draw.primitives[0].layer = 3;
  const WaveState w = Filled(p, 1 << 1 | 0xf << 12);
  EXPECT_LT(AsFloat(w.vector[2][kLane]), 0);
  EXPECT_EQ(w.vector[3][kLane], 3u << 16);
  EXPECT_EQ(w.vector[4][kLane], 1u);
  EXPECT_EQ(w.vector[5][kLane], 2u | 1u << 16);
}

TEST(LaunchFragment, PlacesWithoutContentsStayUndefined) {
  FragmentProgram p = ProgramOf(kEndProgram);
  StateOf(p).spi_ps_input_addr = 1 << 0 | 1 << 1;
  StateOf(p).spi_ps_input_ena = 1 << 1;
  std::vector<FragmentWave> waves = FragmentWaves(p.record, false, {0, 4}, p.draw);
  WaveState w;
  w.vector.resize(4);
  w.vector[0][kLane] = 77;
  FillFragmentWave(waves[0], 0, w);
  EXPECT_EQ(w.vector[0][kLane], 77u);
  EXPECT_EQ(AsFloat(w.vector[2][kLane]), 0.625f);
}

TEST(LaunchFragment, HelperLanesHaveInputsAndAreOff) {
  FragmentProgram p = ProgramOf(kEndProgram);
  p.draw.quads[1].coverage = {1, 1, 0, 1};
  const WaveState w = Filled(p, 1 << 1);
  EXPECT_EQ(w.Exec(), 0xffffu & ~(1u << kLane));
  EXPECT_EQ(AsFloat(w.vector[0][kLane]), 0.625f);
}

TEST(LaunchFragment, CentroidAndSamplesOfSeveral) {
  FragmentProgram p = ProgramOf(kEndProgram);
  p.record.fragment.samples = p.draw.samples = 4;
  p.record.fragment.per_sample = true;
  p.draw.quads = {{0, 0, 0, {0b1110, 0, 0, 0}}};
  std::vector<FragmentWave> waves = FragmentWaves(p.record, false, {0, 1}, p.draw);
  ASSERT_EQ(waves.size(), 1u);
  StateOf(p).spi_ps_input_ena = StateOf(p).spi_ps_input_addr = 1 << 4 | 1 << 6 | 1 << 13 | 1 << 14;
  WaveState w;
  w.vector.resize(8);
  FillFragmentWave(waves[0], 0, w);
  // Sample 2 is lane 8, at (2, 10) / 16; the centroid is the first covered sample, (14, 6) / 16.
  EXPECT_EQ(w.Exec(), uint64_t{0x1110});
  EXPECT_THAT(Floats(w, 8, 4), testing::ElementsAre(2 / 64.0f, 10 / 64.0f, 14 / 64.0f, 6 / 64.0f));
  EXPECT_EQ(w.vector[4][8], 2u << 8);
  EXPECT_EQ(w.vector[5][8], 0b1110u);
  EXPECT_EQ(PixelState(p.record, p.draw, p.draw.primitives[0]), 4u | 0x1111u << 6 | 2u << 22);
}

// Beside centres the hardware leaves centroids out where nothing is covered in part.
TEST(LaunchFragment, CentroidsOfWholePixelsAreLeftOut) {
  FragmentProgram p = ProgramOf(kEndProgram);
  p.record.fragment.samples = p.draw.samples = 4;
  constexpr uint32_t kUntouched = 77;
  const auto centroid_of_whole = [&](uint32_t ena, uint32_t coverage) {
    p.draw.quads = {{0, 0, 0, {coverage, 15, 15, 15}}};
    std::vector<FragmentWave> waves = FragmentWaves(p.record, false, {0, 1}, p.draw);
    StateOf(p).spi_ps_input_ena = StateOf(p).spi_ps_input_addr = ena;
    WaveState w;
    w.vector.resize(4);
    const size_t first = (ena & 2) != 0 ? 2 : 0;
    w.vector[first][1] = kUntouched;
    FillFragmentWave(waves[0], 0, w);
    EXPECT_EQ(waves[0].prim_mask >> 31, coverage == 15 ? 1u : 0u);
    return w.vector[first][1];
  };
  EXPECT_EQ(centroid_of_whole(1 << 1 | 1 << 2, 15), kUntouched);
  EXPECT_NE(centroid_of_whole(1 << 1 | 1 << 2, 7), kUntouched);
  EXPECT_NE(centroid_of_whole(1 << 2, 15), kUntouched);
}

// LOAD_PROVOKING_VTX: i and j belong to vertices in an order that begins anywhere; the place of
// vertex 0 is in two bits for each quad.
TEST(LaunchFragment, ProvokingVerticesFollowPrimMask) {
  FragmentProgram p = ProgramOf(kEndProgram);
  // Vertices 0, 1 and 2 have these weights at the centre of pixel (2, 1), lane 6.
  p.draw.primitives[0].weight = {{{0, 0, 0.125}, {0, 0, 0.25}, {0, 0, 0.625}}};
  const auto filled = [&](uint32_t number, uint32_t vertices) {
    p.draw.primitives[0].number = number;
    p.draw.primitives[0].vertices = vertices;
    return Filled(p, 1 << 1 | 1 << 5);
  };
  EXPECT_THAT(Floats(filled(0, 3), kLane, 4), testing::ElementsAre(0.25f, 0.625f, 0.25f, 0.625f));
  std::get<out::AmdLaunch>(p.record.arch).rsrc1 |= 1u << 27;
  const WaveState first = filled(0, 3), second = filled(1, 3), third = filled(2, 3);
  EXPECT_EQ(first.scalar[4], 0x55555555u);
  EXPECT_EQ(second.scalar[4], 0xaaaaaaaau);
  EXPECT_EQ(third.scalar[4], 0u);
  // Vertices 2, 0, 1; then 1, 2, 0.
  EXPECT_THAT(Floats(first, kLane, 4), testing::ElementsAre(0.125f, 0.25f, 0.125f, 0.25f));
  EXPECT_THAT(Floats(second, kLane, 4), testing::ElementsAre(0.625f, 0.125f, 0.625f, 0.125f));
  EXPECT_THAT(Floats(third, kLane, 4), testing::ElementsAre(0.25f, 0.625f, 0.25f, 0.625f));
  EXPECT_EQ(filled(0, 2).scalar[4], 0u) << "a line has one order";
  EXPECT_EQ(PixelState(p.record, p.draw, p.draw.primitives[0]) >> 22, 1u);
}

// A wave with quads of two primitives: a value of one lane is not that of all.
TEST(LaunchFragment, PrimitivesShareWaves) {
  const Words uniform = {
      0xc80a0002,  // v_interp_mov_f32_e32 v2, p0, attr0.x
      0x7e080502,  // v_readfirstlane_b32 s4, v2
      0x7e040204,  // v_mov_b32_e32 v2, s4
  };
  const auto reds = [](const Words& body, bool together, bool apart) {
    FragmentProgram p = ProgramOf(Joined({kReady, body, kExportV2, kEndProgram}));
    p.draw.primitives.push_back(p.draw.primitives[0]);
    p.draw.primitives[1].number = 8;
    p.draw.primitives[1].values = {{0, 0, {AsBits(9.0f), AsBits(9.0f), AsBits(9.0f)}}};
    p.draw.quads[2].primitive = p.draw.quads[3].primitive = 1;
    if (!apart) p.draw.quads[2].y = 0;
    p.options.waves_of_primitives = together;
    const auto draw = RunDraw(std::move(p));
    EXPECT_TRUE(draw.ok()) << draw.status();
    return draw.ok() ? std::pair{ColorAt(*draw, 3, 0, 0), ColorAt(*draw, 3, 3, 0)}
                     : std::pair{0.0f, 0.0f};
  };
  const Words own = {0xc80a0002};
  EXPECT_EQ(reds(own, false, true), (std::pair{1.0f, 9.0f}));
  EXPECT_EQ(reds(own, true, true), (std::pair{1.0f, 9.0f}));
  EXPECT_EQ(reds(kInterpolate, true, true), (std::pair{1 + 2 * 0.875f + 4 * 0.125f, 9.0f}));
  EXPECT_EQ(reds(uniform, false, true), (std::pair{1.0f, 9.0f}));
  EXPECT_EQ(reds(uniform, true, true), (std::pair{1.0f, 1.0f}));
  EXPECT_EQ(reds(uniform, true, false), (std::pair{1.0f, 9.0f})) << "a quad at the same place";
}

// Each bit of DB_SHADER_CONTROL alone against what the record says otherwise.
TEST(LaunchFragment, DepthControlAgreesWithTheRecord) {
  constexpr uint32_t kEarlyThenLate = 1 << 4, kMemory = 1 << 9 | 1 << 10;
  const auto agrees = [](uint32_t control, auto change) {
    FragmentProgram p = ProgramOf(kEndProgram);
    StateOf(p).db_shader_control = control;
    change(p.record.fragment);
    return CheckFragmentRecord(p.record, p.draw).ok();
  };
  const auto nothing = [](out::FragmentLaunch&) {};
  const auto memory = [](out::FragmentLaunch& f) { f.has_side_effects = true; };
  const auto early = [](out::FragmentLaunch& f) { f.has_side_effects = f.early_tests = true; };
  const auto less = [](out::FragmentLaunch& f) { f.depth = out::DepthOutput::kLess; };
  EXPECT_TRUE(agrees(kEarlyThenLate, nothing));
  for (const int bit : {0, 1, 8, 9, 10, 12, 13, 14, 23}) {
    EXPECT_FALSE(agrees(kEarlyThenLate | 1u << bit, nothing)) << bit;
  }
  EXPECT_TRUE(agrees(kMemory, memory));
  EXPECT_FALSE(agrees(kMemory | kEarlyThenLate, memory)) << "fragments that fail do not run";
  EXPECT_FALSE(agrees(1 << 9, memory));
  EXPECT_FALSE(agrees(1 << 10, memory));
  EXPECT_TRUE(agrees(kMemory | kEarlyThenLate | 1 << 12, early));
  EXPECT_FALSE(agrees(kMemory | kEarlyThenLate, early));
  EXPECT_TRUE(agrees(kEarlyThenLate | 1 | 1 << 13, less));
  EXPECT_TRUE(agrees(kEarlyThenLate | 1, less));
  EXPECT_FALSE(agrees(kEarlyThenLate | 1 << 13, less));
  EXPECT_FALSE(agrees(kEarlyThenLate | 1 | 2 << 13, less));
}

TEST(LaunchFragment, RefusesWhatTheHardwareLacks) {
  const auto error = [](auto change) {
    FragmentProgram p = ProgramOf(kEndProgram);
    change(p);
    return std::string(CheckFragmentRecord(p.record, p.draw).message());
  };
  EXPECT_EQ(error([](FragmentProgram&) {}), "");
  EXPECT_THAT(error([](auto& p) {
                StateOf(p).db_shader_control = 1 << 6;
                StateOf(p).spi_shader_col_format = StateOf(p).cb_shader_mask = 0;
              }),
              HasSubstr("without memory for exports"));
  EXPECT_THAT(error([](auto& p) { StateOf(p).spi_ps_input_addr = 1; }),
              HasSubstr("without a place"));
  EXPECT_THAT(
      error([](auto& p) { StateOf(p).spi_ps_input_ena = StateOf(p).spi_ps_input_addr = 1 << 8; }),
      HasSubstr("no barycentrics"));
  EXPECT_THAT(error([](auto& p) {
                StateOf(p).spi_ps_input_ena = StateOf(p).spi_ps_input_addr = 1 << 5 | 1 << 11;
              }),
              HasSubstr("w of the position"));
  EXPECT_THAT(error([](auto& p) { StateOf(p).spi_ps_input_cntl.clear(); }), HasSubstr("number of"));
  EXPECT_THAT(error([](auto& p) { StateOf(p).spi_shader_col_format = 10; }), HasSubstr("colours"));
  EXPECT_THAT(error([](auto& p) { StateOf(p).spi_shader_z_format = 4; }), HasSubstr("depth"));
  EXPECT_THAT(error([](auto& p) { p.record.fragment.samples = 4; }),
              HasSubstr("1 samples a pixel"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
