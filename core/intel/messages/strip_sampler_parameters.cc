// Strips constant zeros from the end of sampler messages.
//
// Problem: parameters that a message does not send read as zero, so a zero at the end needs no
// register, no move and no bandwidth. The message table of the generation decides which parameter
// is last. The header, the first parameter, and all parameters of messages with a reference value
// are kept (by public discussion; Mesa 25.0.7 keeps those of cubes instead: intel/SOURCES.md). In
// and out: SSA, parameter lists that the message table allows. Runs before lower_samplers, which
// decides by the number of parameters. Cost: linear.
#include "absl/strings/str_cat.h"
#include "core/intel/lir/ops.h"
#include "core/intel/messages/passes.h"
#include "core/intel/messages/sampler_op.h"

namespace kiln::intel {
namespace {

using lir::Operand;

bool Compares(absl::Span<const isa::MessageParam> params) {
  for (const isa::MessageParam& p : params) {
    if (p.kind == isa::ParamKind::kRef) return true;
  }
  return false;
}

bool IsZero(const Operand& o) { return o.kind == Operand::Kind::kImm && o.id == 0; }

// Returns the number of parameters left without the zeros at the end.
int Needed(const lir::Function& f, const Device& device, lir::InstId id,
           const LirMessage& message) {
  const auto params = isa::Params(device.generation, message.fields.message);
  int n = ParameterCount(f.inst(id), message);
  if (Compares(params)) return n;
  const int first = message.fields.header ? 1 : 0;
  while (n > 1 && params[n - 1].droppable && IsZero(f.uses(id)[first + n - 1])) --n;
  return n;
}

void Drop(lir::Function& f, lir::InstId id, const LirMessage& message, int dropped) {
  const auto uses = f.uses(id);
  for (size_t i = uses.size() - UsesAfterPayload(f.inst(id), message); i < uses.size(); ++i) {
    uses[i - dropped] = uses[i];
  }
  f.inst(id).num_uses = static_cast<uint16_t>(f.inst(id).num_uses - dropped);
}

}  // namespace

absl::StatusOr<bool> StripSamplerParameters(lir::Function& f, const Device& device,
                                            PassContext& context) {
  bool changed = false;
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) {
      if (!IsSamplerList(f.inst(id).op)) continue;
      const LirMessage message = MessageOf(f, f.inst(id));
      const int n = ParameterCount(f.inst(id), message), keep = Needed(f, device, id, message);
      if (keep == n || !context.Rewrite()) continue;
      context.Remark(
          "parameters_stripped", f.inst(id).spirv_id,
          absl::StrCat(isa::Info(message.fields.message).name, ": ", keep, " of ", n, " sent"));
      Drop(f, id, message, n - keep);
      changed = true;
    }
  }
  return changed;
}

}  // namespace kiln::intel
