#include "core/lir/verify.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/lir/dominators.h"
#include "core/lir/exits.h"
#include "core/lir/print.h"

namespace kiln::lir {

namespace {

class Verifier {
 public:
  Verifier(const Machine& t, const Function& f, bool allocated)
      : t_(t), f_(f), allocated_(allocated) {}

  absl::Status Run() {
    // Each step relies on the ranges that the steps before it have checked.
    if (absl::Status s = Ranges(); !s.ok()) return s;
    if (absl::Status s = Shape(); !s.ok()) return s;
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      for (InstId i : f_.blocks[b].insts) {
        if (absl::Status s = Instruction(BlockId(b), i); !s.ok()) return s;
        if (IsExit(t_, f_, i)) exits_.push_back({BlockId(b), i});
      }
      if (absl::Status s = allocated_ ? absl::OkStatus() : Edges(BlockId(b)); !s.ok()) return s;
    }
    if (absl::Status s = ExitBlock(); !s.ok()) return s;
    return allocated_ ? absl::OkStatus() : Definitions();
  }

 private:
  absl::Status Fail(std::string_view rule, BlockId b, std::string_view what) const {
    std::string place = b.valid() ? absl::StrCat(" in b", b.index) : "";
    if (inst_.valid()) absl::StrAppend(&place, " '", PrintInst(t_, f_, inst_), "'");
    return absl::InternalError(std::string("LIR ") + std::string(rule) + place + ": " +
                               std::string(what));
  }

  const OpInfo& op(InstId i) const { return t_.ops[f_.inst(i).op]; }
  bool IsFlag(const Value& v) const { return v.elem_bytes == 0; }
  uint32_t Units(const Operand& o) const {
    return o.comps * t_.units_per_comp(f_, f_.value(o.value()));
  }

  absl::Status Ranges() {
    for (const Value& v : f_.values) {
      if (v.file >= t_.files.size()) return Fail("L1", BlockId(), "value of an unknown file");
      if (v.comps == 0) return Fail("L2", BlockId(), "value without components");
      if (t_.units_per_comp(f_, v) == 0 || t_.alignment(f_, v) == 0) {
        return Fail("L2", BlockId(), "value without size");
      }
      const uint8_t save = t_.files[v.file].save_file;
      if (save == FileInfo::kNoFile) continue;
      if (!IsFlag(v)) return Fail("L2", BlockId(), "element size in a flag file");
      if (t_.files[save].always_masked) return Fail("L2", BlockId(), "save_file is masked");
    }
    for (const Inst& in : f_.insts) {
      if (in.op >= t_.ops.size()) return Fail("L1", BlockId(), "unknown operation");
      if (size_t{in.first_operand} + in.num_defs + in.num_uses > f_.operands.size()) {
        return Fail("L1", BlockId(), "operands outside the pool");
      }
    }
    for (const Operand& o : f_.operands) {
      if (IsValue(o) && o.id >= f_.values.size()) {
        return Fail("L1", BlockId(), "unknown value");
      }
    }
    std::vector<char> placed(f_.insts.size());
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      for (InstId i : f_.blocks[b].insts) {
        if (i.index >= f_.insts.size()) return Fail("L1", BlockId(b), "unknown instruction");
        inst_ = i;
        if (placed[i.index]++) return Fail("L3", BlockId(b), "instruction is in two places");
      }
      inst_ = InstId();
      for (const Edge& e : f_.blocks[b].succs) {
        if (e.to.index >= f_.blocks.size() ||
            size_t{e.first_arg} + e.num_args > f_.operands.size()) {
          return Fail("L1", BlockId(b), "bad edge");
        }
      }
      for (BlockId s : f_.blocks[b].physical_succs) {
        if (s.index >= f_.blocks.size()) return Fail("L1", BlockId(b), "bad physical edge");
      }
      for (ValueId v : f_.blocks[b].params) {
        if (v.index >= f_.values.size()) return Fail("L1", BlockId(b), "unknown parameter");
      }
    }
    if (f_.scratch_header.valid() &&
        std::none_of(f_.live_ins.begin(), f_.live_ins.end(),
                     [&](const LiveIn& l) { return l.value == f_.scratch_header; })) {
      return Fail("L16", BlockId(), "the header of scratch messages is not a live-in");
    }
    if (f_.exit_block.valid() && f_.exit_block.index >= f_.blocks.size()) {
      return Fail("L1", BlockId(), "unknown exit block");
    }
    if (absl::Status s = Pools(); !s.ok()) return s;
    for (const LiveIn& l : f_.live_ins) {
      if (l.value.index >= f_.values.size()) return Fail("L1", BlockId(), "unknown live-in");
      const Value& v = f_.value(l.value);
      if (l.reg % t_.alignment(f_, v) != 0 ||
          !MayHold(t_, f_, t_.files[v.file].pool, l.reg, v.comps * t_.units_per_comp(f_, v))) {
        return Fail("L16", BlockId(), absl::StrCat("live-in %", l.value.index));
      }
    }
    return absl::OkStatus();
  }

