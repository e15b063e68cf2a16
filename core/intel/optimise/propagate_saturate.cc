// Propagates saturation: `d = mov.sat t`, where t is a float result without other uses, becomes the
// saturation of the instruction that makes t, and a plain move for copy propagation to remove.
//
// In and out: SSA. Saturating twice is harmless, so the order of chains does not matter. Cost:
// linear.
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/def_use.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;

// Returns true for a float instruction whose result, of this type, it can saturate itself.
bool CanSaturate(const lir::Function& f, lir::InstId id, Type type) {
  const lir::Inst& in = f.inst(id);
  if (!IsEuOp(in.op) || in.cmod != 0 || in.predicate_mode != 0 || in.num_defs != 1) return false;
  return isa::Info(static_cast<Opcode>(in.op)).saturate &&
         static_cast<Type>(f.defs(id)[0].type) == type;
}

bool IsSaturatingMove(const lir::Inst& in) {
  return in.op == Op(Opcode::kMov) && (in.flags & lir::kSaturate) != 0;
}

}  // namespace

absl::StatusOr<bool> PropagateSaturate(lir::Function& f, PassContext& context) {
  if (!lir::AnyInst(f, [&](lir::InstId id) { return IsSaturatingMove(f.inst(id)); })) return false;
  const lir::DefUse info = lir::FindDefUse(f);
  bool changed = false;
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) {
      const lir::Inst& mov = f.inst(id);
      if (!IsSaturatingMove(mov)) continue;
      const lir::Operand& source = f.uses(id)[0];
      const lir::InstId* def = info.DefOf(source);
      const auto type = static_cast<Type>(source.type);
      if (def == nullptr || source.mods != 0 || source.sub != 0 || !isa::IsFloat(type) ||
          info.uses[source.id] != 1 || f.inst(*def).width != mov.width ||
          f.defs(id)[0].type != source.type || !CanSaturate(f, *def, type)) {
        continue;
      }
      if (!context.Rewrite()) return changed;
      f.inst(*def).flags |= lir::kSaturate;
      f.inst(id).flags &= static_cast<uint8_t>(~lir::kSaturate);
      changed = true;
    }
  }
  return changed;
}

}  // namespace kiln::intel
