// What the pseudo operations between lanes hold in Inst::aux.
#ifndef KILN_CORE_INTEL_LIR_SUBGROUP_H_
#define KILN_CORE_INTEL_LIR_SUBGROUP_H_

#include <algorithm>
#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::intel {

// How kXorLanes moves lane i ^ mask to lane i without addresses: `stride` moves of `lanes` lanes
// that are `stride` apart, for as many groups as the width has. Masks have bits 0 and 1 only, or a
// single higher one.
struct XorMoves {
  int stride = 1;
  int lanes = 0;
  int count = 0;  // all of them; 0: there are none for this mask
};

constexpr XorMoves XorMovesOf(int width, uint32_t mask, int lane_bytes) {
  constexpr int kMaxBytes = 64, kMaxLanes = 16;  // that an operand spans, an instruction executes
  XorMoves m;
  if (mask == 0 || mask >= static_cast<uint32_t>(width)) return m;
  if (mask < 4) {
    m.stride = mask == 1 ? 2 : 4;
    m.lanes = std::min({width / m.stride, kMaxLanes, kMaxBytes / (m.stride * lane_bytes)});
  } else if ((mask & (mask - 1)) == 0) {
    m.lanes = std::min({static_cast<int>(mask), kMaxLanes, kMaxBytes / lane_bytes});
  } else {
    return m;
  }
  m.count = width / m.lanes;
  return m;
}

// Of kLaneScan. The lanes that are off take part with the identity.
struct ScanAux {
  enum Kind : uint8_t {
    kReduce,          // def 0: what all lanes amount to, one value (U)
    kReduceClusters,  // def 0: each lane gets what its cluster amounts to (G)
    kInclusive,       // def 0: each lane gets what it and the lanes below amount to (G)
    kExclusive,       // def 0: what the lanes below amount to (G)
  };
  mir::ReduceOp op = mir::ReduceOp::kIadd;
  Kind kind = kReduce;
  uint8_t cluster = 0;  // lanes that are combined
  bool all_on = false;  // no lane is off

  constexpr uint32_t Pack() const {
    return static_cast<uint32_t>(op) | uint32_t{kind} << 8 | uint32_t{cluster} << 16 |
           (all_on ? 1u << 24 : 0);
  }
  static constexpr ScanAux Unpack(uint32_t aux) {
    return {static_cast<mir::ReduceOp>(aux & 0xff), static_cast<Kind>(aux >> 8 & 0xff),
            static_cast<uint8_t>(aux >> 16), (aux >> 24 & 1) != 0};
  }
};

// Of kQuadDifference: between which lanes of the quad 0 1 over 2 3.
struct DifferenceAux {
  bool down = false;  // of the rows, not of the columns
  bool fine = false;  // of the lane's own row or column, not of those of lane 0

  constexpr uint32_t Pack() const { return (down ? 1u : 0) | (fine ? 2u : 0); }
  static constexpr DifferenceAux Unpack(uint32_t aux) { return {(aux & 1) != 0, (aux & 2) != 0}; }
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_SUBGROUP_H_
