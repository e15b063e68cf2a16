// Eliminates common subexpressions: an instruction equal to one that dominates it is replaced by
// that one.
//
// Merges pure EU instructions and headers, not messages, pseudo operations with scratch
// definitions, or plain moves: copy propagation handles these, and one in front of a jump or a
// collect is the copy that would be needed anyway. Conversions, and constants that only messages
// read directly (addresses), merge within a block. The dominating instruction ran for all lanes
// that the later one runs for, so masked instructions merge as well as NoMask ones. Instructions
// that define a flag merge only inside a block: a flag kept for long would be saved and restored.
#include <vector>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/merge_equal.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using lir::Operand;

class Rules : public lir::MergeRules {
 public:
  explicit Rules(const lir::Function& f) { FindMessageOperands(f); }

  lir::Reach ReachOf(const lir::Function& f, lir::InstId id) const override {
    if (!IsMergeable(f, id)) return lir::Reach::kNone;
    const bool here = DefinesFlag(f, id) || f.inst(id).op == Op(Opcode::kMov);
    return here ? lir::Reach::kBlock : lir::Reach::kDominated;
  }

  // Signed and unsigned dwords give the same sums and bits.
  uint32_t EqualTypes(const lir::Function& f, lir::InstId id) const override {
    return IsSignless(f, id) ? TypeBit(isa::Type::kD) | TypeBit(isa::Type::kUD) : 0;
  }

 private:
  static uint32_t TypeBit(isa::Type t) { return 1u << static_cast<uint32_t>(t); }

  // Finds values that only messages read, each as a payload of its own.
  void FindMessageOperands(const lir::Function& f) {
    messages_only_.assign(f.values.size(), true);
    for (const lir::Block& block : f.blocks) {
      for (lir::InstId id : block.insts) {
        if (IsMessage(f.inst(id).op)) continue;
        for (const Operand& o : f.uses(id)) {
          if (IsValue(o)) messages_only_[o.id] = false;
        }
      }
      for (const lir::Edge& e : block.succs) {
        for (const Operand& o : f.args(e)) {
          if (IsValue(o)) messages_only_[o.id] = false;
        }
      }
    }
  }

  static bool DefinesFlag(const lir::Function& f, lir::InstId id) {
    for (const Operand& d : f.defs(id)) {
      if (f.value(d.value()).file == kFileF) return true;
    }
    return false;
  }

  bool IsConstantOfMessages(const lir::Function& f, lir::InstId id) const {
    const lir::Inst& in = f.inst(id);
    return in.op == Op(Opcode::kMov) && in.cmod == 0 && in.predicate_mode == 0 &&
           f.uses(id)[0].kind == Operand::Kind::kImm && messages_only_[f.defs(id)[0].id];
  }

  // Returns true for a move that changes the bits that it moves.
  static bool IsConversion(const lir::Function& f, lir::InstId id) {
    const Operand& def = f.defs(id)[0];
    const Operand& use = f.uses(id)[0];
    const auto to = static_cast<isa::Type>(def.type), from = static_cast<isa::Type>(use.type);
    return IsValue(use) &&
           (isa::ByteSize(to) != isa::ByteSize(from) || isa::IsFloat(to) != isa::IsFloat(from));
  }

  bool IsMergeable(const lir::Function& f, lir::InstId id) const {
    const lir::Inst& in = f.inst(id);
    if (IsConstantOfMessages(f, id)) return true;
    if (HasOwnFlag(in.op, kOwnMergeable)) return true;
    if (!IsEuOp(in.op) || (in.op == Op(Opcode::kMov) && !IsConversion(f, id))) return false;
    return (IntelOps()[in.op].flags & (lir::kOpTerminator | lir::kOpSideEffect)) == 0;
  }

  static bool IsSignless(const lir::Function& f, lir::InstId id) {
    const lir::Inst& in = f.inst(id);
    if (in.cmod != 0 || (in.flags & lir::kSaturate) != 0) return false;
    switch (in.op) {
      case Op(Opcode::kAdd):
      case Op(Opcode::kAnd):
      case Op(Opcode::kOr):
      case Op(Opcode::kXor):
      case Op(Opcode::kShl): break;
      default: return false;
    }
    const auto fits = [](const Operand& o) {
      return IsDword(o) && (o.mods & Operand::kAbsolute) == 0;
    };
    return IsDword(f.defs(id)[0]) && fits(f.uses(id)[0]) && fits(f.uses(id)[1]);
  }

  static bool IsDword(const Operand& o) {
    const auto t = static_cast<isa::Type>(o.type);
    return t == isa::Type::kD || t == isa::Type::kUD;
  }

  std::vector<bool> messages_only_;  // by value
};

}  // namespace

absl::StatusOr<bool> MergeEqualInstructions(lir::Function& f, PassContext& context) {
  return lir::MergeEqual(Rules(f), f, [&] { return context.Rewrite(); });
}

}  // namespace kiln::intel
