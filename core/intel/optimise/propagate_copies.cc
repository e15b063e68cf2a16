// Copy propagation: a use of `d = mov s` names s.
//
// In and out: SSA. The move must be a plain one: no condition, predicate or saturation, source and
// destination of equal kind (a conversion is not a copy). Modifiers of the source move along to
// instructions that have source modifiers and read the same type; a uniform source replaces a
// per-lane value wherever a scalar region is possible, so not in payloads, edges and collects.
// Cost: linear; instructions are visited in layout order, so chains collapse in one run.
#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/def_use.h"
#include "core/intel/optimise/passes.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

// Is a move from one to the other a copy of bits?
bool SameKind(Type a, Type b) {
  return a == b || (!isa::IsFloat(a) && !isa::IsFloat(b) && isa::ByteSize(a) == isa::ByteSize(b));
}

class Propagator {
 public:
  Propagator(lir::Function& f, PassContext& context)
      : f_(f), context_(context), info_(FindDefUse(f)) {}

  bool Run() {
    for (lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) VisitInst(id);
      for (const lir::Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) {
          if (const Operand* source = CopySource(o)) ReplacePlain(o, *source, false);
        }
      }
    }
    return changed_;
  }

 private:
  // The source of the plain move that defines what `o` names, or null.
  const Operand* CopySource(const Operand& o) const {
    const lir::InstId* def = info_.DefOf(o);
    if (def == nullptr || o.comps != 1) return nullptr;
    const lir::Inst& mov = f_.inst(*def);
    if (mov.op != Op(Opcode::kMov) || mov.cmod != 0 || mov.predicate_mode != 0 ||
        (mov.flags & lir::kSaturate) || mov.num_defs != 1 || f_.value(o.value()).comps != 1) {
      return nullptr;
    }
    const Operand& source = f_.uses(*def)[0];
    if (source.kind != Operand::Kind::kValue || source.comps != 1 ||
        (o.sub != 0 && source.mods != 0)) {
      return nullptr;
    }
    const lir::Value& from = f_.value(source.value());
    const lir::Value& to = f_.value(o.value());
    if (from.file == kFileF || to.file == kFileF) return nullptr;
    // What is read must be what the move has written.
    const int written = isa::ByteSize(static_cast<Type>(f_.defs(*def)[0].type));
    if (o.sub + isa::ByteSize(static_cast<Type>(o.type)) > written) return nullptr;
    // A uniform copy of a per-lane value would be of one lane only.
    if (to.file == kFileU && from.file != kFileU) return nullptr;
    const auto def_type = static_cast<Type>(f_.defs(*def)[0].type);
    return SameKind(def_type, static_cast<Type>(source.type)) ? &source : nullptr;
  }

  // `regions`: the operand's place may have any stride and offset.
  void ReplacePlain(Operand& o, const Operand& source, bool regions) {
    if (source.mods != 0) return;
    const lir::Value& from = f_.value(source.value());
    const lir::Value& to = f_.value(o.value());
    if (!regions &&
        (from.file != to.file || from.elem_bytes != to.elem_bytes || source.sub != 0)) {
      return;
    }
    if (!context_.Rewrite()) return;
    o.id = source.id;
    o.comp = source.comp;
    o.sub = static_cast<uint8_t>(o.sub + source.sub);
    changed_ = true;
  }

  void ReplaceWithModifiers(Operand& o, const Operand& source) {
    if (o.type != source.type || !context_.Rewrite()) return;
    o.id = source.id;
    o.comp = source.comp;
    o.sub = source.sub;
    o.mods = (o.mods & Operand::kAbsolute) ? o.mods : o.mods ^ source.mods;
    changed_ = true;
  }

  // May source `index` of the instruction carry negation and absolute value?
  static bool TakesModifiers(const lir::Inst& in, Type t) {
    if (!IsEuOp(in.op)) return false;
    const auto op = static_cast<Opcode>(in.op);
    const isa::OpcodeInfo& info = isa::Info(op);
    if (!info.src_modifiers || info.bitwise) return false;
    if (op == Opcode::kMul && !isa::IsFloat(t)) return false;  // 32 x 16: kept plain
    if (op == Opcode::kMath && !isa::IsFloat(t)) return false;
    return op != Opcode::kLzd && op != Opcode::kShl && op != Opcode::kShr && op != Opcode::kAsr;
  }

  void VisitInst(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const bool payload = IsMessage(in.op) || in.op == kCollect || in.op == kEot ||
                         in.op == kCopy || in.op == kFence || in.op == kBarrier ||
                         in.op == kSampler || in.op == kJoin || in.op == kSamplerHeader;
    const size_t count = in.num_uses - (in.predicate_mode != 0 ? 1u : 0u);
    for (size_t i = 0; i < count; ++i) {
      Operand& o = f_.uses(id)[i];
      const Operand* source = CopySource(o);
      if (source == nullptr) continue;
      if (source->mods == 0) {
        ReplacePlain(o, *source, !payload);
      } else if (TakesModifiers(in, static_cast<Type>(o.type))) {
        ReplaceWithModifiers(o, *source);
      }
    }
  }

  lir::Function& f_;
  PassContext& context_;
  const DefUse info_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> PropagateCopies(lir::Function& f, PassContext& context) {
  return Propagator(f, context).Run();
}

}  // namespace kiln::intel
