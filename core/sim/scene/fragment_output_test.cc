#include "core/sim/scene/fragment_output.h"

#include <algorithm>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

FragmentInputs Draw(uint32_t samples = 1) {
  FragmentInputs draw;
  draw.width = draw.height = 2;
  draw.layers = 2;
  draw.samples = samples;
  const size_t size = size_t{8} * samples;
  draw.targets = {{0, std::vector<uint32_t>(4 * size)}};
  draw.depth.assign(size, 1.0f);
  draw.stencil.assign(size, 7);
  draw.sample_mask.assign(8, 0);
  draw.coverage.assign(8, 0);
  return draw;
}

// A shape of depth x / 2 everywhere.
Primitive Sloped() {
  Primitive p;
  p.layer = 1;
  p.weight = {{{0, 0, 1}, {0.5, 0, 0}, {0, 0, 0}}};
  p.depth = {0, 1, 0};
  return p;
}

TEST(FragmentOutput, WritesItsSamplesInItsLayer) {
  FragmentInputs draw = Draw(4);
  const Primitive shape = Sloped();
  const FragmentPixel at = {&shape, {1, 0}};
  const uint32_t passed = TestFragment(at, {0b0101, {}, {}}, draw);
  EXPECT_EQ(passed, 0b0101u);
  WriteColor(at, passed, {1, 2, 3, 4}, {}, draw, draw.targets[0]);
  const size_t first = draw.At(1, 2, 0);
  for (size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(draw.targets[0].texels[4 * (first + s) + 3], s % 2 == 0 ? 4u : 0u);
    EXPECT_EQ(draw.stencil[first + s], 7);
  }
  EXPECT_EQ(draw.depth[first], (1 + 6 / 16.0f) / 2);
  EXPECT_EQ(draw.depth[first + 1], 1.0f);
  EXPECT_EQ(draw.sample_mask[5], 0u);
  for (const uint32_t samples : {0b0101u, 0b1000u, 0u}) NoteWritten(at, samples, draw);
  EXPECT_EQ(draw.sample_mask[5], 0b1000u);
  EXPECT_EQ(draw.coverage[5], 0b1101u);
}

TEST(FragmentOutput, ComputedDepthReplacesThatOfThePrimitive) {
  FragmentInputs draw = Draw();
  const Primitive shape = Sloped();
  TestFragment({&shape, {0, 0}}, {1, 0.25f, {}}, draw);
  EXPECT_EQ(draw.depth[draw.At(0, 2, 0)], 0.25f);
}

// An exported value is only the reference of the stencil test: it is stored where an operation
// replaces by the reference (VK_EXT_shader_stencil_export, "Stencil Reference Replacement").
TEST(FragmentOutput, AnExportedStencilValueIsTheReference) {
  const Primitive shape = Sloped();
  const auto stored = [&shape](bool has_state, CompareFunction depth) {
    FragmentInputs draw = Draw();
    if (has_state) draw.output.stencil.emplace().front.pass = StencilOp::kReplace;
    draw.output.depth.compare = depth;
    TestFragment({&shape, {0, 0}}, {1, {}, uint8_t{9}}, draw);
    return int{draw.stencil[draw.At(0, 2, 0)]};
  };
  EXPECT_EQ(stored(true, CompareFunction::kAlways), 9);
  EXPECT_EQ(stored(true, CompareFunction::kNever), 7);
  EXPECT_EQ(stored(false, CompareFunction::kAlways), 7);
  EXPECT_EQ(stored(false, CompareFunction::kNever), 7);
}

TEST(FragmentOutput, DepthTest) {
  const Primitive shape = Sloped();
  const FragmentPixel at = {&shape, {0, 0}};  // depth 1/4
  for (const float stored : {0.125f, 0.25f, 0.5f}) {
    for (const CompareFunction f : {CompareFunction::kLess, CompareFunction::kGreaterEqual}) {
      for (const bool write : {false, true}) {
        FragmentInputs draw = Draw();
        draw.depth.assign(8, stored);
        draw.output.depth.compare = f;
        draw.output.depth.write = write;
        const bool want = f == CompareFunction::kLess ? 0.25f < stored : 0.25f >= stored;
        EXPECT_EQ(TestFragment(at, {1, {}, {}}, draw), want ? 1u : 0u);
        EXPECT_EQ(draw.depth[4], want && write ? 0.25f : stored);
      }
    }
  }
}

