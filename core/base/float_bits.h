// The bits of floating-point numbers.
#ifndef KILN_CORE_BASE_FLOAT_BITS_H_
#define KILN_CORE_BASE_FLOAT_BITS_H_

#include <bit>
#include <cstdint>

namespace kiln {

// Convert a number of IEEE 754's binary32 to its bits and back; NaNs keep their payload.
constexpr uint32_t AsBits(float x) { return std::bit_cast<uint32_t>(x); }
constexpr float AsFloat(uint32_t bits) { return std::bit_cast<float>(bits); }
// The same for binary64. (No overload of AsBits: numbers without a suffix are doubles.)
constexpr uint64_t DoubleBits(double x) { return std::bit_cast<uint64_t>(x); }
constexpr double AsDouble(uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace kiln

#endif  // KILN_CORE_BASE_FLOAT_BITS_H_
