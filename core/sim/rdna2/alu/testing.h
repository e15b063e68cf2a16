// Values for tests of arithmetic: corners of each format and random bits from a seed.
#ifndef KILN_CORE_SIM_RDNA2_ALU_TESTING_H_
#define KILN_CORE_SIM_RDNA2_ALU_TESTING_H_

#include <cstdint>
#include <random>
#include <vector>

#include "core/sim/rdna2/alu/number.h"

namespace kiln::sim::rdna2::alu {

inline constexpr Rounding kRoundings[] = {Rounding::kNearestEven, Rounding::kUp, Rounding::kDown,
                                          Rounding::kZero};

// Zeros, subnormal numbers, powers of two and their neighbours, infinities, NaNs, of both signs.
inline std::vector<uint64_t> Corners(Format format) {
  const uint64_t one = format.one(), inf = format.infinity(), least = format.hidden();
  std::vector<uint64_t> corners = {0,
                                   1,
                                   least - 1,
                                   least,
                                   least + 1,
                                   one - 1,
                                   one,
                                   one + 1,
                                   one + least,
                                   inf - 1,
                                   inf,
                                   inf | 1,
                                   inf | (format.quiet_bit()),
                                   one + 3 * (least >> 1),
                                   one - least,
                                   inf - least,
                                   one + 24 * least,
                                   one + 23 * least};
  const size_t positive = corners.size();
  for (size_t i = 0; i < positive; ++i) corners.push_back(corners[i] | format.sign());
  return corners;
}

// Bits of floats: corners, numbers near 1 whose sums round, and any bits.
class Floats {
 public:
  Floats(Format format, uint32_t seed)
      : format_(format), corners_(Corners(format)), random_(seed) {}

  uint64_t Next() {
    const uint64_t bits = random_();
    const uint64_t mask = format_.sign() | (format_.sign() - 1);
    switch (random_() % 4) {
      case 0: return corners_[bits % corners_.size()];
      case 1: {
        const uint64_t exponent = static_cast<uint64_t>(format_.bias()) - 4 + (bits >> 60) % 9;
        return (bits & (format_.sign() | (format_.hidden() - 1))) | exponent
                                                                        << format_.fraction_bits;
      }
      default: return bits & mask;
    }
  }

 private:
  Format format_;
  std::vector<uint64_t> corners_;
  std::mt19937_64 random_;
};

// Returns true if the bits are the same, or both are NaNs.
inline bool SameFloat(uint64_t a, uint64_t b, Format format) {
  const uint64_t magnitude = format.sign() - 1;
  const bool both_nan = (a & magnitude) > format.infinity() && (b & magnitude) > format.infinity();
  return a == b || both_nan;
}

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_TESTING_H_
