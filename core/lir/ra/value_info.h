// Facts that assignment needs about each value, in one row per value, and its affinities: where it
// should preferably be.
#ifndef KILN_CORE_LIR_RA_VALUE_INFO_H_
#define KILN_CORE_LIR_RA_VALUE_INFO_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"
#include "core/lir/ra/lane_sets.h"

namespace kiln::lir::ra {

struct ValueInfo {
  uint32_t per_comp = 0;  // units of a component
  uint32_t units = 0;     // of all components
  uint32_t written = 0;   // units that its definition writes: `units`, rounded up to registers
                          // if the value fills whole registers
  uint32_t alignment = 1;
  uint8_t pool = 0;
  bool whole = false;  // some write of it is NoMask: other lanes cannot share its units
  BlockId def_block;

  // Affinity: the value, or the part of it, with which this one should be placed.
  ValueId collect;              // its last use is as a part of this collect's definition, or as an
                                // argument for a parameter of which that is true,
  uint32_t collect_offset = 0;  // at this offset in units
  ValueId param;                // it is an argument for this parameter
  // For a value of several components: components that are arguments (a message result whose
  // components are arguments of a join).
  struct PartArgument {
    uint32_t offset = 0;  // in units
    ValueId param;
  };
  std::vector<PartArgument> parts;
  ValueId tied;  // the definition tied to this use, if it is one
};

// Linear.
std::vector<ValueInfo> DescribeValues(const Machine& machine, const Function& f);

inline LaneLayout LayoutAt(const Value& value, const ValueInfo& v, uint32_t reg) {
  if (v.whole) return LaneLayout{};
  return LaneLayout{false, value.elem_bytes, static_cast<uint16_t>(reg % v.per_comp)};
}

// Returns true if this copy is only a new name once definition and source have the same registers.
bool IsPlainCopy(const Machine& machine, const Function& f, InstId i);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_VALUE_INFO_H_
