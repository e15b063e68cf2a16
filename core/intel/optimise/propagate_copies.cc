// Propagates copies: a use of `d = mov s` reads s.
//
// In and out: SSA. The move must be a plain one: no condition, predicate or saturation, source and
// destination of equal kind (a conversion is not a copy). Modifiers of the source move along to
// instructions that have source modifiers and read the same type. A uniform source replaces a
// per-lane value wherever a scalar region is possible, so not in payloads, edges and collects.
// Halves of qwords replace dwords in the EU's own instructions only. Integer instructions whose
// other source has 32 bits, and conversions, read a byte or word directly instead of the integer to
// which it was widened. Cost: linear; instructions are visited in layout order, so chains collapse
// in one run.
#include <algorithm>

#include "core/intel/isa/opcodes.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/def_use.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

// Returns true if a move from one type to the other copies bits.
bool SameKind(Type a, Type b) {
  return a == b || (!isa::IsFloat(a) && !isa::IsFloat(b) && isa::ByteSize(a) == isa::ByteSize(b));
}

bool IsDword(Type t) { return t == Type::kD || t == Type::kUD; }

class Propagator {
 public:
  Propagator(lir::Function& f, PassContext& context)
      : f_(f), context_(context), info_(lir::FindDefUse(f)) {}

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
  // Returns the source of the plain move that defines the value of `o`, or null.
  const Operand* CopySource(const Operand& o) const {
    const lir::InstId* def = info_.DefOf(o);
    if (def == nullptr || o.comps != 1) return nullptr;
    const lir::Inst& mov = f_.inst(*def);
    if (mov.op != Op(Opcode::kMov) || mov.cmod != 0 || mov.predicate_mode != 0 ||
        (mov.flags & lir::kSaturate) || mov.num_defs != 1 || f_.value(o.value()).comps != 1) {
      return nullptr;
    }
    const Operand& source = f_.uses(*def)[0];
    if (!IsValue(source) || source.comps != 1 || (o.sub != 0 && source.mods != 0)) {
      return nullptr;
    }
    const lir::Value& from = f_.value(source.value());
    const lir::Value& to = f_.value(o.value());
    if (from.file == kFileF || to.file == kFileF) return nullptr;
    // The use must read only bytes that the move has written.
    const int written = isa::ByteSize(static_cast<Type>(f_.defs(*def)[0].type));
    if (o.sub + isa::ByteSize(static_cast<Type>(o.type)) > written) return nullptr;
    // A uniform copy of a per-lane value would be of one lane only.
    if (to.file == kFileU && from.file != kFileU) return nullptr;
    const auto def_type = static_cast<Type>(f_.defs(*def)[0].type);
    return SameKind(def_type, static_cast<Type>(source.type)) ? &source : nullptr;
  }

