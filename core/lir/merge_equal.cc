#include "core/lir/merge_equal.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/key_table.h"
#include "core/lir/dominators.h"

namespace kiln::lir {
namespace {

class RulesOfMachine : public MergeRules {
 public:
  explicit RulesOfMachine(const Machine& machine) : machine_(machine) {}

  Reach ReachOf(const Function& f, InstId id) const override {
    constexpr uint32_t kStays = kOpTerminator | kOpReadsMemory | kOpWritesMemory | kOpBarrier |
                                kOpSideEffect | kOpExit | kOpSpill | kOpFill | kOpOrderedRead;
    const OpInfo& info = machine_.ops[f.inst(id).op];
    if ((info.flags & kStays) != 0) return Reach::kNone;
    for (const Operand& d : f.defs(id)) {
      if (!IsValue(d)) return Reach::kNone;
      if (machine_.files[f.value(d.value()).file].save_file != FileInfo::kNoFile) {
        return Reach::kNone;
      }
    }
    if ((info.flags & (kOpAcrossLanes | kOpWritesOffLanes)) != 0) return Reach::kLanes;
    const auto uses = f.uses(id);
    const bool constant = (info.flags & (kOpCopy | kOpCollect)) != 0 &&
                          std::none_of(uses.begin(), uses.end(), IsValue);
    return constant ? Reach::kBlock : Reach::kDominated;
  }

  bool TurnsLanesOff(const Function& f, InstId id) const override {
    return (machine_.ops[f.inst(id).op].flags & (kOpExit | kOpTurnsOff)) != 0;
  }

 private:
  const Machine& machine_;
};

class Merger {
 public:
  Merger(const MergeRules& rules, Function& f, const std::function<bool()>& may_rewrite)
      : rules_(rules),
        f_(f),
        may_rewrite_(may_rewrite),
        to_(f.values.size()),
        block_(f.insts.size()),
        stretch_of_(f.insts.size()) {}

  bool Run() {
    for (size_t b = 0; b < f_.blocks.size(); ++b) VisitBlock(BlockId(b));
    if (changed_) Rename();
    return changed_;
  }

 private:
  void VisitBlock(BlockId b) {
    std::vector<InstId>& insts = f_.block(b).insts;
    size_t kept = 0;
    ++stretch_;
    for (InstId id : insts) {
      if (!Merge(id, b)) insts[kept++] = id;
      if (rules_.TurnsLanesOff(f_, id)) ++stretch_;
    }
    insts.resize(kept);
  }

  Operand Renamed(Operand o) const {
    while (IsValue(o) && to_[o.id].valid()) o.id = to_[o.id].index;
    return o;
  }

  // Collects everything that must be equal in two equal instructions.
  void MakeKey(InstId id) {
    key_.clear();
    const auto add = [&](uint64_t x) {
      key_.push_back(static_cast<uint32_t>(x));
      key_.push_back(static_cast<uint32_t>(x >> 32));
    };
    const Inst& in = f_.inst(id);
    add(uint64_t{in.op} | uint64_t{in.width} << 16 | uint64_t{in.group} << 24 |
        uint64_t{in.flags} << 32 | uint64_t{in.cmod} << 40 | uint64_t{in.predicate_mode} << 48);
    add(uint64_t{in.aux} | uint64_t{in.num_defs} << 32 | uint64_t{in.num_uses} << 40);
    const uint32_t equal = rules_.EqualTypes(f_, id);
    const auto type_of = [equal](const Operand& o) {
      return o.type < 32 && (equal >> o.type & 1) != 0 ? uint8_t{0xff} : o.type;
    };
    for (const Operand& d : f_.defs(id)) {
      const Value& v = f_.value(d.value());
      add(uint64_t{type_of(d)} | uint64_t{v.file} << 8 | uint64_t{v.comps} << 16 |
          uint64_t{v.elem_bytes} << 32 | uint64_t{v.whole_registers} << 40 |
          uint64_t{v.in_tail} << 41);
      key_.push_back(uint32_t{d.comp} | uint32_t{d.comps} << 16);
    }
    for (const Operand& use : f_.uses(id)) {
      const Operand o = Renamed(use);
      add(uint64_t{o.id} | uint64_t{static_cast<uint8_t>(o.kind)} << 32 |
          uint64_t{type_of(o)} << 40 | uint64_t{o.mods} << 48 | uint64_t{o.sub} << 56);
      key_.push_back(uint32_t{o.comp} | uint32_t{o.comps} << 16);
    }
  }

  // Dominators are computed when first asked for: many functions have no two blocks with the same.
  bool Dominates(BlockId a, BlockId b) {
    if (!dominators_) dominators_.emplace(f_);
    return dominators_->dominates(a, b);
  }

  bool Merge(InstId id, BlockId b) {
    if (f_.inst(id).num_defs == 0) return false;
    const Reach reach = rules_.ReachOf(f_, id);
    if (reach == Reach::kNone) return false;
    MakeKey(id);
    block_[id.index] = b;
    stretch_of_[id.index] = stretch_;
    const KeyTable::Found found = table_.FindOrAdd(key_, id.index);
    if (found.added) return false;
    const InstId equal(*found.value);
    const BlockId from = block_[equal.index];
    const bool same_lanes = stretch_of_[equal.index] == stretch_;
    if ((reach == Reach::kLanes && !same_lanes) ||
        (from != b && (reach == Reach::kBlock || !Dominates(from, b)))) {
      *found.value = id.index;
      return false;
    }
    if (!may_rewrite_()) return false;
    for (size_t i = 0; i < f_.defs(id).size(); ++i) {
      to_[f_.defs(id)[i].id] = f_.defs(equal)[i].value();
    }
    changed_ = true;
    return true;
  }

  void Rename() {
    for (Block& block : f_.blocks) {
      for (InstId id : block.insts) {
        for (Operand& o : f_.uses(id)) o = Renamed(o);
      }
      for (const Edge& e : block.succs) {
        for (Operand& o : f_.args(e)) o = Renamed(o);
      }
    }
  }

  const MergeRules& rules_;
  Function& f_;
  const std::function<bool()>& may_rewrite_;
  std::vector<ValueId> to_;
  std::vector<uint32_t> key_;
  KeyTable table_;  // to the instruction
  // The blocks of the instructions in the table, and the stretches of those in which the same lanes
  // are on.
  std::vector<BlockId> block_;
  std::vector<uint32_t> stretch_of_;
  uint32_t stretch_ = 0;
  std::optional<Dominators> dominators_;
  bool changed_ = false;
};

}  // namespace

bool MergeEqual(const MergeRules& rules, Function& f, const std::function<bool()>& may_rewrite) {
  return Merger(rules, f, may_rewrite).Run();
}

bool MergeEqual(const Machine& machine, Function& f, const std::function<bool()>& may_rewrite) {
  return MergeEqual(RulesOfMachine(machine), f, may_rewrite);
}

}  // namespace kiln::lir