TEST(FragmentOutput, DepthIsRoundedToItsFormatBeforeTheTest) {
  FragmentInputs draw = Draw();
  draw.output.depth.format = TexelFormat::kD16;
  draw.output.depth.compare = CompareFunction::kEqual;
  draw.depth.assign(8, 16384 / 65535.0f);
  const Primitive shape = Sloped();
  EXPECT_EQ(TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw), 1u);
}

// Vulkan 1.3, "Depth Clamping and Range Adjustment", with depthClampZeroOne: biased or exported
// depth beyond the range.
TEST(FragmentOutput, DepthOfAFormatIsClampedFromZeroToOne) {
  const Primitive shape = Sloped();
  for (const TexelFormat format : {TexelFormat::kD32f, TexelFormat::kD16, TexelFormat::kD24}) {
    for (const float z : {1.9f, -0.5f}) {
      FragmentInputs draw = Draw();
      draw.output.depth.format = format;
      TestFragment({&shape, {0, 0}}, {1, z, {}}, draw);
      EXPECT_EQ(draw.depth[4], z > 0 ? 1.0f : 0.0f);
    }
  }
  FragmentInputs draw = Draw();
  TestFragment({&shape, {0, 0}}, {1, 1.9f, {}}, draw);
  EXPECT_EQ(draw.depth[4], 1.9f);
}

TEST(FragmentOutput, DepthBoundsTestTheStoredDepth) {
  FragmentInputs draw = Draw();
  draw.depth.assign(8, 0.5f);
  const Primitive shape = Sloped();
  draw.output.depth.bounds = {0.25f, 0.5f};
  EXPECT_EQ(TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw), 1u);
  EXPECT_EQ(TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw), 1u);  // 1/4 now
  draw.output.depth.bounds = {0.5f, 1};
  EXPECT_EQ(TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw), 0u);
}

TEST(FragmentOutput, DepthClamp) {
  FragmentInputs draw = Draw();
  Primitive shape = Sloped();
  shape.depth_range = {0.5f, 0.75f};
  draw.raster.depth_clamp = true;
  TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw);
  EXPECT_EQ(draw.depth[4], 0.5f);
  TestFragment({&shape, {0, 0}}, {1, 2.0f, {}}, draw);
  EXPECT_EQ(draw.depth[4], 0.75f);
}

// The three operations, by what fails.
TEST(FragmentOutput, StencilOperations) {
  Primitive shape = Sloped();
  const auto run = [&shape](const StencilFace& face, CompareFunction depth, uint8_t stored) {
    FragmentInputs draw = Draw();
    draw.output.stencil = StencilState{face, {}};
    draw.output.depth.compare = depth;
    draw.stencil.assign(8, stored);
    const uint32_t passed = TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw);
    return std::make_pair(passed, int{draw.stencil[4]});
  };
  StencilFace face;
  face.fail = StencilOp::kInvert;
  face.depth_fail = StencilOp::kIncrementClamp;
  face.pass = StencilOp::kReplace;
  face.compare = CompareFunction::kEqual;
  face.reference = 0x15;
  face.compare_mask = 0x0f;
  EXPECT_EQ(run(face, CompareFunction::kAlways, 0xa5), std::make_pair(1u, 0x15));
  EXPECT_EQ(run(face, CompareFunction::kNever, 0xa5), std::make_pair(0u, 0xa6));
  EXPECT_EQ(run(face, CompareFunction::kAlways, 0xa6), std::make_pair(0u, 0x59));
  face.write_mask = 0xf0;
  EXPECT_EQ(run(face, CompareFunction::kAlways, 0xa5), std::make_pair(1u, 0x15));
  EXPECT_EQ(run(face, CompareFunction::kNever, 0xaf), std::make_pair(0u, 0xaf ^ 0xaf ^ 0x5f));
  // The back has its own state: keep.
  shape.back_facing = true;
  EXPECT_EQ(run(face, CompareFunction::kAlways, 0xa5), std::make_pair(1u, 0xa5));
}

