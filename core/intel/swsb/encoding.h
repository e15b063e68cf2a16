// The SWSB byte: 0 nothing, 1..7 distance, 0x20|n wait for token n's destination, 0x30|n for its
// sources, 0x40|n set token n, 0x80|d<<4|n distance d and token n (out-of-order instructions set
// the token, others wait for its destination).
#ifndef KILN_CORE_INTEL_SWSB_ENCODING_H_
#define KILN_CORE_INTEL_SWSB_ENCODING_H_

#include <cstdint>

#include "core/intel/isa/instruction.h"

namespace kiln::intel::swsb {

inline constexpr int kMaxEncodedDistance = 7;

constexpr uint8_t Distance(int d) { return static_cast<uint8_t>(d); }
constexpr uint8_t WaitDst(int token) { return static_cast<uint8_t>(0x20 | token); }
constexpr uint8_t WaitSrc(int token) { return static_cast<uint8_t>(0x30 | token); }
constexpr uint8_t SetToken(int token) { return static_cast<uint8_t>(0x40 | token); }
constexpr uint8_t DistanceAndToken(int d, int token) {
  return static_cast<uint8_t>(0x80 | d << 4 | token);
}

// Returns true if the instruction completes out of order and so needs a token.
inline bool IsOutOfOrder(const isa::Instruction& inst) {
  return isa::IsSend(inst.op) || inst.op == isa::Opcode::kMath;
}

// Returns true if the instruction counts towards distances: it goes through the in-order pipe, as
// branches do too. (The reference compiler counts this way, intel/SOURCES.md; its programs would
// break on hardware that did not.)
inline bool IsInOrder(const isa::Instruction& inst) {
  return !IsOutOfOrder(inst) && inst.op != isa::Opcode::kSync;
}

}  // namespace kiln::intel::swsb

#endif  // KILN_CORE_INTEL_SWSB_ENCODING_H_
