// Eliminates common subexpressions: an instruction equal to one that dominates it is replaced by
// that one.
//
// In and out: SSA. Merges pure EU instructions and headers. Does not merge messages, pseudo
// operations with scratch definitions, or plain moves: copy propagation handles these, and one in
// front of a jump or a collect is the copy that would be needed anyway. Conversions, and constants
// that only messages read directly (addresses), merge within a block. The dominating instruction
// ran for all lanes that the later one runs for, so masked instructions merge as well as NoMask
// ones. Instructions that define a flag merge only inside a block: a flag kept for long would be
// saved and restored.
//
// Cost: expected linear (a hash of opcode, fields and operands per instruction, scoped by the
// dominator tree).
#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/key_table.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/dominators.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using lir::Operand;

class Merger {
 public:
  Merger(lir::Function& f, PassContext& context) : f_(f), context_(context) {}

  bool Run() {
    to_.resize(f_.values.size());
    block_.resize(f_.insts.size());
    FindMessageOperands();
    for (size_t b = 0; b < f_.blocks.size(); ++b) VisitBlock(lir::BlockId(b));
    if (changed_) Rename();
    return changed_;
  }

 private:
  bool DefinesFlag(lir::InstId id) const {
    for (const Operand& d : f_.defs(id)) {
      if (f_.value(d.value()).file == kFileF) return true;
    }
    return false;
  }

  bool IsConstantOfMessages(lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
    return in.op == Op(Opcode::kMov) && in.cmod == 0 && in.predicate_mode == 0 &&
           f_.uses(id)[0].kind == Operand::Kind::kImm && messages_only_[f_.defs(id)[0].id];
  }

  // Finds values that only messages read, each as a payload of its own.
  void FindMessageOperands() {
    messages_only_.assign(f_.values.size(), true);
    for (const lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) {
        if (IsMessage(f_.inst(id).op)) continue;
        for (const Operand& o : f_.uses(id)) {
          if (IsValue(o)) messages_only_[o.id] = false;
        }
      }
      for (const lir::Edge& e : block.succs) {
        for (const Operand& o : f_.args(e)) {
          if (IsValue(o)) messages_only_[o.id] = false;
        }
      }
    }
  }

  // Returns true for a move that changes the bits that it moves.
  bool IsConversion(lir::InstId id) const {
    const Operand& def = f_.defs(id)[0];
    const Operand& use = f_.uses(id)[0];
    const auto to = static_cast<isa::Type>(def.type), from = static_cast<isa::Type>(use.type);
    return IsValue(use) &&
           (isa::ByteSize(to) != isa::ByteSize(from) || isa::IsFloat(to) != isa::IsFloat(from));
  }

  bool Mergeable(lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.num_defs == 0) return false;
    if (IsConstantOfMessages(id)) return true;
    if (HasOwnFlag(in.op, kOwnMergeable)) return true;
    if (!IsEuOp(in.op) || (in.op == Op(Opcode::kMov) && !IsConversion(id))) return false;
    return (IntelOps()[in.op].flags & (lir::kOpTerminator | lir::kOpSideEffect)) == 0;
  }

  Operand Renamed(Operand o) const {
    while (IsValue(o) && to_[o.id].valid()) o.id = to_[o.id].index;
    return o;
  }

  // Returns true if signed and unsigned dwords give the same result, as for sums and bits.
  bool IsSignless(lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
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
    return IsDword(f_.defs(id)[0]) && fits(f_.uses(id)[0]) && fits(f_.uses(id)[1]);
  }

  static bool IsDword(const Operand& o) {
    const auto t = static_cast<isa::Type>(o.type);
    return t == isa::Type::kD || t == isa::Type::kUD;
  }

  // Collects everything that must be equal in two equal instructions.
  void MakeKey(lir::InstId id) {
    key_.clear();
    const auto add = [&](uint64_t x) {
      key_.push_back(static_cast<uint32_t>(x));
      key_.push_back(static_cast<uint32_t>(x >> 32));
    };
    const lir::Inst& in = f_.inst(id);
    add(uint64_t{in.op} | uint64_t{in.width} << 16 | uint64_t{in.group} << 24 |
        uint64_t{in.flags} << 32 | uint64_t{in.cmod} << 40 | uint64_t{in.predicate_mode} << 48);
    add(uint64_t{in.aux} | uint64_t{in.num_defs} << 32 | uint64_t{in.num_uses} << 40);
    const bool signless = IsSignless(id);
    const auto type = [&](const Operand& o) {
      return signless && IsDword(o) ? static_cast<uint8_t>(isa::Type::kUD) : o.type;
    };
    for (const Operand& d : f_.defs(id)) {
      const lir::Value& v = f_.value(d.value());
      add(uint64_t{type(d)} | uint64_t{v.file} << 8 | uint64_t{v.comps} << 16 |
          uint64_t{v.elem_bytes} << 32);
    }
    for (const Operand& use : f_.uses(id)) {
      const Operand o = Renamed(use);
      add(uint64_t{o.id} | uint64_t{static_cast<uint8_t>(o.kind)} << 32 | uint64_t{type(o)} << 40 |
          uint64_t{o.mods} << 48 | uint64_t{o.sub} << 56);
      key_.push_back(uint32_t{o.comp} | uint32_t{o.comps} << 16);
    }
  }

  void VisitBlock(lir::BlockId b) {
    std::vector<lir::InstId>& insts = f_.block(b).insts;
    size_t kept = 0;
    for (lir::InstId id : insts) {
      if (!Merge(id, b)) insts[kept++] = id;
    }
    insts.resize(kept);
  }

  // Dominators are computed on the first call: many functions have no two blocks that compute the
  // same.
  bool Dominates(lir::BlockId a, lir::BlockId b) {
    if (!dominators_.has_value()) dominators_.emplace(f_);
    return dominators_->dominates(a, b);
  }

  bool Merge(lir::InstId id, lir::BlockId b) {
    if (!Mergeable(id)) return false;
    MakeKey(id);
    block_[id.index] = b;
    const KeyTable::Found found = table_.FindOrAdd(key_, id.index);
    if (found.added) return false;
    const lir::InstId equal(*found.value);
    const bool usable =
        block_[equal.index] == b || (!DefinesFlag(id) && f_.inst(id).op != Op(Opcode::kMov) &&
                                     Dominates(block_[equal.index], b));
    if (!usable) {
      *found.value = id.index;
      return false;
    }
    if (!context_.Rewrite()) return false;
    const auto from = f_.defs(id);
    const auto to = f_.defs(equal);
    for (size_t i = 0; i < from.size(); ++i) to_[from[i].id] = to[i].value();
    changed_ = true;
    return true;
  }

  void Rename() {
    for (lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) {
        for (Operand& o : f_.uses(id)) o = Renamed(o);
      }
      for (const lir::Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) o = Renamed(o);
      }
    }
  }

  lir::Function& f_;
  PassContext& context_;
  std::vector<lir::ValueId> to_;
  std::vector<bool> messages_only_;
  std::vector<uint32_t> key_;
  KeyTable table_;                   // to the instruction
  std::vector<lir::BlockId> block_;  // of the instructions in the table
  std::optional<lir::Dominators> dominators_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> MergeEqualInstructions(lir::Function& f, PassContext& context) {
  return Merger(f, context).Run();
}

}  // namespace kiln::intel
