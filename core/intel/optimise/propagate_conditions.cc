// Propagates conditions: `F = cmp.c x, 0` becomes a condition of the instruction that makes x, if
// that is in the same block. A test of a stored boolean (x is 0 / -1 from a compare) becomes the
// flag of that compare.
//
// In and out: SSA. Both instructions execute under the same mask and width. Allowed producers:
// bitwise logic with .z/.nz (exact), and float add, mul, mad where x is compared as a float, since
// the condition is computed from the rounded result just as the compare would. Integer add is not
// allowed: its condition is computed from the sum before it wraps. Cost: linear.
#include <algorithm>
#include <vector>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/build.h"
#include "core/lir/def_use.h"

namespace kiln::intel {
namespace {

using isa::CondMod;
using isa::Opcode;
using isa::Type;
using lir::Operand;

// Returns true for a compare of a register with 0 that defines nothing but a flag.
bool IsTestOfZero(const lir::Function& f, lir::InstId id) {
  const lir::Inst& in = f.inst(id);
  if (in.op != Op(Opcode::kCmp) || in.num_defs != 1 || in.num_uses != 2 || in.predicate_mode != 0) {
    return false;
  }
  const Operand& zero = f.uses(id)[1];
  const Operand& x = f.uses(id)[0];
  return zero.kind == Operand::Kind::kImm && zero.id == 0 && x.mods == 0 && x.sub == 0 &&
         x.comps == 1 && f.value(f.defs(id)[0].value()).file == kFileF;
}

class Propagator {
 public:
  Propagator(lir::Function& f, PassContext& context)
      : f_(f), context_(context), info_(lir::FindDefUse(f)), replaced_(f.values.size()) {}

  bool Run() {
    for (lir::Block& block : f_.blocks) {
      std::vector<lir::InstId> kept;
      kept.reserve(block.insts.size());
      for (lir::InstId id : block.insts) {
        RenameFlags(id);
        if (!VisitInst(id, kept)) kept.push_back(id);
      }
      block.insts = std::move(kept);
    }
    return changed_;
  }

 private:
  void RenameFlags(lir::InstId id) {
    for (Operand& o : f_.uses(id)) {
      while (IsValue(o) && o.id < replaced_.size() && replaced_[o.id].valid()) {
        o.id = replaced_[o.id].index;
      }
    }
  }

  static bool IsLogic(uint16_t op) {
    return op == Op(Opcode::kAnd) || op == Op(Opcode::kOr) || op == Op(Opcode::kXor) ||
           op == Op(Opcode::kNot);
  }

  // Returns true if the producer may carry the test's condition.
  bool CanCarry(const lir::Inst& producer, const lir::Inst& test, Type type) const {
    const auto c = static_cast<CondMod>(test.cmod);
    if (IsLogic(producer.op)) {
      return !isa::IsFloat(type) && (c == CondMod::kZ || c == CondMod::kNz);
    }
    const bool arithmetic = producer.op == Op(Opcode::kAdd) || producer.op == Op(Opcode::kMul) ||
                            producer.op == Op(Opcode::kMad);
    return arithmetic && isa::IsFloat(type);
  }

  // Returns true if the instruction was absorbed and must not be kept.
  bool VisitInst(lir::InstId id, std::vector<lir::InstId>& kept) {
    if (!IsTestOfZero(f_, id)) return false;
    const Operand x = f_.uses(id)[0];
    const lir::InstId* def = info_.DefOf(x);
    if (def == nullptr || info_.block[def->index] != info_.block[id.index]) return false;
    const lir::InstId producer_id = Current(*def);
    const lir::Inst producer = f_.inst(producer_id);
    const lir::Inst test = f_.inst(id);
    if (producer.width != test.width || producer.predicate_mode != 0 ||
        (producer.flags & lir::kNoMask) != (test.flags & lir::kNoMask) ||
        f_.value(x.value()).comps != 1) {
      return false;
    }
    if (producer.op == Op(Opcode::kCmp)) return ReuseFlag(producer_id, id);
    const auto type = static_cast<Type>(f_.uses(id)[0].type);
    const auto def_type = static_cast<Type>(f_.defs(producer_id)[0].type);
    const bool same_type = isa::IsFloat(type) == isa::IsFloat(def_type) &&
                           isa::ByteSize(type) == isa::ByteSize(def_type);
    if (producer.cmod != 0 || producer.num_defs != 1 || !same_type ||
        !CanCarry(producer, test, type) || !context_.Rewrite()) {
      return false;
    }
    Replace(producer_id, id, kept);
    changed_ = true;
    return true;
  }

  // Replaces the test by the flag of the stored boolean's own compare (.nz of 0 / -1 is the
  // boolean).
  bool ReuseFlag(lir::InstId producer, lir::InstId test) {
    if (f_.inst(producer).num_defs != 2 ||
        static_cast<CondMod>(f_.inst(test).cmod) != CondMod::kNz ||
        isa::IsFloat(static_cast<Type>(f_.uses(test)[0].type)) || !context_.Rewrite()) {
      return false;
    }
    replaced_[f_.defs(test)[0].id] = f_.defs(producer)[1].value();
    changed_ = true;
    return true;
  }

  // Replaces the producer by a new instruction with the flag as second definition. The first
  // definition is left out if only the test read it and the instruction can do without: a
  // three-source instruction needs a register to write (EU verifier, "three-source destination").
  void Replace(lir::InstId producer, lir::InstId test, std::vector<lir::InstId>& kept) {
    const lir::Inst in = f_.inst(producer);
    std::vector<Operand> defs;
    const bool ternary = isa::Info(static_cast<Opcode>(in.op)).format == isa::Format::kTernary;
    if (ternary || info_.uses[f_.defs(producer)[0].id] > 1) defs.push_back(f_.defs(producer)[0]);
    defs.push_back(f_.defs(test)[0]);
    lir::InstFields fields;
    fields.width = in.width;
    fields.group = in.group;
    fields.flags = in.flags;
    fields.cmod = f_.inst(test).cmod;
    fields.aux = in.aux;
    fields.spirv_id = in.spirv_id;
    const lir::InstId made = lir::MakeInst(f_, in.op, fields, defs, f_.uses(producer));
    current_.resize(f_.insts.size());
    current_[producer.index] = made;
    std::replace(kept.begin(), kept.end(), producer, made);
  }

  lir::InstId Current(lir::InstId id) const {
    return id.index < current_.size() && current_[id.index].valid() ? current_[id.index] : id;
  }

  lir::Function& f_;
  PassContext& context_;
  const lir::DefUse info_;
  std::vector<lir::ValueId> replaced_;  // by flag: the flag that replaces it
  std::vector<lir::InstId> current_;    // instructions that replace others
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> PropagateConditions(lir::Function& f, PassContext& context) {
  if (!lir::AnyInst(f, [&](lir::InstId id) { return IsTestOfZero(f, id); })) return false;
  return Propagator(f, context).Run();
}

}  // namespace kiln::intel
