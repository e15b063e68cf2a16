// Bits of integers that are certainly 0.
//
// Problem: masks, comparisons and divisions often change nothing, because of shifts, alignments and
// the size of the workgroup.
// Algorithm: the answer follows from the operation and the answers for its sources, to a depth of
// kDepth, so that a query costs constant time. Sums and products also use the upper bounds that the
// leading zeros of their sources give.
// Limits: 32-bit integers; values that loops carry are unknown.
#ifndef KILN_CORE_MID_ANALYSIS_KNOWN_BITS_H_
#define KILN_CORE_MID_ANALYSIS_KNOWN_BITS_H_

#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::mid {

// Bits of a 32-bit integer that are 0 in every lane that computes it.
uint32_t KnownZeros(const mir::Module& module, mir::ValueId v);

// The largest value it may have, as an unsigned number.
inline uint32_t UpperBound(const mir::Module& module, mir::ValueId v) {
  return ~KnownZeros(module, v);
}

// Facts about the result of an operation on two 32-bit integers.
struct KnownBits {
  enum class Kind : uint8_t {
    kNothing,  // nothing beyond the operation itself
    kConstant,
    kFirst,  // its first source
    kOp,     // another operation of the same sources that is cheaper or more common
  };
  Kind kind = Kind::kNothing;
  uint32_t constant = 0;
  mir::Op op = mir::Op::kUnreachable;
};
KnownBits SimplifyByKnownBits(const mir::Module& module, mir::Op op, mir::ValueId a,
                              mir::ValueId b);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_KNOWN_BITS_H_
