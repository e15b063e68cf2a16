#include "core/oracle/texel_format.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/float_bits.h"

namespace kiln::oracle {
namespace {

using mir::ImageFormat;

constexpr TexelFormat kFormats[] = {
#define FORMAT(enumerator, text, numeric, r, g, b, a) {text, NumericFormat::numeric, {r, g, b, a}},
#include "core/mir/formats.def"
#undef FORMAT
};

// A float of `exponent` and `mantissa` bits, without its sign.
float DecodeFloat(uint32_t x, int exponent, int mantissa) {
  const uint32_t e = x >> mantissa & ((1u << exponent) - 1);
  const uint32_t m = x & ((1u << mantissa) - 1);
  const int bias = (1 << (exponent - 1)) - 1;
  if (e == (1u << exponent) - 1) return m == 0 ? INFINITY : NAN;
  if (e == 0) return std::ldexp(static_cast<float>(m), 1 - bias - mantissa);
  return std::ldexp(static_cast<float>(m | 1u << mantissa), static_cast<int>(e) - bias - mantissa);
}

// Encodes a value that is not negative as the nearest small float, ties to even.
uint32_t EncodeFloat(float x, int exponent, int mantissa) {
  const uint32_t infinity = ((1u << exponent) - 1) << mantissa;
  if (x != x) return infinity | 1u << (mantissa - 1);
  const int bias = (1 << (exponent - 1)) - 1;
  if (std::isinf(x) || x >= std::ldexp(1.0f, bias + 1)) return infinity;
  int e = 0;
  std::frexp(x, &e);
  e = std::max(e - 1, 1 - bias);
  // In units of the last place at this exponent; rounding up may carry into the next exponent or
  // infinity, whose bits follow.
  const double units = std::nearbyint(std::ldexp(static_cast<double>(x), mantissa - e));
  if (units == 0) return 0;
  return static_cast<uint32_t>((e + bias - 1) << mantissa) + static_cast<uint32_t>(units);
}

struct FloatShape {
  int exponent;
  int mantissa;
};

FloatShape ShapeOf(int bits) {
  return bits == 16 ? FloatShape{5, 10} : bits == 11 ? FloatShape{5, 6} : FloatShape{5, 5};
}

float FromSrgb(float x) {
  return x <= 0.04045f ? x / 12.92f : static_cast<float>(std::pow((x + 0.055) / 1.055, 2.4));
}

uint32_t DecodeChannel(NumericFormat numeric, uint32_t x, int bits, int channel) {
  const uint32_t max = bits == 32 ? ~0u : (1u << bits) - 1;
  const int32_t as_signed = static_cast<int32_t>(x << (32 - bits)) >> (32 - bits);
  switch (numeric) {
    case NumericFormat::kUint: return x;
    case NumericFormat::kSint: return static_cast<uint32_t>(as_signed);
    case NumericFormat::kUnorm:
    case NumericFormat::kBgraUnorm: return AsBits(static_cast<float>(x) / static_cast<float>(max));
    case NumericFormat::kSrgb: {
      const float linear = static_cast<float>(x) / static_cast<float>(max);
      return AsBits(channel == 3 ? linear : FromSrgb(linear));
    }
    case NumericFormat::kSnorm:
      return AsBits(std::max(static_cast<float>(as_signed) / static_cast<float>(max >> 1), -1.0f));
    case NumericFormat::kUfloat: {
      const FloatShape shape = ShapeOf(bits);
      return AsBits(DecodeFloat(x, shape.exponent, shape.mantissa));
    }
    case NumericFormat::kFloat: {
      if (bits == 32) return x;
      const float magnitude = DecodeFloat(x & 0x7fff, 5, 10);
      return AsBits(magnitude) | (x >> 15) << 31;
    }
  }
  assert(false);
  return 0;
}

uint32_t EncodeChannel(NumericFormat numeric, uint32_t value, int bits) {
  const uint32_t max = bits == 32 ? ~0u : (1u << bits) - 1;
  const auto limit = static_cast<int32_t>(max >> 1);
  const float x = AsFloat(value);
  switch (numeric) {
    case NumericFormat::kUint: return std::min(value, max);
    case NumericFormat::kSint:
      return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(value), -limit - 1, limit)) &
             max;
    case NumericFormat::kUnorm:
    case NumericFormat::kBgraUnorm:
    case NumericFormat::kSrgb: {
      const float clamped = x > 0 ? std::min(x, 1.0f) : 0.0f;
      return static_cast<uint32_t>(std::nearbyint(static_cast<double>(clamped) * max));
    }
    case NumericFormat::kSnorm: {
      const float clamped = x == x ? std::clamp(x, -1.0f, 1.0f) : 0.0f;
      return static_cast<uint32_t>(
                 static_cast<int32_t>(std::nearbyint(static_cast<double>(clamped) * limit))) &
             max;
    }
    case NumericFormat::kUfloat: {
      const FloatShape shape = ShapeOf(bits);
      return EncodeFloat(x < 0 ? 0.0f : x, shape.exponent, shape.mantissa);
    }
    case NumericFormat::kFloat:
      if (bits == 32) return value;
      return EncodeFloat(std::fabs(x), 5, 10) | (value >> 31) << 15;
  }
  assert(false);
  return 0;
}

// The position of a channel in the texel.
int Place(const TexelFormat& format, int channel) {
  return format.numeric == NumericFormat::kBgraUnorm && channel < 3 ? 2 - channel : channel;
}

int FirstBit(const TexelFormat& format, int channel) {
  int bit = 0;
  for (int c = 0; c < 4; ++c) {
    if (Place(format, c) < Place(format, channel)) bit += format.bits[c];
  }
  return bit;
}

}  // namespace

const TexelFormat& FormatOf(ImageFormat format) {
  assert(format != ImageFormat::kUnknown);
  return kFormats[static_cast<int>(format) - 1];
}

std::optional<ImageFormat> FormatByName(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const TexelFormat& f) { return f.name == name; });
  if (found == std::end(kFormats)) return std::nullopt;
  return static_cast<ImageFormat>(found - std::begin(kFormats) + 1);
}

Texel DecodeTexel(const TexelFormat& format, const uint8_t* bytes) {
  const uint32_t one = format.IsInteger() ? 1 : AsBits(1.0f);
  Texel texel = {0, 0, 0, one};
  for (int c = 0; c < 4; ++c) {
    const int bits = format.bits[c];
    if (bits == 0) continue;
    // No channel crosses the dword in which it begins.
    const int first = FirstBit(format, c);
    uint64_t word = 0;
    for (int b = first / 8; b < (first + bits + 7) / 8; ++b) {
      word |= uint64_t{bytes[b]} << (8 * (b - first / 8));
    }
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    const auto x = static_cast<uint32_t>(word >> (first % 8) & mask);
    texel[c] = DecodeChannel(format.numeric, x, bits, c);
  }
  return texel;
}

void EncodeTexel(const TexelFormat& format, const Texel& texel, uint8_t* bytes) {
  std::fill_n(bytes, format.Bytes(), uint8_t{0});
  for (int c = 0; c < 4; ++c) {
    const int bits = format.bits[c];
    if (bits == 0) continue;
    const int first = FirstBit(format, c);
    const uint64_t word = uint64_t{EncodeChannel(format.numeric, texel[c], bits)} << (first % 8);
    for (int b = first / 8; b < (first + bits + 7) / 8; ++b) {
      bytes[b] = static_cast<uint8_t>(bytes[b] | word >> (8 * (b - first / 8)));
    }
  }
}

}  // namespace kiln::oracle
