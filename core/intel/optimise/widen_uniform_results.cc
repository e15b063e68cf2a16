// Computes uniform results per lane if they are only copied to lanes: the copy becomes the
// computation, and the uniform one is dead.
//
// In and out: SSA. Each copy costs one instruction before and after, so nothing is lost. A result
// with more than kMaxCopies copies stays uniform (its sources would be live up to all of the
// copies). Math stays uniform: it is slower on all lanes. Cost: linear.
#include <vector>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/build.h"
#include "core/lir/def_use.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

constexpr uint32_t kMaxCopies = 3;

// Returns true for `G = mov U` of 32 bits, or of 16 into packed lanes, without change.
bool IsCopyToLanes(const lir::Function& f, lir::InstId id) {
  const lir::Inst& in = f.inst(id);
  if (in.op != Op(Opcode::kMov) || in.cmod != 0 || in.predicate_mode != 0 || in.num_defs != 1 ||
      (in.flags & (lir::kSaturate | lir::kNoMask))) {
    return false;
  }
  const Operand& def = f.defs(id)[0];
  const Operand& use = f.uses(id)[0];
  if (!IsValue(use) || use.mods != 0 || use.sub != 0) return false;
  const lir::Value& to = f.value(def.value());
  const lir::Value& from = f.value(use.value());
  const auto def_type = static_cast<Type>(def.type), use_type = static_cast<Type>(use.type);
  const bool raw = def_type == use_type || (!isa::IsFloat(def_type) && !isa::IsFloat(use_type) &&
                                            isa::ByteSize(def_type) == isa::ByteSize(use_type));
  return raw && to.file == kFileG && to.elem_bytes == isa::ByteSize(def_type) &&
         from.file == kFileU && !from.whole_registers && use.comp == 0;
}

// Returns true if the result can be computed per lane; it must fill the elements it is copied to.
bool CanWiden(const lir::Function& f, lir::InstId id, int elem_bytes) {
  const lir::Inst& in = f.inst(id);
  if (!IsEuOp(in.op) || in.op == Op(Opcode::kMath) || in.width != 1 || in.num_defs != 1 ||
      in.cmod != 0 || in.predicate_mode != 0 ||
      isa::ByteSize(static_cast<Type>(f.defs(id)[0].type)) != elem_bytes) {
    return false;
  }
  for (const Operand& o : f.uses(id)) {
    if (IsValue(o) && f.value(o.value()).file != kFileU) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> WidenUniformResults(lir::Function& f, PassContext& context) {
  if (!lir::AnyInst(f, [&](lir::InstId id) { return IsCopyToLanes(f, id); })) return false;
  const lir::DefUse info = lir::FindDefUse(f);
  std::vector<uint32_t> copies(f.values.size());
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) {
      if (IsCopyToLanes(f, id)) ++copies[f.uses(id)[0].id];
    }
  }
  bool changed = false;
  for (lir::Block& block : f.blocks) {
    for (lir::InstId& id : block.insts) {
      if (!IsCopyToLanes(f, id)) continue;
      const uint32_t v = f.uses(id)[0].id;
      const lir::InstId def = info.def[v];
      if (!def.valid() || copies[v] != info.uses[v] || copies[v] > kMaxCopies ||
          !CanWiden(f, def, f.value(f.defs(id)[0].value()).elem_bytes) || !context.Rewrite()) {
        continue;
      }
      lir::InstFields fields;
      fields.width = f.inst(id).width;
      fields.flags = f.inst(def).flags & lir::kSaturate;
      fields.aux = f.inst(def).aux;
      fields.spirv_id = f.inst(def).spirv_id;
      Operand to = f.defs(id)[0];
      to.type = f.defs(def)[0].type;  // one component, whatever the uniform result had
      id = lir::MakeInst(f, f.inst(def).op, fields, {&to, 1}, f.uses(def));
      changed = true;
    }
  }
  return changed;
}

}  // namespace kiln::intel
