// What assignment asks about a value again and again, in one row per value, and where a value
// would best be: affinities.
#ifndef KILN_CORE_LIR_RA_VALUE_INFO_H_
#define KILN_CORE_LIR_RA_VALUE_INFO_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/ra/lane_sets.h"
#include "core/lir/target.h"

namespace kiln::lir::ra {

struct ValueInfo {
  uint32_t per_comp = 0;  // units of a component
  uint32_t units = 0;     // of all components
  uint32_t written = 0;   // units that its definition writes: `units`, rounded up to registers
                          // where the value fills whole registers
  uint32_t alignment = 1;
  uint8_t pool = 0;
  bool whole = false;  // some write of it is NoMask: it shares its units with no other lane
  BlockId def_block;

  // The value, or a part of it, that this one had best be placed with.
  ValueId collect;              // its last use is as a part of this collect's definition, or as an
                                // argument for a parameter of which that is true ...
  uint32_t collect_offset = 0;  // ... at this offset in units
  ValueId param;                // it is an argument for this parameter
  // Of a value of several components: components that are arguments (an answer to a message whose
  // components a join chooses among).
  struct PartArgument {
    uint32_t offset = 0;  // in units
    ValueId param;
  };
  std::vector<PartArgument> parts;
  ValueId tied;  // it is the use that this definition is tied to
};

// Linear.
std::vector<ValueInfo> DescribeValues(const Target& target, const Function& f);

inline LaneLayout LayoutAt(const Value& value, const ValueInfo& v, uint32_t reg) {
  if (v.whole) return LaneLayout{};
  return LaneLayout{false, value.elem_bytes, static_cast<uint16_t>(reg % v.per_comp)};
}

// Is this copy nothing but a new name, once definition and source are in the same place?
bool IsPlainCopy(const Target& target, const Function& f, InstId i);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_VALUE_INFO_H_
