// Shares one payload between equal ones: payloads of constants, and of uniform values that are
// copied to lanes.
//
// Problem: each message has its own copies of the parts it sends, since parts of a payload must lie
// together. Sixteen stores of zeros, or samples at coordinates that share a part, then make the
// same payload again and again. merge_equal_instructions leaves such copies apart: one that is in
// several payloads would be copied into each anyway. Invariants: SSA in and out. Runs after the
// passes that make payloads (split_sends), and before separate_payloads, which gives the two
// payloads of one message different registers. Only inside a block, where the execution mask does
// not change, and not over more than kMaxDistance instructions, since the payload stays in
// registers. Unused copies are removed. Algorithm: moves of constants and uniform values get a
// number by their source; collects are equal if the numbers of their parts are. Cost: expected
// linear.
#include <vector>

#include "core/base/key_table.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/def_use.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using lir::Operand;

constexpr uint32_t kMaxDistance = 64;

class PayloadMerger {
 public:
  PayloadMerger(lir::Function& f, PassContext& context)
      : f_(f), context_(context), to_(f.values.size()), number_(f.values.size()) {
    for (uint32_t v = 0; v < number_.size(); ++v) number_[v] = v;
  }

  bool Run() {
    FindSent();
    for (lir::Block& block : f_.blocks) VisitBlock(block);
    if (changed_) Rename();
    return changed_;
  }

 private:
  // Finds values that only messages read.
  void FindSent() {
    sent_.assign(f_.values.size(), true);
    const auto read = [&](const Operand& o) {
      if (IsValue(o)) sent_[o.id] = false;
    };
    for (const lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) {
        if (IsMessage(f_.inst(id).op)) continue;
        for (const Operand& o : f_.uses(id)) read(o);
      }
      for (const lir::Edge& e : block.succs) {
        for (const Operand& o : f_.args(e)) read(o);
      }
    }
  }

  // Returns true for a move to lanes of a value that is the same for all of them.
  bool IsSpread(lir::InstId id) const {
    const lir::Inst& in = f_.inst(id);
    if (in.op != Op(Opcode::kMov) || in.cmod != 0 || in.predicate_mode != 0 || in.num_defs != 1) {
      return false;
    }
    const Operand& def = f_.defs(id)[0];
    const Operand& use = f_.uses(id)[0];
    if (!IsValue(def) || f_.value(def.value()).file != kFileG) return false;
    return use.kind == Operand::Kind::kImm ||
           (IsValue(use) && f_.value(use.value()).file == kFileU);
  }

  void MakeKey(lir::InstId id, uint32_t block_start) {
    const lir::Inst& in = f_.inst(id);
    const Operand& def = f_.defs(id)[0];
    const lir::Value& v = f_.value(def.value());
    key_ = {block_start, uint32_t{in.op} | uint32_t{in.width} << 16 | uint32_t{in.group} << 24,
            uint32_t{in.flags} | uint32_t{def.type} << 8 | uint32_t{v.file} << 16 |
                uint32_t{v.elem_bytes} << 24,
            uint32_t{v.comps} | (v.whole_registers ? 1u << 16 : 0) | (v.in_tail ? 1u << 17 : 0)};
    for (const Operand& o : f_.uses(id)) {
      key_.push_back(IsValue(o) ? number_[o.id] : o.id);
      key_.push_back(static_cast<uint32_t>(o.kind) | uint32_t{o.type} << 8 |
                     uint32_t{o.mods} << 16 | uint32_t{o.sub} << 24);
      key_.push_back(uint32_t{o.comp} | uint32_t{o.comps} << 16);
    }
  }

  void VisitBlock(lir::Block& block) {
    const uint32_t block_start = position_;
    for (lir::InstId id : block.insts) {
      ++position_;
      const bool spread = IsSpread(id);
      if (!spread && f_.inst(id).op != kCollect) continue;
      MakeKey(id, block_start);
      const uint32_t value = f_.defs(id)[0].id;
      const KeyTable::Found found = table_.FindOrAdd(key_, static_cast<uint32_t>(made_.size()));
      if (found.added) {
        made_.push_back({value, position_});
        continue;
      }
      Made& made = made_[*found.value];
      if (spread) number_[value] = number_[made.value];
      if (position_ - made.position > kMaxDistance || (spread && !sent_[made.value])) {
        made = {value, position_};
      } else if ((!spread || sent_[value]) && context_.Rewrite()) {
        to_[value] = lir::ValueId(made.value);
        changed_ = true;
      }
    }
  }

  void Rename() {
    const auto rename = [&](Operand& o) {
      if (IsValue(o) && to_[o.id].valid()) o.id = to_[o.id].index;
    };
    for (lir::Block& block : f_.blocks) {
      for (lir::InstId id : block.insts) {
        for (Operand& o : f_.uses(id)) rename(o);
      }
      for (const lir::Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) rename(o);
      }
    }
  }

  struct Made {
    uint32_t value;
    uint32_t position;
  };

  lir::Function& f_;
  PassContext& context_;
  std::vector<lir::ValueId> to_;  // by value: the value that replaces it
  std::vector<uint32_t> number_;  // by value: equal for equal moves of a block
  std::vector<bool> sent_;
  std::vector<Made> made_;  // the latest of its kind
  std::vector<uint32_t> key_;
  KeyTable table_;  // to the index in made_
  uint32_t position_ = 0;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> MergeEqualPayloads(lir::Function& f, PassContext& context) {
  if (!PayloadMerger(f, context).Run()) return false;
  absl::StatusOr<bool> removed =
      context.RunOptional("remove_dead_instructions", RemoveDeadInstructions, f);
  if (!removed.ok()) return removed;
  return true;
}

}  // namespace kiln::intel
