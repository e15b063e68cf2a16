// The registers that one instruction reads and writes, at the granularity of whole GRFs.
//
// Conservative: a region marks every register between its first and last byte, predication and
// execution masks are ignored, an indirect operand marks all registers unless a range is given, and
// a send whose lengths are unknown marks the longest possible payload and response. Cost: O(1) per
// operand. Users: scoreboard pass, verifier, register statistics.
#ifndef KILN_CORE_INTEL_ISA_FOOTPRINT_H_
#define KILN_CORE_INTEL_ISA_FOOTPRINT_H_

#include <cstdint>

#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// Consecutive GRFs.
struct RegisterRange {
  uint8_t first = 0;
  uint8_t count = 0;
  friend bool operator==(const RegisterRange&, const RegisterRange&) = default;
};

struct GrfSet {
  uint64_t bits[2] = {0, 0};

  void Add(int first, int count) {
    for (int r = first; r < first + count && r < kGrfCount; ++r) {
      bits[r >> 6] |= uint64_t{1} << (r & 63);
    }
  }
  bool Has(int r) const { return (bits[r >> 6] >> (r & 63) & 1) != 0; }
  bool Empty() const { return bits[0] == 0 && bits[1] == 0; }
  bool Intersects(const GrfSet& other) const {
    return ((bits[0] & other.bits[0]) | (bits[1] & other.bits[1])) != 0;
  }
  GrfSet& operator|=(const GrfSet& other) {
    bits[0] |= other.bits[0];
    bits[1] |= other.bits[1];
    return *this;
  }
  // Calls f(register) in ascending order.
  template <typename F>
  void ForEach(F f) const {
    for (int half = 0; half < 2; ++half) {
      for (uint64_t rest = bits[half]; rest != 0; rest &= rest - 1) {
        f(64 * half + __builtin_ctzll(rest));
      }
    }
  }
};

struct Footprint {
  GrfSet reads;
  GrfSet writes;
  bool reads_address = false;  // a0
  bool writes_address = false;
  uint16_t reads_accumulators = 0;  // explicit operands only, bit n for acc n
  uint16_t writes_accumulators = 0;
  bool uses_flags_explicitly = false;  // as an operand, not as predicate or conditional modifier
  // Registers that neither hardware nor scoreboard protects: control, state, ip, timestamp, mask.
  bool reads_special = false;
  bool writes_special = false;
};

// Returns the footprint. `indirect` bounds the registers that an indirect operand may touch; null
// means any register.
Footprint FootprintOf(const Instruction& inst, const RegisterRange* indirect = nullptr);

// Lengths of a send in registers. If the descriptor is in a register, bits that SendFields::desc
// holds nevertheless are taken as known (the encoder ignores them). Lengths of zero then mean
// unknown, and the longest possible ones are returned.
struct SendLengths {
  int mlen = 0;
  int ex_mlen = 0;
  int rlen = 0;
};
SendLengths LengthsOf(const Instruction& send);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_FOOTPRINT_H_
