// The part of the MODE register that decides what vector arithmetic gives.
#ifndef KILN_CORE_SIM_RDNA2_ALU_MODE_H_
#define KILN_CORE_SIM_RDNA2_ALU_MODE_H_

#include <cstdint>

#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2::alu {

using scene::Rounding;  // numbered as the fields of MODE are

// The treatment of subnormal numbers of one precision.
struct Denormals {
  bool keep_inputs = true;   // otherwise sources become zero of their sign
  bool keep_outputs = true;  // otherwise results do

  friend bool operator==(const Denormals&, const Denormals&) = default;
};

// Rounding, subnormal numbers and NaNs. Source: RDNA2 ISA guide, 3.5 "Mode register".
struct Mode {
  Rounding round32 = Rounding::kNearestEven;
  Rounding round16_64 = Rounding::kNearestEven;
  Denormals denormals32;
  Denormals denormals16_64;
  bool dx10_clamp = false;     // clamp gives 0 for NaN
  bool ieee = false;           // min and max return signalling NaNs, quieted; no omod
  bool fp16_overflow = false;  // finite results too large for 16 bits become 65504

  friend bool operator==(const Mode&, const Mode&) = default;
};

// Bits of MODE. The field of subnormal numbers has one bit for inputs and one for outputs.
inline constexpr int kRound32Bit = 0, kRound16And64Bit = 2;
inline constexpr int kDenormals32Bit = 4, kDenormals16And64Bit = 6;
inline constexpr int kDx10ClampBit = 8, kIeeeBit = 9, kFp16OverflowBit = 23;

// Returns the meaning of a MODE register; bits that do not concern arithmetic are ignored.
constexpr Mode ModeOf(uint32_t bits) {
  const auto denormals = [bits](int at) {
    return Denormals{(bits >> at & 1) != 0, (bits >> at & 2) != 0};
  };
  Mode mode;
  mode.round32 = static_cast<Rounding>(bits >> kRound32Bit & 3);
  mode.round16_64 = static_cast<Rounding>(bits >> kRound16And64Bit & 3);
  mode.denormals32 = denormals(kDenormals32Bit);
  mode.denormals16_64 = denormals(kDenormals16And64Bit);
  mode.dx10_clamp = (bits >> kDx10ClampBit & 1) != 0;
  mode.ieee = (bits >> kIeeeBit & 1) != 0;
  mode.fp16_overflow = (bits >> kFp16OverflowBit & 1) != 0;
  return mode;
}

// Returns the bits of MODE that Mode stands for, the inverse of ModeOf.
constexpr uint32_t BitsOf(const Mode& mode) {
  const auto denormals = [](Denormals d) {
    return uint32_t{d.keep_inputs} | uint32_t{d.keep_outputs} << 1;
  };
  return static_cast<uint32_t>(mode.round32) << kRound32Bit |
         static_cast<uint32_t>(mode.round16_64) << kRound16And64Bit |
         denormals(mode.denormals32) << kDenormals32Bit |
         denormals(mode.denormals16_64) << kDenormals16And64Bit |
         uint32_t{mode.dx10_clamp} << kDx10ClampBit | uint32_t{mode.ieee} << kIeeeBit |
         uint32_t{mode.fp16_overflow} << kFp16OverflowBit;
}

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_MODE_H_
