#include "core/sim/rdna2/clause.h"

namespace kiln::sim::rdna2 {

using isa::ClauseKind;

absl::Status FollowClause(const Op& op, WaveState& wave) {
  if (wave.clause_left == 0) {
    if (op.inst.op != isa::Opcode::kSClause) return absl::OkStatus();
    wave.clause_left = static_cast<uint8_t>(isa::ClauseLength(op.inst));
    wave.clause_kind = ClauseKind::kNone;
    return absl::OkStatus();
  }
  --wave.clause_left;
  const ClauseKind kind = isa::ClauseKindOf(op.inst);
  if (kind == ClauseKind::kNone) {
    return OpError(absl::StatusCode::kInvalidArgument, op, wave.size,
                   "a clause with another instruction than of memory");
  }
  if (wave.clause_kind != ClauseKind::kNone && kind != wave.clause_kind) {
    return OpError(absl::StatusCode::kInvalidArgument, op, wave.size,
                   "a clause with two kinds of memory instructions");
  }
  wave.clause_kind = kind;
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
