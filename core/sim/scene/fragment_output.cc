// See fragment_output.h.
#include "core/sim/scene/fragment_output.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/base/float_bits.h"
#include "core/sim/scene/blend.h"
#include "core/sim/scene/compare.h"

namespace kiln::sim::scene {
namespace {

// Row of the pixel in the results, where layers are one below the other.
uint32_t RowOf(const FragmentPixel& at, const FragmentInputs& draw) {
  const uint32_t layer = draw.layers > 1 ? at.shape->layer : 0;
  return layer * draw.height + static_cast<uint32_t>(at.corner.y);
}

uint32_t ColumnOf(const FragmentPixel& at) { return static_cast<uint32_t>(at.corner.x); }

Texel Rounded(TexelFormat format, const Texel& texel) {
  std::array<uint8_t, 16> bytes{};
  EncodeTexel(format, texel, bytes.data());
  return DecodeTexel(format, bytes.data());
}

uint8_t Changed(StencilOp op, uint8_t stored, uint8_t reference) {
  switch (op) {
    case StencilOp::kKeep: return stored;
    case StencilOp::kZero: return 0;
    case StencilOp::kReplace: return reference;
    case StencilOp::kIncrementClamp: return stored == 255 ? 255 : stored + 1;
    case StencilOp::kDecrementClamp: return stored == 0 ? 0 : stored - 1;
    case StencilOp::kInvert: return static_cast<uint8_t>(~stored);
    case StencilOp::kIncrementWrap: return static_cast<uint8_t>(stored + 1);
    case StencilOp::kDecrementWrap: return static_cast<uint8_t>(stored - 1);
  }
  return stored;
}

// Tests one sample of a fragment.
class SampleTest {
 public:
  SampleTest(const FragmentPixel& at, const FragmentTests& tests, uint32_t sample,
             FragmentInputs& draw)
      : tests_(tests),
        draw_(draw),
        index_(draw.At(ColumnOf(at), RowOf(at, draw), sample)),
        face_(at.shape->back_facing && draw.output.stencil ? &draw.output.stencil->back
              : draw.output.stencil                        ? &draw.output.stencil->front
                                                           : nullptr) {
    if (!draw.depth.empty()) depth_ = DepthAt(at, sample);
  }

  bool Run() {
    if (!InBounds()) return false;
    const bool stencil = PassesStencil();
    const bool depth = stencil && PassesDepth();
    WriteStencil(stencil, depth);
    if (stencil && depth && !draw_.depth.empty() && draw_.output.depth.write) {
      draw_.depth[index_] = depth_;
    }
    return stencil && depth;
  }

 private:
  float DepthAt(const FragmentPixel& at, uint32_t sample) const {
    const Point in = SamplePositions(draw_.samples)[sample];
    float z = tests_.depth.value_or(at.shape->Depth({at.corner.x + in.x, at.corner.y + in.y}));
    if (draw_.raster.depth_clamp) {
      const auto& [low, high] = at.shape->depth_range;
      z = std::clamp(z, std::min(low, high), std::max(low, high));
    }
    const std::optional<TexelFormat>& format = draw_.output.depth.format;
    if (!format) return z;
    return AsFloat(Rounded(*format, {AsBits(std::clamp(z, 0.0f, 1.0f)), 0, 0, 0})[0]);
  }

  bool InBounds() const {
    const auto& bounds = draw_.output.depth.bounds;
    if (!bounds || draw_.depth.empty()) return true;
    return draw_.depth[index_] >= (*bounds)[0] && draw_.depth[index_] <= (*bounds)[1];
  }

  uint8_t Reference() const { return tests_.stencil.value_or(face_->reference); }

  bool PassesStencil() const {
    if (face_ == nullptr || draw_.stencil.empty()) return true;
    const uint8_t mask = face_->compare_mask;
    return Passes<uint8_t>(face_->compare, Reference() & mask, draw_.stencil[index_] & mask);
  }

  bool PassesDepth() const {
    if (draw_.depth.empty()) return true;
    return Passes(draw_.output.depth.compare, depth_, draw_.depth[index_]);
  }

  void WriteStencil(bool stencil, bool depth) {
    if (face_ == nullptr || draw_.stencil.empty()) return;
    uint8_t& stored = draw_.stencil[index_];
    const StencilOp op = !stencil ? face_->fail : depth ? face_->pass : face_->depth_fail;
    const uint8_t changed = Changed(op, stored, Reference()), mask = face_->write_mask;
    stored = static_cast<uint8_t>((stored & ~mask) | (changed & mask));
  }

