// The result of assignment: registers of operands, copies to insert, instructions to drop, and the
// reason of a failure. Lifetime: the function. A value that is settled here is live from then on.
#ifndef KILN_CORE_LIR_RA_ASSIGN_RESULT_H_
#define KILN_CORE_LIR_RA_ASSIGN_RESULT_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/assign_written.h"

namespace kiln::lir::ra {

class AssignResult {
 public:
  AssignResult(const AssignInput& in, Places& at, const Here& here, LiveNow& live,
               WrittenSets& written, Assignment* out, OutOfRegisters* why);

  // Makes `reg` the value's home.
  void Settle(ValueId v, uint32_t reg);
  void SetReg(uint32_t operand, const Operand& o) {
    out.operand_reg[operand] = at_.now[o.id] == kNowhere ? 0 : at_.UnitOf(o);
  }
  void RecordWrite(BlockId b, uint8_t pool, uint32_t first, uint32_t n, const LaneLayout& layout) {
    out.top[pool] = std::max(out.top[pool], first + n);
    written_.Record(b, pool, first, n, layout);
  }
  void RecordSteps(BlockId b, uint8_t pool, const std::vector<MoveStep>& steps);
  void Suggest(ValueId param, uint32_t reg);
  // Returns false: nothing fits v here.
  bool Fail(ValueId v) {
    why = {v, here_.block};
    return false;
  }

  Assignment& out;
  OutOfRegisters& why;

 private:
  const AssignInput& in_;
  Places& at_;
  const Here& here_;
  LiveNow& live_;
  WrittenSets& written_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_RESULT_H_
