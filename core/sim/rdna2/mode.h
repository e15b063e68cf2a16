// MODE, the register that says how a wave rounds, flushes subnormals, clamps and treats NaNs.
//
// Bits: AMD, "RDNA 2" ISA guide, 30 November 2020, 3.5 ("Mode register"); the initial value of the
// lower byte is FLOAT_MODE of the launch record's rsrc1.
#ifndef KILN_CORE_SIM_RDNA2_MODE_H_
#define KILN_CORE_SIM_RDNA2_MODE_H_

#include <cstdint>

#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2 {

// Which subnormals an operation keeps; what it does not keep becomes a zero of the same sign.
struct Denormals {
  bool in = false;   // of sources
  bool out = false;  // of results
};

struct Mode {
  uint32_t bits = 0;  // of the register

  // Rounding of 32-bit floats, and of 16-bit and 64-bit ones.
  scene::Rounding Round32() const { return static_cast<scene::Rounding>(bits & 3); }
  scene::Rounding Round16And64() const { return static_cast<scene::Rounding>(bits >> 2 & 3); }
  Denormals Denormals32() const { return {(bits >> 4 & 1) != 0, (bits >> 5 & 1) != 0}; }
  Denormals Denormals16And64() const { return {(bits >> 6 & 1) != 0, (bits >> 7 & 1) != 0}; }
  bool Dx10Clamp() const { return (bits >> 8 & 1) != 0; }  // clamp turns NaN into 0
  bool Ieee() const { return (bits >> 9 & 1) != 0; }       // quiets signalling NaNs
};

inline constexpr uint32_t kModeDx10Clamp = 1u << 8, kModeIeee = 1u << 9;

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_MODE_H_