  const FragmentTests& tests_;
  FragmentInputs& draw_;
  const size_t index_;
  const StencilFace* const face_;
  float depth_ = 0;
};

}  // namespace

uint32_t TestFragment(const FragmentPixel& at, const FragmentTests& tests, FragmentInputs& draw) {
  uint32_t passed = 0;
  for (uint32_t left = tests.samples & draw.output.sample_mask; left != 0; left &= left - 1) {
    const auto sample = static_cast<uint32_t>(std::countr_zero(left));
    if (SampleTest(at, tests, sample, draw).Run()) passed |= 1u << sample;
  }
  return passed;
}

void NoteWritten(const FragmentPixel& at, uint32_t samples, FragmentInputs& draw) {
  if (samples == 0) return;
  const size_t pixel = size_t{RowOf(at, draw)} * draw.width + ColumnOf(at);
  if (!draw.sample_mask.empty()) draw.sample_mask[pixel] = samples;
  if (!draw.coverage.empty()) draw.coverage[pixel] |= samples;
}

void MaskCoverage(size_t first, size_t end, FragmentInputs& draw) {
  for (size_t q = first; q < end; ++q) {
    for (uint32_t& covered : draw.quads[q].coverage) covered &= draw.output.sample_mask;
  }
}

void TestEarly(size_t first, size_t end, FragmentInputs& draw) {
  for (size_t q = first; q < end; ++q) {
    Quad& quad = draw.quads[q];
    for (uint32_t p = 0; p < kQuadPixels; ++p) {
      if (quad.coverage[p] == 0) continue;
      const Point corner = {static_cast<double>(quad.x + p % 2),
                            static_cast<double>(quad.y + p / 2)};
      quad.coverage[p] = TestFragment({&draw.primitives[quad.primitive], corner},
                                      {quad.coverage[p], std::nullopt, std::nullopt}, draw);
    }
  }
}

std::vector<QuadCoverage> PrepareQuads(size_t first, size_t end, const BeforeShading& before,
                                       FragmentInputs& draw) {
  MaskCoverage(first, end, draw);
  std::vector<QuadCoverage> rasterised;
  if (!before.early_tests) return rasterised;
  for (size_t q = first; q < end && !before.post_depth_coverage; ++q) {
    rasterised.push_back(draw.quads[q].coverage);
  }
  TestEarly(first, end, draw);
  return rasterised;
}

void WriteColor(const FragmentPixel& at, uint32_t samples, const std::array<uint32_t, 4>& color,
                const std::array<uint32_t, 4>& second, const FragmentInputs& draw,
                RenderTarget& target) {
  for (uint32_t left = samples; left != 0; left &= left - 1) {
    const auto sample = static_cast<uint32_t>(std::countr_zero(left));
    const size_t first = 4 * draw.At(ColumnOf(at), RowOf(at, draw), sample);
    Texel stored;
    for (size_t c = 0; c < 4; ++c) stored[c] = target.texels[first + c];
    Texel result = color;
    const bool integer = target.format && IsIntegerFormat(*target.format);
    if (draw.output.logic_op) {
      if (target.format && HasLogicOps(*target.format)) {
        result = Combine(*draw.output.logic_op, *target.format, color, stored);
      }
    } else if (target.blend && !integer) {
      result =
          Blend(*target.blend, target.format, {color, second, stored, draw.output.blend_constants});
    }
    if (target.format) result = Rounded(*target.format, result);
    for (size_t c = 0; c < 4; ++c) {
      if ((target.write_mask >> c & 1) != 0) target.texels[first + c] = result[c];
    }
    if (target.bytes.empty()) continue;
    const size_t size = static_cast<size_t>(TexelBytes(*target.format));
    EncodeComponents(*target.format, result, target.write_mask,
                     target.bytes.data() + first / 4 * size);
  }
}

RenderTarget Resolve(const FragmentInputs& draw, const RenderTarget& target) {
  RenderTarget resolved = target;
  resolved.bytes.clear();
  const size_t pixels = target.texels.size() / 4 / draw.samples;
  const bool integer = target.format && IsIntegerFormat(*target.format);
  resolved.texels.resize(4 * pixels);
  for (size_t i = 0; i < 4 * pixels; ++i) {
    const size_t first = 4 * (i / 4) * draw.samples + i % 4;
    double sum = 0;
    for (uint32_t s = 0; s < draw.samples; ++s) sum += AsFloat(target.texels[first + 4 * s]);
    resolved.texels[i] =
        integer ? target.texels[first] : AsBits(static_cast<float>(sum / draw.samples));
  }
  return resolved;
}

std::vector<uint8_t> TargetBytes(const RenderTarget& target) {
  if (!target.bytes.empty()) return target.bytes;
  const auto size = static_cast<size_t>(TexelBytes(*target.format));
  std::vector<uint8_t> bytes(target.texels.size() / 4 * size);
  for (size_t i = 0; i < target.texels.size() / 4; ++i) {
    Texel t;
    for (size_t c = 0; c < 4; ++c) t[c] = target.texels[4 * i + c];
    EncodeTexel(*target.format, t, bytes.data() + i * size);
  }
  return bytes;
}

}  // namespace kiln::sim::scene
