// What the pseudo operations between lanes hold in Inst::aux.
#ifndef KILN_CORE_INTEL_LIR_SUBGROUP_H_
#define KILN_CORE_INTEL_LIR_SUBGROUP_H_

#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::intel {

// Of kLaneScan. The lanes that are off take part with the identity.
struct ScanAux {
  enum Kind : uint8_t {
    kReduce,           // def 0: what all lanes amount to, one value (U)
    kReduceClusters,   // def 0: each lane gets what its cluster amounts to (G)
    kInclusive,        // def 0: each lane gets what it and the lanes below amount to (G)
    kExclusive,        // def 0: what the lanes below amount to (G)
  };
  mir::ReduceOp op = mir::ReduceOp::kIadd;
  Kind kind = kReduce;
  uint8_t cluster = 0;   // lanes that are combined

  constexpr uint32_t Pack() const {
    return static_cast<uint32_t>(op) | uint32_t{kind} << 8 | uint32_t{cluster} << 16;
  }
  static constexpr ScanAux Unpack(uint32_t aux) {
    return {static_cast<mir::ReduceOp>(aux & 0xff), static_cast<Kind>(aux >> 8 & 0xff),
            static_cast<uint8_t>(aux >> 16)};
  }
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_SUBGROUP_H_
