#include "core/sim/rdna2/export_fragment.h"

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

std::string ErrorOf(FragmentProgram p) {
  return std::string(RunDraw(std::move(p)).status().message());
}

TEST(ExportFragment, WritesTheTargetAtTheLastExport) {
  auto draw = RunDraw(ProgramOf(Joined({kOne, kExportV2, kEndProgram})));
  ASSERT_TRUE(draw.ok()) << draw.status();
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(ColorAt(*draw, i % 4, i / 4, 3), 1.0f);
}

TEST(ExportFragment, ReadsWhatTheFormatHas) {
  const Words halves = {0x7e0402ff, 0x40003c00};  // v_mov_b32_e32 v2, 0x40003c00
  const Words compressed = {0xf8001c0f, 0x00000202};
  FragmentProgram p = ProgramOf(Joined({halves, compressed, kEndProgram}));
  StateOf(p).spi_shader_col_format = 4;
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(ColorAt(*draw, 1, 1, 0), 1.0f);
  EXPECT_EQ(ColorAt(*draw, 1, 1, 1), 2.0f);
  EXPECT_EQ(ColorAt(*draw, 1, 1, 2), 1.0f);
  const Words limits = {0x7e0402ff, 0xffff8000};  // v_mov_b32_e32 v2, 0xffff8000
  const auto texel = [&](uint32_t format, size_t component) {
    FragmentProgram q = ProgramOf(Joined({limits, compressed, kEndProgram}));
    StateOf(q).spi_shader_col_format = format;
    auto drawn = RunDraw(q);
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    return drawn.ok() ? drawn->targets[0].texels[component] : 0;
  };
  EXPECT_EQ(texel(5, 1), AsBits(1.0f));
  EXPECT_EQ(texel(6, 0), AsBits(-1.0f));
  EXPECT_EQ(texel(7, 0), 0x8000u);
  EXPECT_EQ(texel(8, 0), 0xffff8000u);
}

TEST(ExportFragment, TakesAlphaFromTheSecondChannelOfAr) {
  FragmentProgram p =
      ProgramOf(Joined({kOne, kTwo, {0xf8001803, 0x00000302}, kEndProgram}));  // v2, v3
  StateOf(p).spi_shader_col_format = 3;
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(ColorAt(*draw, 2, 0, 0), 1.0f);
  EXPECT_EQ(ColorAt(*draw, 2, 0, 1), 0.0f);
  EXPECT_EQ(ColorAt(*draw, 2, 0, 3), 2.0f);
}

TEST(ExportFragment, NumbersTargetsWithoutHoles) {
  // exp mrt0 v2; exp mrt1 v3 done vm
  FragmentProgram p = ProgramOf(
      Joined({kOne, kTwo, {0xf800000f, 0x02020202, 0xf800181f, 0x03030303}, kEndProgram}));
  p.record.fragment.colors = {0, 2};
  StateOf(p).spi_shader_col_format = 0x99;
  StateOf(p).cb_shader_mask = 0xf0f;
  scene::RenderTarget third = p.draw.targets[0];
  third.location = 2;
  p.draw.targets.push_back(third);
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(ColorAt(*draw, 0, 0, 0, 0), 1.0f);
  EXPECT_EQ(ColorAt(*draw, 0, 0, 0, 1), 2.0f);
}

TEST(ExportFragment, WritesTheLanesThatAreLeft) {
  // s_and_b32 exec_lo, exec_lo, 0x555
  FragmentProgram p = ProgramOf(Joined({kOne, {0x877eff7e, 0x00000555}, kExportV2, kEndProgram}));
  EXPECT_THAT(ErrorOf(p), HasSubstr("state says that none is killed"));
  StateOf(p).db_shader_control = 1 << 6;
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(ColorAt(*draw, 0, 0, 0), 1.0f);
  EXPECT_EQ(ColorAt(*draw, 1, 0, 0), 0.0f);
  EXPECT_EQ(ColorAt(*draw, 2, 2, 0), 0.0f);
}

TEST(ExportFragment, RefusesLanesThatExportedNothing) {
  // Every other lane exports to mrt0, all make the last export.
  FragmentProgram p = ProgramOf(Joined({kOne,
                                        {0x877eff7e, 0x00000555, 0xf800000f, 0x02020202},
                                        {0xbf8cff0f, 0xbefe03c1},  // wait, exec = -1
                                        {0xf800181f, 0x03030303},
                                        kEndProgram}));
  StateOf(p).spi_shader_col_format = 0x99;
  StateOf(p).cb_shader_mask = 0xff;
  EXPECT_THAT(ErrorOf(p), HasSubstr("lanes are left that exported nothing to target 0"));
}

TEST(ExportFragment, TakesDepthStencilAndMask) {
  const Words mrtz = {0xf8000087, 0x00040302};  // exp mrtz v2, v3, v4
  const Words none = {0x7e080280};              // v_mov_b32_e32 v4, 0
  const Words stencil = {0x7e060285};           // v_mov_b32_e32 v3, 5
  FragmentProgram p = ProgramOf(Joined({kOne, stencil, none, mrtz, kExportV2, kEndProgram}));
  StateOf(p).spi_shader_z_format = 9;
  p.record.fragment.depth = out::DepthOutput::kAny;
  p.record.fragment.writes_stencil = true;
  p.draw.depth.assign(16, 0.25f);
  p.draw.stencil.assign(16, 0);
  scene::StencilFace face;
  face.pass = scene::StencilOp::kReplace;
  p.draw.output.stencil = {face, face};
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->depth[5], 1.0f);
  EXPECT_EQ(draw->stencil[5], 5);
  EXPECT_EQ(ColorAt(*draw, 1, 1, 0), 1.0f);
  p.record.fragment.writes_sample_mask = true;
  draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->depth[5], 0.25f);
  EXPECT_EQ(ColorAt(*draw, 1, 1, 0), 0.0f);
}

