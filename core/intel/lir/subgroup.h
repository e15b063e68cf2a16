// The contents of Inst::aux for pseudo operations between lanes.
#ifndef KILN_CORE_INTEL_LIR_SUBGROUP_H_
#define KILN_CORE_INTEL_LIR_SUBGROUP_H_

#include <algorithm>
#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::intel {

// Describes how kXorLanes moves lane i ^ mask to lane i without address registers: for each group
// of lanes in turn, `stride` moves of `lanes` lanes that are `stride` apart. Such moves exist for
// masks of bits 0 and 1 only, and for masks of a single higher bit.
struct XorMoves {
  int stride = 1;
  int lanes = 0;
  int count = 0;  // moves in all; 0: the mask has no such moves
};

constexpr XorMoves XorMovesOf(int width, uint32_t mask, int lane_bytes) {
  // bytes that an operand may span, lanes of an instruction
  constexpr int kMaxBytes = 64, kMaxLanes = 16;
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

// The aux of kLaneScan. Lanes that are off contribute the identity.
struct ScanAux {
  enum Kind : uint8_t {
    kReduce,          // def 0: the combination of all lanes, one value (U)
    kReduceClusters,  // def 0: in each lane, the combination of its cluster (G)
    kInclusive,       // def 0: in each lane, the combination of it and the lanes below (G)
    kExclusive,       // def 0: in each lane, the combination of the lanes below (G)
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

// The aux of kQuadDifference: the lanes of the quad (0 1 over 2 3) that are subtracted.
struct DifferenceAux {
  bool down = false;  // difference between rows instead of columns
  bool fine = false;  // in the lane's own row or column instead of lane 0's

  constexpr uint32_t Pack() const { return (down ? 1u : 0) | (fine ? 2u : 0); }
  static constexpr DifferenceAux Unpack(uint32_t aux) { return {(aux & 1) != 0, (aux & 2) != 0}; }
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_SUBGROUP_H_
