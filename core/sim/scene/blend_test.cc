#include "core/sim/scene/blend.h"

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

Texel Of(float r, float g, float b, float a) {
  return {AsBits(r), AsBits(g), AsBits(b), AsBits(a)};
}

BlendState State(BlendFactor src, BlendFactor dst, BlendOp op = BlendOp::kAdd) {
  return {{src, dst, op}, {src, dst, op}};
}

void ExpectColor(const Texel& got, const std::array<float, 4>& want) {
  for (size_t k = 0; k < 4; ++k) EXPECT_FLOAT_EQ(AsFloat(got[k]), want[k]) << k;
}

TEST(Blend, Over) {
  const BlendInputs in = {Of(1, 0.5f, 0, 0.25f), {}, Of(0, 0.5f, 1, 1), {}};
  ExpectColor(
      Blend(State(BlendFactor::kSrcAlpha, BlendFactor::kOneMinusSrcAlpha), std::nullopt, in),
      {0.25f, 0.5f, 0.75f, 0.8125f});
}

// Every factor against the table of Vulkan 1.3, "Blend Factors": the source is multiplied, the
// stored colour is dropped.
TEST(Blend, Factors) {
  const BlendInputs in = {Of(0.5f, 0.25f, 1, 0.75f),
                          Of(0.1f, 0.2f, 0.3f, 0.4f),
                          Of(0.6f, 0.7f, 0.8f, 0.9f),
                          {0.15f, 0.35f, 0.55f, 0.95f}};
  struct Case {
    BlendFactor factor;
    std::array<float, 4> want;  // factors
  };
  const Case cases[] = {
      {BlendFactor::kZero, {0, 0, 0, 0}},
      {BlendFactor::kOne, {1, 1, 1, 1}},
      {BlendFactor::kSrcColor, {0.5f, 0.25f, 1, 0.75f}},
      {BlendFactor::kOneMinusSrcColor, {0.5f, 0.75f, 0, 0.25f}},
      {BlendFactor::kDstColor, {0.6f, 0.7f, 0.8f, 0.9f}},
      {BlendFactor::kOneMinusDstAlpha, {1 - 0.9f, 1 - 0.9f, 1 - 0.9f, 1 - 0.9f}},
      {BlendFactor::kConstantColor, {0.15f, 0.35f, 0.55f, 0.95f}},
      {BlendFactor::kConstantAlpha, {0.95f, 0.95f, 0.95f, 0.95f}},
      {BlendFactor::kSrcAlphaSaturate, {1 - 0.9f, 1 - 0.9f, 1 - 0.9f, 1}},
      {BlendFactor::kSrc1Color, {0.1f, 0.2f, 0.3f, 0.4f}},
      {BlendFactor::kOneMinusSrc1Alpha, {0.6f, 0.6f, 0.6f, 0.6f}},
  };
  for (const Case& c : cases) {
    std::array<float, 4> want{};
    for (size_t k = 0; k < 4; ++k) want[k] = AsFloat(in.source[k]) * c.want[k];
    ExpectColor(Blend(State(c.factor, BlendFactor::kZero), std::nullopt, in), want);
  }
}

TEST(Blend, Operations) {
  const BlendInputs in = {Of(0.5f, 0.25f, 1, 0), {}, Of(0.75f, 0.25f, 0.5f, 1), {}};
  const auto one = [](BlendOp op) { return State(BlendFactor::kOne, BlendFactor::kOne, op); };
  ExpectColor(Blend(one(BlendOp::kSubtract), std::nullopt, in), {-0.25f, 0, 0.5f, -1});
  ExpectColor(Blend(one(BlendOp::kReverseSubtract), std::nullopt, in), {0.25f, 0, -0.5f, 1});
  // Minimum and maximum ignore the factors.
  const BlendState least = State(BlendFactor::kZero, BlendFactor::kZero, BlendOp::kMin);
  ExpectColor(Blend(least, std::nullopt, in), {0.5f, 0.25f, 0.5f, 0});
  ExpectColor(Blend(one(BlendOp::kMax), std::nullopt, in), {0.75f, 0.25f, 1, 1});
}

TEST(Blend, FixedPointTargetsClampTheSource) {
  const BlendInputs in = {Of(4, -1, 0.5f, 1), {}, Of(0, 0, 0, 0), {}};
  const BlendState keep = State(BlendFactor::kOne, BlendFactor::kZero);
  ExpectColor(Blend(keep, TexelFormatNamed("rgba8"), in), {1, 0, 0.5f, 1});
  ExpectColor(Blend(keep, TexelFormatNamed("rgba8_snorm"), in), {1, -1, 0.5f, 1});
  ExpectColor(Blend(keep, TexelFormatNamed("rgba16f"), in), {4, -1, 0.5f, 1});
}

// The truth table of each operation, from Vulkan 1.3, "Logical Operations", as bits of s and d.
TEST(Blend, LogicalOperations) {
  const uint8_t want[] = {0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe,
                          0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf};
  for (int op = 0; op < 16; ++op) {
    const Texel got = Combine(static_cast<LogicOp>(op), TexelFormat::kR8ui, {0xc}, {0xa});
    EXPECT_EQ(got[0] & 0xf, want[op]) << op;
  }
}

// Vulkan 1.3, "Blending": factors are clamped to the range of a fixed-point target, too.
TEST(Blend, FixedPointTargetsClampFactors) {
  const BlendInputs in = {Of(0.5f, 0.5f, 0.5f, -0.5f), {}, Of(-1, -0.5f, 0.5f, -1), {}};
  const BlendState by_stored = State(BlendFactor::kOneMinusDstColor, BlendFactor::kZero);
  ExpectColor(Blend(by_stored, TexelFormatNamed("rgba8_snorm"), in), {0.5f, 0.5f, 0.25f, -0.5f});
  ExpectColor(Blend(by_stored, TexelFormatNamed("rgba16f"), in), {1, 0.75f, 0.25f, -1});
  const BlendState by_alpha = State(BlendFactor::kOneMinusSrcAlpha, BlendFactor::kZero);
  ExpectColor(Blend(by_alpha, TexelFormatNamed("rgba8_snorm"), in), {0.5f, 0.5f, 0.5f, -0.5f});
}

}  // namespace
}  // namespace kiln::sim::scene
