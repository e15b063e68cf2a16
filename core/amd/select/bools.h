// Selection of booleans: comparisons, logic, and the forms in which readers want them. Internal to
// this folder.
#ifndef KILN_CORE_AMD_SELECT_BOOLS_H_
#define KILN_CORE_AMD_SELECT_BOOLS_H_

#include "absl/status/status.h"
#include "core/amd/select/emission.h"

namespace kiln::amd {

class Bools : public Room {
 public:
  explicit Bools(Emission& e) : Room(e) {}

  // Selects an instruction whose result is a boolean and which is no subgroup operation.
  absl::Status VisitBool(mir::InstId id);

  // Return the boolean as a mask of lanes (file M); as SCC (of a uniform one); as 0 or 1 in S or an
  // immediate (of a uniform one).
  Operand MaskOf(mir::ValueId v);
  Operand SccOf(mir::ValueId v);
  Operand NumberOf(mir::ValueId v);

  // Returns `if_true` in lanes where the boolean is true, else `if_false`; numbers of 32 bits.
  Operand Select(mir::ValueId condition, Operand if_true, Operand if_false);
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_BOOLS_H_