// An alpha of 0.5 covers half of 4 samples.
TEST(ExportFragment, TakesCoverageFromAlpha) {
  const Words half = {0x7e0402f0};                 // v_mov_b32_e32 v2, 0.5
  const Words mrtz_ar = {0xf8000083, 0x00000203};  // exp mrtz v3, v2
  const auto samples_with = [](const FragmentProgram& p) {
    FragmentProgram q = p;
    q.draw.samples = q.record.fragment.samples = 4;
    for (scene::Quad& quad : q.draw.quads) quad.coverage = {15, 15, 15, 15};
    q.draw.targets[0].texels.assign(4 * 4 * 16, 0);
    q.draw.coverage.assign(16, 0);
    const auto draw = RunDraw(q);
    EXPECT_TRUE(draw.ok()) << draw.status();
    return draw.ok() ? draw->coverage[5] : 0xff;
  };
  FragmentProgram p = ProgramOf(Joined({half, kExportV2, kEndProgram}));
  EXPECT_EQ(samples_with(p), 15u);
  p.draw.output.alpha_to_coverage = true;
  EXPECT_THAT(ErrorOf(p), HasSubstr("not what the program was compiled for"));
  p.record.fragment.alpha_to_coverage = true;
  EXPECT_EQ(samples_with(p), 3u);
  // Colours have alpha 1; the alpha for coverage is exported with depth.
  const Words three = {0x7e0602f2};             // v_mov_b32_e32 v3, 1.0
  const Words ones = {0xf800180f, 0x03030303};  // exp mrt0 v3, v3, v3, v3 done vm
  FragmentProgram both = ProgramOf(Joined({half, three, mrtz_ar, ones, kEndProgram}));
  both.draw.output.alpha_to_coverage = both.record.fragment.alpha_to_coverage = true;
  both.record.fragment.depth = out::DepthOutput::kAny;
  StateOf(both).spi_shader_z_format = 3;
  EXPECT_THAT(ErrorOf(both), HasSubstr("an alpha beside depth that nothing is made of"));
  StateOf(both).db_shader_control = kCoverageToMask | 1;  // Z_EXPORT_ENABLE
  EXPECT_EQ(samples_with(both), 3u);
  StateOf(both).spi_shader_z_format = 1;
  EXPECT_THAT(ErrorOf(both), HasSubstr("coverage from alpha without its export"));
}

TEST(ExportFragment, RefusesMissingDepth) {
  FragmentProgram p = ProgramOf(Joined({kOne, kExportV2, kEndProgram}));
  StateOf(p).spi_shader_z_format = 1;
  EXPECT_THAT(ErrorOf(p), HasSubstr("without the depth that state says"));
}

TEST(ExportFragment, RefusesTwoLastExportsAndNone) {
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({kOne, kExportV2, kExportV2, kEndProgram}))),
              HasSubstr("after the last one (done) of the wave"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({kOne, kEndProgram}))),
              HasSubstr("ends without a last export (done)"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({kOne, {0xf800000f, 0x02020202}, kEndProgram}))),
              HasSubstr("ends without a last export (done)"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({kOne, {0xf800080f, 0x02020202}, kEndProgram}))),
              HasSubstr("does not say which lanes are left (vm)"));
}

TEST(ExportFragment, NeedsNoExportWithoutOutputs) {
  FragmentProgram p = ProgramOf(kEndProgram);
  StateOf(p).spi_shader_col_format = StateOf(p).cb_shader_mask = 0;
  p.record.fragment.colors.clear();
  p.draw.targets.clear();
  p.draw.depth.assign(16, 1.0f);
  auto draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->depth[0], 0.0625f);
  // A program that discards says which lanes are left: here none.
  StateOf(p).db_shader_control = 1 << 6;
  StateOf(p).spi_shader_col_format = 1;  // exports have memory
  EXPECT_THAT(ErrorOf(p), HasSubstr("ends without a last export (done)"));
  p.body = Joined({kNoLanes, {0xf8001890, 0x00000000}, kEndProgram});
  std::get<out::AmdLaunch>(p.record.arch).instruction_bytes = 16;
  draw = RunDraw(p);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->depth[0], 1.0f);
}

TEST(ExportFragment, RefusesWhatDoesNotFitTheState) {
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({{0xf800181f, 0x03030303}, kEndProgram}))),
              HasSubstr("to a target without format"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({{0xf8001c0f, 0x00000202}, kEndProgram}))),
              HasSubstr("compressed and the format's are not alike"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({{0xf8001090, 0x00000000}, kExportV2, kEndProgram}))),
              HasSubstr("to the null target, not the last one"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({{0xf80008cf, 0x02020202}, kEndProgram}))),
              HasSubstr("of a vertex program's target"));
  EXPECT_THAT(ErrorOf(ProgramOf(Joined({{0xf800000f, 0x02020202}, kExportV2, kEndProgram}))),
              HasSubstr("to a target for the second time"));
}

}  // namespace
}  // namespace kiln::sim::rdna2
