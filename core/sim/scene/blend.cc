// See blend.h.
#include "core/sim/scene/blend.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base/float_bits.h"

namespace kiln::sim::scene {
namespace {

using Color = std::array<float, 4>;

Color FloatsOf(const Texel& t) {
  Color c{};
  for (size_t k = 0; k < 4; ++k) c[k] = AsFloat(t[k]);
  return c;
}

// Clamps a number to the range of a fixed-point format; NaN becomes 0.
float Clamped(float v, std::optional<TexelFormat> format) {
  if (!format || !IsNormalizedFormat(*format)) return v;
  return std::isnan(v) ? 0 : std::clamp(v, IsSignedFormat(*format) ? -1.0f : 0.0f, 1.0f);
}

Color Clamped(const Color& c, std::optional<TexelFormat> format) {
  Color r{};
  for (size_t k = 0; k < 4; ++k) r[k] = Clamped(c[k], format);
  return r;
}

struct Operands {
  Color source, second, stored, constants;
};

// Returns component k of a factor, 3 for alpha.
float Factor(BlendFactor f, const Operands& in, size_t k) {
  switch (f) {
    case BlendFactor::kZero: return 0;
    case BlendFactor::kOne: return 1;
    case BlendFactor::kSrcColor: return in.source[k];
    case BlendFactor::kOneMinusSrcColor: return 1 - in.source[k];
    case BlendFactor::kDstColor: return in.stored[k];
    case BlendFactor::kOneMinusDstColor: return 1 - in.stored[k];
    case BlendFactor::kSrcAlpha: return in.source[3];
    case BlendFactor::kOneMinusSrcAlpha: return 1 - in.source[3];
    case BlendFactor::kDstAlpha: return in.stored[3];
    case BlendFactor::kOneMinusDstAlpha: return 1 - in.stored[3];
    case BlendFactor::kConstantColor: return in.constants[k];
    case BlendFactor::kOneMinusConstantColor: return 1 - in.constants[k];
    case BlendFactor::kConstantAlpha: return in.constants[3];
    case BlendFactor::kOneMinusConstantAlpha: return 1 - in.constants[3];
    case BlendFactor::kSrcAlphaSaturate:
      return k == 3 ? 1 : std::min(in.source[3], 1 - in.stored[3]);
    case BlendFactor::kSrc1Color: return in.second[k];
    case BlendFactor::kOneMinusSrc1Color: return 1 - in.second[k];
    case BlendFactor::kSrc1Alpha: return in.second[3];
    case BlendFactor::kOneMinusSrc1Alpha: return 1 - in.second[3];
  }
  return 0;
}

float Result(const BlendEquation& e, std::optional<TexelFormat> format, const Operands& in,
             size_t k) {
  const float s = in.source[k], d = in.stored[k];
  const float fs = Clamped(Factor(e.src, in, k), format);
  const float fd = Clamped(Factor(e.dst, in, k), format);
  switch (e.op) {
    case BlendOp::kAdd: return s * fs + d * fd;
    case BlendOp::kSubtract: return s * fs - d * fd;
    case BlendOp::kReverseSubtract: return d * fd - s * fs;
    case BlendOp::kMin: return std::min(s, d);
    case BlendOp::kMax: return std::max(s, d);
  }
  return 0;
}

uint8_t Combined(LogicOp op, uint8_t s, uint8_t d) {
  const auto byte = [](int v) { return static_cast<uint8_t>(v); };
  switch (op) {
    case LogicOp::kClear: return 0;
    case LogicOp::kAnd: return s & d;
    case LogicOp::kAndReverse: return byte(s & ~d);
    case LogicOp::kCopy: return s;
    case LogicOp::kAndInverted: return byte(~s & d);
    case LogicOp::kNoOp: return d;
    case LogicOp::kXor: return s ^ d;
    case LogicOp::kOr: return s | d;
    case LogicOp::kNor: return byte(~(s | d));
    case LogicOp::kEquivalent: return byte(~(s ^ d));
    case LogicOp::kInvert: return byte(~d);
    case LogicOp::kOrReverse: return byte(s | ~d);
    case LogicOp::kCopyInverted: return byte(~s);
    case LogicOp::kOrInverted: return byte(~s | d);
    case LogicOp::kNand: return byte(~(s & d));
    case LogicOp::kSet: return 0xff;
  }
  return d;
}

}  // namespace

Texel Blend(const BlendState& state, std::optional<TexelFormat> format, const BlendInputs& in) {
  Operands o{Clamped(FloatsOf(in.source), format), Clamped(FloatsOf(in.second), format),
             FloatsOf(in.stored), Clamped(in.constants, format)};
  Texel result;
  for (size_t k = 0; k < 4; ++k) {
    result[k] = AsBits(Result(k == 3 ? state.alpha : state.color, format, o, k));
  }
  return result;
}

Texel Combine(LogicOp op, TexelFormat format, const Texel& source, const Texel& stored) {
  std::array<uint8_t, 16> s{}, d{};
  EncodeTexel(format, source, s.data());
  EncodeTexel(format, stored, d.data());
  for (size_t i = 0; i < s.size(); ++i) d[i] = Combined(op, s[i], d[i]);
  return DecodeTexel(format, d.data());
}

}  // namespace kiln::sim::scene
