// See fragment_rules.h.
#include "core/sim/eu/fragment_rules.h"

#include "core/intel/isa/opcodes.h"

namespace kiln::sim::eu {

absl::Status CheckFragmentProgram(const Program& program) {
  const Op* first = nullptr;
  for (const Op& op : program.ops) {
    if (op.inst.op != isa::Opcode::kHalt) continue;
    if (first == nullptr) first = &op;
    if (op.uip != first->uip) {
      return OpError(absl::StatusCode::kInvalidArgument, op, "a HALT to another place than the first");
    }
  }
  if (first == nullptr) return absl::OkStatus();
  const uint32_t target = first->uip;
  if (target == 0 || target > program.ops.size()) {
    return OpError(absl::StatusCode::kInvalidArgument, *first, "a HALT without a place to go to");
  }
  const Op& last = program.ops[target - 1];
  if (last.inst.op != isa::Opcode::kHalt || last.inst.pred != isa::PredCtrl::kNone ||
      last.jip != target) {
    return OpError(absl::StatusCode::kInvalidArgument, last,
                   "no HALT of all channels in front of where HALTs lead");
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::eu
