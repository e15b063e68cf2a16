// Texel formats: the meaning of a texel's bits. For the interpreter.
//
// Reading: unorm x / (2^n - 1), snorm max(x / (2^(n-1) - 1), -1), floats as they are, sRGB by its
// curve; absent channels are 0, alpha 1. Writing: normalised formats clamp (NaN gives 0) and round
// to nearest even; small floats round to nearest even and overflow to infinity, unsigned ones make
// negative numbers 0; integers are clamped to their range. Source: the Vulkan specification,
// "Conversion from Normalized Fixed-Point to Floating-Point" and the sections after it. Where it
// leaves a choice of rounding, targets may differ by a unit.
#ifndef KILN_CORE_ORACLE_TEXEL_FORMAT_H_
#define KILN_CORE_ORACLE_TEXEL_FORMAT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/mir/image.h"

namespace kiln::oracle {

enum class NumericFormat : uint8_t {
  kUnorm,
  kSnorm,
  kUint,
  kSint,
  kFloat,
  kUfloat,
  kSrgb,
  kBgraUnorm,
};

// Returns true if channels are fractions of a whole number.
inline bool IsNormalized(NumericFormat f) {
  return f == NumericFormat::kUnorm || f == NumericFormat::kSnorm || f == NumericFormat::kSrgb ||
         f == NumericFormat::kBgraUnorm;
}

struct TexelFormat {
  std::string_view name;
  NumericFormat numeric = NumericFormat::kUnorm;
  std::array<uint8_t, 4> bits = {};  // of r, g, b, a
  int Bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8; }
  bool IsInteger() const {
    return numeric == NumericFormat::kUint || numeric == NumericFormat::kSint;
  }
};

// `format` must not be kUnknown.
const TexelFormat& FormatOf(mir::ImageFormat format);
std::optional<mir::ImageFormat> FormatByName(std::string_view name);

// Four components: bits of floats, or integers (sign-extended).
using Texel = std::array<uint32_t, 4>;
Texel DecodeTexel(const TexelFormat& format, const uint8_t* bytes);
void EncodeTexel(const TexelFormat& format, const Texel& texel, uint8_t* bytes);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_TEXEL_FORMAT_H_