TEST(FragmentOutput, StencilArithmetic) {
  const Primitive shape = Sloped();
  struct Case {
    StencilOp op;
    int from, to;
  };
  for (const Case& c :
       {Case{StencilOp::kIncrementClamp, 255, 255}, Case{StencilOp::kDecrementClamp, 0, 0},
        Case{StencilOp::kIncrementWrap, 255, 0}, Case{StencilOp::kDecrementWrap, 0, 255},
        Case{StencilOp::kZero, 9, 0}, Case{StencilOp::kKeep, 9, 9},
        Case{StencilOp::kDecrementClamp, 9, 8}}) {
    FragmentInputs draw = Draw();
    draw.output.stencil.emplace().front.pass = c.op;
    draw.stencil.assign(8, static_cast<uint8_t>(c.from));
    TestFragment({&shape, {0, 0}}, {1, {}, {}}, draw);
    EXPECT_EQ(draw.stencil[4], c.to);
  }
}

TEST(FragmentOutput, TheSampleMaskRemovesSamples) {
  FragmentInputs draw = Draw(4);
  draw.output.sample_mask = 0b0011;
  const Primitive shape = Sloped();
  EXPECT_EQ(TestFragment({&shape, {0, 0}}, {0b1110, {}, {}}, draw), 0b0010u);
}

TEST(FragmentOutput, EarlyTestsRemoveCoverage) {
  FragmentInputs draw = Draw();
  draw.primitives = {Sloped()};
  draw.quads = {{0, 0, 0, {1, 1, 1, 0}}};
  draw.output.depth.compare = CompareFunction::kLess;
  draw.depth[draw.At(0, 2, 0)] = 0;
  TestEarly(0, 1, draw);
  EXPECT_EQ(draw.quads[0].coverage, (std::array<uint32_t, 4>{0, 1, 1, 0}));
  EXPECT_EQ(draw.depth[draw.At(1, 2, 0)], 0.75f);
}

// The point of an input with `centroid` is inside the primitive whatever removes samples before the
// program runs: here a triangle over the samples 0 and 1 of four.
TEST(FragmentOutput, CentroidsAreSamplesThatAreLeft) {
  const absl::Span<const Point> places = SamplePositions(4);
  for (const bool early : {false, true}) {
    FragmentInputs draw = Draw(4);
    draw.primitives = {Sloped()};
    draw.quads = {{0, 0, 0, {0b0011, 0, 0, 0}}};
    if (early) {
      draw.output.depth.compare = CompareFunction::kLess;
      draw.depth[draw.At(0, 2, 0)] = 0;
      TestEarly(0, 1, draw);
    } else {
      draw.output.sample_mask = 0b1110;
      MaskCoverage(0, 1, draw);
    }
    const Point at = Centroid(draw.quads[0].coverage[0], 4);
    EXPECT_EQ(at.x, places[1].x);
    EXPECT_EQ(at.y, places[1].y);
  }
}

TEST(FragmentOutput, FormatsRoundAndMasksKeep) {
  FragmentInputs draw = Draw();
  RenderTarget& target = draw.targets[0];
  target.format = TexelFormat::kRgba8;
  target.write_mask = 0b0101;
  const Primitive shape = Sloped();
  WriteColor({&shape, {0, 0}}, 1, {AsBits(0.501f), AsBits(1), AsBits(7), AsBits(1)}, {}, draw,
             target);
  const std::vector<uint8_t> bytes = TargetBytes(target);
  ASSERT_EQ(bytes.size(), 32u);
  EXPECT_EQ(bytes[16], 128);
  EXPECT_EQ(bytes[17], 0);
  EXPECT_EQ(bytes[18], 255);
  EXPECT_EQ(bytes[19], 0);
  EXPECT_EQ(AsFloat(target.texels[16]), 128 / 255.0f);
}