  // `regions`: the operand may have any stride and offset.
  void ReplacePlain(Operand& o, const Operand& source, bool regions) {
    if (source.mods != 0) return;
    const lir::Value& from = f_.value(source.value());
    const lir::Value& to = f_.value(o.value());
    if (!regions && (from.file != to.file || from.elem_bytes != to.elem_bytes || source.sub != 0)) {
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

  // Returns the source of the move that widens a byte or word to the integer that `o` reads, or
  // null.
  const Operand* WidenedSource(const Operand& o) const {
    const lir::InstId* def = info_.DefOf(o);
    if (def == nullptr || o.comps != 1 || o.sub != 0 || o.mods != 0 ||
        !IsDword(static_cast<Type>(o.type))) {
      return nullptr;
    }
    const lir::Inst& mov = f_.inst(*def);
    if (mov.op != Op(Opcode::kMov) || mov.cmod != 0 || mov.predicate_mode != 0 ||
        (mov.flags & lir::kSaturate) || mov.num_defs != 1 || f_.value(o.value()).comps != 1) {
      return nullptr;
    }
    const Operand& source = f_.uses(*def)[0];
    const auto from = static_cast<Type>(source.type);
    const bool narrow =
        !isa::IsFloat(from) && isa::ByteSize(from) < 4 && from != Type::kV && from != Type::kUV;
    if (!IsValue(source) || source.comps != 1 || source.mods != 0 || !narrow ||
        !IsDword(static_cast<Type>(f_.defs(*def)[0].type))) {
      return nullptr;
    }
    const uint8_t from_file = f_.value(source.value()).file;
    const bool one_lane = f_.value(o.value()).file == kFileU && from_file != kFileU;
    return from_file == kFileF || one_lane ? nullptr : &source;
  }

  // Returns true if source `index` may be a byte or word of type t instead of an integer of 32
  // bits. The other source must keep the execution type. Only signed operations read a negative
  // number as such.
  bool TakesNarrow(lir::InstId id, size_t index, Type t) const {
    const lir::Inst& in = f_.inst(id);
    if (!IsEuOp(in.op)) return false;
    const bool byte = isa::ByteSize(t) == 1;
    const bool same_sign =
        !isa::IsSigned(t) || isa::IsSigned(static_cast<Type>(f_.uses(id)[index].type));
    const auto op = static_cast<Opcode>(in.op);
    if (op == Opcode::kMov) {
      if (in.num_defs != 1) return false;
      const auto to = static_cast<Type>(f_.defs(id)[0].type);
      return IsDword(to) || (same_sign && (to == Type::kF || (to == Type::kHF && !byte)));
    }
    switch (op) {
      case Opcode::kAdd:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor: break;
      case Opcode::kCmp:
        if (!same_sign) return false;
        break;
      case Opcode::kShl:
      case Opcode::kAsr:
        if (index != 0) return false;
        break;
      case Opcode::kShr:
        if (index != 0 || isa::IsSigned(t)) return false;
        break;
      default: return false;
    }
    if (byte && index != 0) return false;  // EU verifier, "byte second source"
    return IsDword(static_cast<Type>(f_.uses(id)[1 - index].type));
  }

  void TakeNarrow(Operand& o, const Operand& source) {
    if (!context_.Rewrite()) return;
    o.id = source.id;
    o.comp = source.comp;
    o.sub = source.sub;
    o.type = source.type;
    changed_ = true;
  }

  // Returns true if a source of type `t` may carry negation and absolute value. For integers this
  // holds only if the result wraps as the modifier's own result would have: inside an instruction
  // -INT_MIN is 2^31, which affects a comparison, a minimum, a conversion or a saturation. It also
  // affects a sum that is wider than its source, which is widened before it is negated.
  bool TakesModifiers(lir::InstId id, Type t) const {
    const lir::Inst& in = f_.inst(id);
    if (!IsEuOp(in.op)) return false;
    const auto op = static_cast<Opcode>(in.op);
    const isa::OpcodeInfo& info = isa::Info(op);
    if (!info.src_modifiers || info.bitwise) return false;
    if (isa::IsFloat(t)) return true;
    if (in.cmod != 0 || (in.flags & lir::kSaturate) != 0) return false;
    const auto fits = [&](const Operand& o) {
      return isa::ByteSize(static_cast<Type>(o.type)) <= isa::ByteSize(t);
    };
    return (op == Opcode::kAdd || op == Opcode::kMad || op == Opcode::kSel) &&
           std::all_of(f_.defs(id).begin(), f_.defs(id).end(), fits) &&
           std::all_of(f_.uses(id).begin(), f_.uses(id).end(), fits);
  }

  void VisitInst(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    const bool plain = HasOwnFlag(in.op, kOwnPlainSources);
    const size_t count = in.num_uses - (in.predicate_mode != 0 ? 1u : 0u);
    for (size_t i = 0; i < count; ++i) {
      Operand& o = f_.uses(id)[i];
      const Operand* source = CopySource(o);
      if (source == nullptr) {
        source = WidenedSource(o);
        if (source != nullptr && TakesNarrow(id, i, static_cast<Type>(source->type))) {
          TakeNarrow(o, *source);
        }
        continue;
      }
      if (source->mods == 0) {
        // Half of a qword has twice a dword's stride: pseudo operations read more lanes at once.
        const bool wide = f_.value(source->value()).elem_bytes == 8;
        ReplacePlain(o, *source, wide ? IsEuOp(in.op) : !plain);
      } else if (TakesModifiers(id, static_cast<Type>(o.type))) {
        ReplaceWithModifiers(o, *source);
      }
    }
  }

  lir::Function& f_;
  PassContext& context_;
  const lir::DefUse info_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> PropagateCopies(lir::Function& f, PassContext& context) {
  return Propagator(f, context).Run();
}

}  // namespace kiln::intel
