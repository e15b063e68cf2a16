// Selection of booleans: comparisons, logic, and the forms in which readers want them. Internal to
// this folder.
#ifndef KILN_CORE_AMD_SELECT_BOOLS_H_
#define KILN_CORE_AMD_SELECT_BOOLS_H_

#include <vector>

#include "absl/status/status.h"
#include "core/amd/select/emission.h"

namespace kiln::amd {

class Bools : public Room {
 public:
  explicit Bools(Emission& e) : Room(e), numbers_(e.module().values.size()) {}

  // Selects an instruction whose result is a boolean and which is no subgroup operation.
  absl::Status VisitBool(mir::InstId id);

  // Return the boolean as a mask of lanes (file M); as SCC (of a uniform one); as 0 or 1 in S or an
  // immediate (of a uniform one).
  Operand MaskOf(mir::ValueId v);
  Operand SccOf(mir::ValueId v);
  Operand NumberOf(mir::ValueId v);
  // Returns 0 or 1 in V, for lanes or of a uniform boolean.
  Operand LaneNumberOf(mir::ValueId v);

  // Returns `if_true` in lanes where the boolean is true, else `if_false`; numbers of 32 bits.
  Operand Select(mir::ValueId condition, Operand if_true, Operand if_false);

 private:
  bool IsScalarBool(mir::ValueId v) const;
  bool IsScalarWork(mir::InstId id) const;
  bool IsStillScc(const Operand& scc) const;
  bool IsInvertedLater(mir::InstId id);
  bool IsOneOrZero(mir::InstId select) const;
  bool IsReadAsNumber(mir::ValueId v);
  void SetScc(mir::ValueId result, Operand scc);
  absl::Status VisitComparison(mir::InstId id, mir::ValueId result, bool inverse);
  void SetScalar(mir::ValueId result, Opcode op, Operand a, Operand b);
  absl::Status VisitNot(mir::InstId id);
  void VisitLogic(mir::InstId id, Opcode scalar, LirOp mask);
  void SelectNumber(mir::ValueId result, mir::ValueId c, Operand if_true, Operand if_false);
  void VisitSelect(mir::InstId id);
  bool SelectOfConstant(mir::ValueId result, mir::ValueId c, mir::ValueId a, mir::ValueId b);

  std::vector<Operand> numbers_;  // by MIR value: 0 or 1 in S, of booleans that are SCC
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_BOOLS_H_