  bool HasTerminator(const Block& b) const {
    return !b.insts.empty() && (op(b.insts.back()).flags & kOpTerminator);
  }

  absl::Status Shape() {
    if (f_.blocks.empty()) return Fail("L12", BlockId(), "there are no blocks");
    if (!f_.blocks[0].params.empty()) return Fail("L12", BlockId(0), "entry has parameters");
    for (size_t i = 0; i < f_.blocks.size(); ++i) {
      const Block& b = f_.blocks[i];
      const BlockId id(i);
      std::vector<BlockId> all = b.physical_succs;
      for (const Edge& e : b.succs) all.push_back(e.to);
      if (std::find(all.begin(), all.end(), BlockId(0)) != all.end()) {
        return Fail("L12", id, "entry has a predecessor");
      }
      std::vector<BlockId> sorted = all;
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        return Fail("L13", id, "a successor is named twice");
      }
      const bool last = i + 1 == f_.blocks.size();
      if (!HasTerminator(b) && !all.empty() &&
          (all.size() != 1 || b.succs.size() != 1 || all[0] != BlockId(i + 1))) {
        return Fail("L12", id, "a block without terminator must fall into the next block");
      }
      if (!last && HasTerminator(b) && !(op(b.insts.back()).flags & kOpUniformJump)) {
        const bool past = std::any_of(b.succs.begin(), b.succs.end(),
                                      [&](const Edge& e) { return e.to.index > i + 1; });
        if (past && std::find(all.begin(), all.end(), BlockId(i + 1)) == all.end()) {
          return Fail("L14", id, "the thread cannot continue while all lanes are parked");
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status Instruction(BlockId b, InstId i) {
    inst_ = i;
    const Inst& in = f_.inst(i);
    if ((op(i).flags & kOpTerminator) && i != f_.block(b).insts.back()) {
      return Fail("L7", b, "terminator is not last");
    }
    if ((in.flags & kPreferredExit) && !(op(i).flags & kOpExit)) {
      return Fail("L22", b, "a preferred exit is not an exit");
    }
    if ((op(i).flags & kOpSide) && in.aux >= f_.side.size()) {
      return Fail("L17", b, "unknown side row");
    }
    for (uint32_t k = 0; (in.flags & kNoMask) && k < uint32_t{in.num_defs} + in.num_uses; ++k) {
      const Operand& o = f_.operands[in.first_operand + k];
      if (IsValue(o) && t_.files[f_.value(o.value()).file].always_masked) {
        return Fail("L21", b, "for all lanes, in a file that holds active lanes only");
      }
    }
    if (allocated_) return Allocated(b, i);
    for (const Operand& o : f_.defs(i)) {
      if (o.kind == Operand::Kind::kImm) return Fail("L5", b, "an immediate is defined");
      if (!IsValue(o)) continue;
      if (o.comp != 0 || o.comps != f_.value(o.value()).comps || o.mods != 0) {
        return Fail("L5", b, "a definition names the whole value");
      }
    }
    for (const Operand& o : f_.uses(i)) {
      if (!IsValue(o)) continue;
      if (o.comps == 0 || o.comp + o.comps > f_.value(o.value()).comps) {
        return Fail("L6", b, "a use names components that do not exist");
      }
    }
    if (in.predicate_mode != 0) {
      const bool ok = in.num_uses != 0 &&
                      (f_.uses(i).back().kind == Operand::Kind::kFixed ||
                       (IsValue(f_.uses(i).back()) && IsFlag(f_.value(f_.uses(i).back().value()))));
      if (!ok) return Fail("L10", b, "the last use is not a flag");
    }
    if (absl::Status s = CopyOrCollect(b, i); !s.ok()) return s;
    if (absl::Status s = Tied(b, i); !s.ok()) return s;
    inst_ = InstId();
    return absl::OkStatus();
  }

  absl::Status Allocated(BlockId b, InstId i) {
    if (op(i).flags & kOpCollect) return Fail("P1", b, "a collect is left");
    const Inst& in = f_.inst(i);
    for (uint32_t k = 0; k < uint32_t{in.num_defs} + in.num_uses; ++k) {
      const Operand& o = f_.operands[in.first_operand + k];
      if (!IsValue(o)) continue;
      const Value& v = f_.value(o.value());
      if (!MayHold(t_, f_, t_.files[v.file].pool, o.reg, Units(o))) {
        return Fail("P1", b, "an operand is outside its pool");
      }
      if (o.comp == 0 && o.reg % t_.alignment(f_, v) != 0) return Fail("P1", b, "misaligned");
    }
    const int tied = op(i).tied;
    if (tied != OpInfo::kNotTied && HasFirstDef(f_, i) &&
        (tied >= in.num_uses || f_.defs(i)[0].reg != f_.uses(i)[tied].reg)) {
      return Fail("P2", b, "the tied use is elsewhere");
    }
    inst_ = InstId();
    return absl::OkStatus();
  }

  absl::Status Tied(BlockId b, InstId i) {
    const int tied = op(i).tied;
    const Inst& in = f_.inst(i);
    if (tied == OpInfo::kNotTied || !HasFirstDef(f_, i)) return absl::OkStatus();
    if (tied >= in.num_uses) return Fail("L20", b, "there is no tied use");
    const Operand& d = f_.defs(i)[0];
    const Operand& u = f_.uses(i)[tied];
    if (!IsValue(d) || !IsValue(u) || u.mods != 0 || u.sub != 0 || d.comps != u.comps ||
        f_.value(d.value()).file != f_.value(u.value()).file ||
        f_.value(d.value()).elem_bytes != f_.value(u.value()).elem_bytes) {
      return Fail("L20", b, "the tied use and the definition differ");
    }
    return absl::OkStatus();
  }

  // L19: sizes and reserved units of pools.
  absl::Status Pools() {
    const auto bad = [&](std::string_view what) { return Fail("L19", BlockId(), what); };
    if (!f_.pool_units.empty() && f_.pool_units.size() != t_.pools.size()) {
      return bad("the number of pool sizes is not the number of pools");
    }
    for (size_t p = 0; p < f_.pool_units.size(); ++p) {
      if (f_.pool_units[p] > t_.pools[p].units) return bad("a pool is larger than the machine's");
    }
    for (size_t k = 0; k < f_.reserved.size(); ++k) {
      const Reserved& r = f_.reserved[k];
      if (r.pool >= t_.pools.size()) return bad("reserved units name an unknown pool");
      for (size_t other = 0; other < k && r.spilled_pool != Reserved::kNoPool; ++other) {
        if (f_.reserved[other].spilled_pool == r.spilled_pool) {
          return bad("two ranges for the spilled values of one pool");
        }
      }
      Function before;
      before.pool_units = f_.pool_units;
      before.reserved.assign(f_.reserved.begin(), f_.reserved.begin() + static_cast<long>(k));
      if (!MayHold(t_, before, r.pool, r.first, r.units)) {
        return bad("reserved units overlap or lie outside their pool");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CopyOrCollect(BlockId b, InstId i) {
    const Inst& in = f_.inst(i);
    if (op(i).flags & kOpCopy) {
      const bool predicated = in.predicate_mode != 0;
      if (in.num_defs != 1 || in.num_uses != 1 + predicated) return Fail("L15", b, "bad copy");
    }
    if (op(i).flags & kOpCollect) {
      if (in.num_defs != 1 || !IsValue(f_.defs(i)[0])) {
        return Fail("L15", b, "a collect defines one value");
      }
      const Value& v = f_.value(f_.defs(i)[0].value());
      uint32_t units = 0;
      for (const Operand& o : f_.uses(i)) {
        if (IsValue(o)) {
          if (o.mods != 0 || o.sub != 0) return Fail("L15", b, "a part has modifiers");
          if (t_.files[f_.value(o.value()).file].pool != t_.files[v.file].pool) {
            return Fail("L15", b, "a part is of another pool");
          }
          units += Units(o);
        } else if (o.kind == Operand::Kind::kNone) {
          units += o.comps * t_.units_per_comp(f_, v);
        } else {
          return Fail("L15", b, "a part is neither a value nor empty");
        }
      }
      if (units != Units(f_.defs(i)[0]))
        return Fail("L15", b, "the parts do not add up to the definition");
    }
    return absl::OkStatus();
  }

  absl::Status Edges(BlockId id) {
    const Block& b = f_.block(id);
    for (const Edge& e : b.succs) {
      const Block& to = f_.block(e.to);
      if (e.num_args != to.params.size())
        return Fail("L8", id, "the numbers of arguments and parameters differ");
      if (e.num_args == 0) continue;
      if (b.succs.size() != 1) return Fail("L8", id, "arguments are on one of several edges");
      if (HasTerminator(b)) {
        for (const Operand& o : f_.uses(b.insts.back())) {
          if (IsValue(o)) {
            return Fail("L8", id, "a jump whose edge has arguments uses a value");
          }
        }
      }
      for (size_t k = 0; k < e.num_args; ++k) {
        const Operand& a = f_.args(e)[k];
        const Value& p = f_.value(to.params[k]);
        if (t_.files[p.file].save_file != FileInfo::kNoFile) {
          return Fail("L9", e.to, "a parameter is a flag");
        }
        if (a.kind == Operand::Kind::kNone) continue;
        if (!IsValue(a) || a.mods != 0 || a.sub != 0) {
          return Fail("L9", id, "an argument is not a plain value");
        }
        const Value& v = f_.value(a.value());
        if (v.file != p.file || v.elem_bytes != p.elem_bytes || a.comps != p.comps ||
            a.comp + a.comps > v.comps) {
          return Fail("L9", id, absl::StrCat("argument %", a.id, " does not fit its parameter"));
        }
      }
    }
    return absl::OkStatus();
  }

  // L18, except for the values defined above the exits.
  absl::Status ExitBlock() const {
    const BlockId x = f_.exit_block;
    if (!x.valid()) {
      return exits_.empty() ? absl::OkStatus()
                            : Fail("L18", exits_[0].block, "there is an exit but no exit block");
    }
    if (x.index + 1 != f_.blocks.size()) return Fail("L18", x, "the exit block is not the last");
    if (!f_.block(x).succs.empty() || !f_.block(x).physical_succs.empty()) {
      return Fail("L18", x, "the exit block has a successor");
    }
    if (!exits_.empty() && exits_.back().block == x)
      return Fail("L18", x, "the exit block contains an exit");
    return absl::OkStatus();
  }

  // The rest of L18: the thread arrives from any exit, so it has the values defined above all of
  // them.
  absl::Status NeededAtExits(const Dominators& doms) const {
    const std::vector<Operand> needed = lir::NeededAtExits(t_, f_);
    for (const Exit& e : exits_) {
      const std::vector<InstId>& insts = f_.block(e.block).insts;
      const auto at = std::find(insts.begin(), insts.end(), e.inst) - insts.begin();
      for (const Operand& o : needed) {
        if (Precedes(doms, o.value(), e.block, static_cast<uint32_t>(at) + 1)) continue;
        return Fail("L18", e.block,
                    absl::StrCat("%", o.id,
                                 ", read for all lanes in the exit block, "
                                 "is not defined above this exit"));
      }
    }
    return exits_.empty() ? absl::OkStatus() : OwnParameters();
  }

  // The exit block's parameters have no value when the thread arrives from an exit.
  absl::Status OwnParameters() const {
    const Block& x = f_.block(f_.exit_block);
    for (InstId i : x.insts) {
      for (const Operand& o : f_.uses(i)) {
        if (!ReadsForAllLanes(t_, f_, i, o)) continue;
        if (std::find(x.params.begin(), x.params.end(), o.value()) == x.params.end()) continue;
        return Fail("L18", f_.exit_block, absl::StrCat("%", o.id, " is read for all lanes"));
      }
    }
    return absl::OkStatus();
  }

  static constexpr uint32_t kAtEntry = 0;  // parameters and live-ins precede all instructions

  absl::Status Define(ValueId v, BlockId b, uint32_t position) {
    if (def_block_[v.index].valid()) {
      return Fail("L4", b, absl::StrCat("%", v.index, " is defined twice"));
    }
    def_block_[v.index] = b;
    def_position_[v.index] = position;
    return absl::OkStatus();
  }

  absl::Status Use(const Dominators& doms, const Operand& o, BlockId b, uint32_t position) const {
    if (!IsValue(o)) return absl::OkStatus();
    if (!def_block_[o.id].valid()) {
      return Fail("L4", b, absl::StrCat("%", o.id, " is not defined"));
    }
    if (Precedes(doms, o.value(), b, position)) return absl::OkStatus();
    return Fail("L11", b, absl::StrCat("%", o.id, " does not dominate its use"));
  }

  // Returns true if the value is defined before the position in the block.
  bool Precedes(const Dominators& doms, ValueId v, BlockId b, uint32_t position) const {
    const BlockId d = def_block_[v.index];
    return d == b ? def_position_[v.index] < position
                  : d < b && (!doms.reachable(b) || doms.dominates(d, b));
  }

  absl::Status Definitions() {
    def_block_.resize(f_.values.size());
    def_position_.resize(f_.values.size());
    for (const LiveIn& l : f_.live_ins) {
      if (absl::Status s = Define(l.value, BlockId(0), kAtEntry); !s.ok()) return s;
    }
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      for (ValueId p : f_.blocks[b].params) {
        if (absl::Status s = Define(p, BlockId(b), kAtEntry); !s.ok()) return s;
      }
      uint32_t position = kAtEntry;
      for (InstId i : f_.blocks[b].insts) {
        ++position;
        for (const Operand& o : f_.defs(i)) {
          if (!IsValue(o)) continue;
          if (absl::Status s = Define(o.value(), BlockId(b), position); !s.ok()) return s;
        }
      }
    }
    return Uses();
  }

  absl::Status Uses() const {
    const Dominators doms(f_);
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      uint32_t position = kAtEntry;
      for (InstId i : f_.blocks[b].insts) {
        ++position;
        for (const Operand& o : f_.uses(i)) {
          if (absl::Status s = Use(doms, o, BlockId(b), position); !s.ok()) return s;
        }
      }
      for (const Edge& e : f_.blocks[b].succs) {
        for (const Operand& o : f_.args(e)) {
          if (absl::Status s = Use(doms, o, BlockId(b), position + 1); !s.ok()) return s;
        }
      }
    }
    return NeededAtExits(doms);
  }

  const Machine& t_;
  const Function& f_;
  const bool allocated_;
  struct Exit {
    BlockId block;
    InstId inst;
  };
  std::vector<Exit> exits_;
  InstId inst_;  // current position, for messages
  std::vector<BlockId> def_block_;
  std::vector<uint32_t> def_position_;
};

}  // namespace

absl::Status Verify(const Machine& machine, const Function& f) {
  return Verifier(machine, f, false).Run();
}

absl::Status VerifyAllocated(const Machine& machine, const Function& f) {
  return Verifier(machine, f, true).Run();
}

}  // namespace kiln::lir