TEST(FragmentOutput, BlendsAndCombines) {
  FragmentInputs draw = Draw();
  RenderTarget& target = draw.targets[0];
  const Primitive shape = Sloped();
  const FragmentPixel at = {&shape, {0, 0}};
  target.blend = BlendState{{BlendFactor::kOne, BlendFactor::kOne, BlendOp::kAdd}, {}};
  target.texels.assign(target.texels.size(), AsBits(0.25f));
  WriteColor(at, 1, {AsBits(0.5f), 0, 0, AsBits(0.5f)}, {}, draw, target);
  EXPECT_EQ(AsFloat(target.texels[16]), 0.75f);
  EXPECT_EQ(AsFloat(target.texels[19]), 0.5f);
  // A logical operation replaces blending; integers are never blended.
  target.format = TexelFormat::kRgba8ui;
  target.texels.assign(target.texels.size(), 0x0f);
  WriteColor(at, 1, {0x33, 0x33, 0x33, 0x33}, {}, draw, target);
  EXPECT_EQ(target.texels[16], 0x33u);
  draw.output.logic_op = LogicOp::kXor;
  WriteColor(at, 1, {0x0f, 0, 0, 0}, {}, draw, target);
  EXPECT_EQ(target.texels[16], 0x3cu);
}

TEST(FragmentOutput, ResolvesToTheAverage) {
  FragmentInputs draw = Draw(4);
  RenderTarget& target = draw.targets[0];
  for (uint32_t s = 0; s < 4; ++s) target.texels[4 * s] = AsBits(static_cast<float>(s));
  EXPECT_EQ(AsFloat(Resolve(draw, target).texels[0]), 1.5f);
  target.format = TexelFormat::kRgba32ui;
  target.texels[0] = 77;
  EXPECT_EQ(Resolve(draw, target).texels[0], 77u);
}

TEST(FragmentOutput, MaskedSamplesAreNotCovered) {
  FragmentInputs draw = Draw(4);
  draw.quads = {{0, 0, 0, {0xf, 0b0100, 0b0011, 0}}, {0, 0, 0, {0xf, 0xf, 0xf, 0xf}}};
  draw.output.sample_mask = 0xfffffff3;
  MaskCoverage(0, 1, draw);
  EXPECT_EQ(draw.quads[0].coverage, (std::array<uint32_t, 4>{0b0011, 0, 0b0011, 0}));
  EXPECT_EQ(draw.quads[1].coverage[0], 0xfu);
}

// Vulkan 1.3, "Logical Operations": blending is off; floats and sRGB pass the colour.
TEST(FragmentOutput, LogicalOperationsTurnBlendingOff) {
  const Primitive shape = Sloped();
  for (const char* name : {"rgba32f", "rgba8_srgb", "r11g11b10f", ""}) {
    FragmentInputs draw = Draw();
    RenderTarget& target = draw.targets[0];
    target.format = TexelFormatNamed(name);
    target.blend = BlendState{{BlendFactor::kOne, BlendFactor::kOne, BlendOp::kAdd}, {}};
    target.texels.assign(target.texels.size(), AsBits(1.0f));
    draw.output.logic_op = LogicOp::kInvert;
    WriteColor({&shape, {0, 0}}, 1, {0, 0, 0, 0}, {}, draw, target);
    EXPECT_EQ(target.texels[16], 0u) << name;
  }
}

TEST(FragmentOutput, PreparesQuads) {
  FragmentInputs draw = Draw(4);
  draw.layers = 1;
  draw.output.sample_mask = 0b0111;
  draw.output.depth.compare = CompareFunction::kLess;
  draw.primitives = {Sloped()};
  draw.primitives[0].layer = 0;
  for (size_t s = 0; s < 4; ++s) draw.depth[draw.At(0, 0, static_cast<uint32_t>(s))] = 0;
  const auto prepare = [&](const BeforeShading& before) {
    draw.quads = {{0, 0, 0, {0xf, 0xf, 0, 0}}};
    std::fill(draw.depth.begin() + 4, draw.depth.end(), 1.0f);
    return PrepareQuads(0, 1, before, draw);
  };
  EXPECT_TRUE(prepare({}).empty());
  EXPECT_EQ(draw.quads[0].coverage[0], 0b0111u);
  const std::vector<QuadCoverage> before = prepare({true, false});
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0], (QuadCoverage{0b0111, 0b0111, 0, 0}));
  EXPECT_EQ(draw.quads[0].coverage, (std::array<uint32_t, 4>{0, 0b0111, 0, 0}));
  EXPECT_TRUE(prepare({true, true}).empty());
  EXPECT_EQ(draw.quads[0].coverage[0], 0u);
}

}  // namespace
}  // namespace kiln::sim::scene
