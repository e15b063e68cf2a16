// 16-bit floating-point constants.
#ifndef KILN_CORE_BASE_HALF_H_
#define KILN_CORE_BASE_HALF_H_

#include <cstdint>
#include <optional>

namespace kiln {

// Returns the bits of the half (IEEE 754 binary16) that equals the float with these bits, if it is
// 0 of either sign or a normal number; nothing otherwise. Subnormal halves are excluded because
// hardware may treat them as 0 where it keeps the float.
constexpr std::optional<uint16_t> ExactHalf(uint32_t float_bits) {
  constexpr uint32_t kDropped = 23 - 10;     // fraction bits lost in the conversion
  constexpr uint32_t kRebias = 127 - 15;     // of the exponent
  constexpr uint32_t kLargestExponent = 30;  // 31: infinities and NaN
  const uint32_t sign = float_bits >> 16 & 0x8000u;
  const uint32_t magnitude = float_bits & 0x7fffffffu;
  if (magnitude == 0) return static_cast<uint16_t>(sign);
  const uint32_t exponent = magnitude >> 23;
  if ((magnitude & ((1u << kDropped) - 1)) != 0) return std::nullopt;
  if (exponent <= kRebias || exponent > kRebias + kLargestExponent) return std::nullopt;
  return static_cast<uint16_t>(sign | ((magnitude >> kDropped) - (kRebias << 10)));
}

}  // namespace kiln

#endif  // KILN_CORE_BASE_HALF_H_
