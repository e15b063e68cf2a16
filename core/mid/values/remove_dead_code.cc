#include "core/mid/values/remove_dead_code.h"

#include <vector>

#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::Value;
using mir::ValueId;

// ---- Does a loop end? ----

class LoopBound {
 public:
  // Ifs examined in one loop: keeps the total linear.
  static constexpr int kMaxTests = 8;

  LoopBound(const Module& module, InstId loop) : m_(module), body_(module.inst(loop).regions[0]) {
    initial_ = module.sources(loop);
    mir::ForEachJumpOfLoop(m_, body_, [&](InstId jump) {
      if (m_.inst(jump).op == Op::kContinue) continues_.push_back(jump);
    });
  }

  bool Finite() const {
    if (continues_.empty()) return true;
    int tests = 0;
    for (InstId id : m_.region(body_).insts) {
      if (m_.inst(id).op == Op::kIf && tests++ < kMaxTests && Test(id)) return true;
      if (MayContinue(id)) return false;  // later instructions need not run in every iteration
    }
    return false;
  }

 private:
  // Returns true if the loop body defines the value: one walk, for few candidates only.
  bool DefinedInside(ValueId v) const {
    const Value& value = m_.value(v);
    bool found = false;
    if (value.kind == Value::Kind::kParam) {
      mir::ForEachRegion(m_, body_, [&](RegionId r) { found |= r.index == value.owner; });
    } else if (value.kind == Value::Kind::kResult) {
      mir::ForEachInst(m_, body_, [&](InstId id) { found |= id.index == value.owner; });
    }
    return found;
  }

  bool MayContinue(InstId id) const {
    const Inst& inst = m_.inst(id);
    if (inst.op != Op::kIf) return inst.op == Op::kContinue;
    return MayContinueIn(inst.regions[0]) || MayContinueIn(inst.regions[1]);
  }

  bool BreaksAtOnce(RegionId r) const {
    return m_.inst(m_.region(r).insts.back()).op == Op::kBreak && !MayContinueIn(r);
  }
  bool MayContinueIn(RegionId r) const {
    bool found = false;
    mir::ForEachJumpOfLoop(m_, r, [&](InstId j) { found |= m_.inst(j).op == Op::kContinue; });
    return found;
  }

  // Returns true for an if that leaves the loop on a condition that must become true.
  bool Test(InstId id) const {
    const Inst& inst = m_.inst(id);
    const ValueId condition = m_.source(id, 0);
    if (m_.value(condition).kind != Value::Kind::kResult) return false;
    const InstId compare(m_.value(condition).owner);
    if (BreaksAtOnce(inst.regions[0])) return ComesTrue(compare, true);
    if (BreaksAtOnce(inst.regions[1])) return ComesTrue(compare, false);
    return false;
  }

  bool ComesTrue(InstId compare, bool wanted) const {
    if (m_.inst(compare).num_sources != 2) return false;
    for (int side = 0; side < 2; ++side) {
      const ValueId counter = m_.source(compare, side);
      const ValueId bound = m_.source(compare, 1 - side);
      uint32_t step = 0;
      uint32_t lead = 0;
      int param = 0;
      if (!Counter(counter, &param, &lead) || !Step(param, &step) || DefinedInside(bound)) continue;
      if (step == 1 || step == ~0u) return ContainsBound(m_.inst(compare).op, wanted);
      if (Counts(param, lead, step, bound, m_.inst(compare).op, wanted, side)) return true;
    }
    return false;
  }

  // Matches parameter number *param plus the constant *lead.
  bool Counter(ValueId v, int* param, uint32_t* lead) const {
    *lead = 0;
    uint32_t constant = 0;
    ValueId base;
    if (AddOfConstant(v, &base, &constant)) {
      *lead = constant;
      v = base;
    }
    const Value& value = m_.value(v);
    if (value.kind != Value::Kind::kParam || value.owner != body_.index) return false;
    *param = value.component;
    return true;
  }

  bool AddOfConstant(ValueId v, ValueId* base, uint32_t* constant) const {
    if (m_.value(v).kind != Value::Kind::kResult) return false;
    const InstId id(m_.value(v).owner);
    const Op op = m_.inst(id).op;
    if (op != Op::kIadd && op != Op::kIsub) return false;
    if (m_.value(v).type != mir::Type::kI32) return false;
    for (int side = 0; side < (op == Op::kIadd ? 2 : 1); ++side) {
      const ValueId other = m_.source(id, 1 - side);
      if (!m_.IsConstant(other)) continue;
      *base = m_.source(id, side);
      const uint32_t bits = static_cast<uint32_t>(m_.value(other).bits);
      *constant = op == Op::kIadd ? bits : 0u - bits;
      return true;
    }
    return false;
  }

  // Matches a parameter to which every continue adds the same constant.
  bool Step(int param, uint32_t* step) const {
    for (size_t i = 0; i < continues_.size(); ++i) {
      ValueId base;
      uint32_t constant = 0;
      if (!AddOfConstant(m_.source(continues_[i], param), &base, &constant) ||
          base != m_.region(body_).params[param] || (i > 0 && constant != *step)) {
        return false;
      }
      *step = constant;
    }
    return *step != 0;
  }

  // Returns true if for every bound some counter gives the wanted outcome: the bound itself, or any
  // number but the bound.
  static bool ContainsBound(Op op, bool wanted) {
    switch (op) {
      case Op::kIeq:
      case Op::kIne: return true;
      case Op::kUge:
      case Op::kSge: return wanted;
      case Op::kUlt:
      case Op::kSlt: return !wanted;
      default: return false;
    }
  }

  // For constant start, step and bound: returns true if the counter passes the bound before it
  // wraps.
  bool Counts(int param, uint32_t lead, uint32_t step, ValueId bound, Op op, bool wanted,
              int side) const {
    if (side != 0 || !m_.IsConstant(bound) || !m_.IsConstant(initial_[param])) return false;
    if (!ContainsBound(op, wanted) || op == Op::kIeq || op == Op::kIne) return false;
    const bool is_signed = op == Op::kSlt || op == Op::kSge;
    const uint32_t start_bits = static_cast<uint32_t>(m_.value(initial_[param]).bits) + lead;
    const uint32_t bound_bits = static_cast<uint32_t>(m_.value(bound).bits);
    const int64_t start = is_signed ? int64_t{static_cast<int32_t>(start_bits)} : start_bits;
    const int64_t end = is_signed ? int64_t{static_cast<int32_t>(bound_bits)} : bound_bits;
    const int64_t advance = static_cast<int32_t>(step);
    const int64_t last = is_signed ? INT32_MAX : UINT32_MAX;
    return advance > 0 && (start >= end || end + advance - 1 <= last);
  }

  const Module& m_;
  RegionId body_;
  absl::Span<const ValueId> initial_;
  std::vector<InstId> continues_;
};

// ---- Marking ----

class Eliminator {
 public:
  explicit Eliminator(Module& module)
      : m_(module),
        needed_(module.insts.size()),
        live_(module.values.size()),
        owner_(module.insts.size()),
        jumps_(module.regions.size() > 1 ? module.insts.size() : 0),
        writers_(module.private_arrays.size() + 1),
        read_(module.private_arrays.size() + 1) {
    order_.reserve(module.insts.size());
    roots_.reserve(kFew);
    work_.reserve(kFew);
  }

  bool Mark() {
    Visit(m_.body, InstId(), InstId());
    for (InstId root : roots_) Need(root);
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      Trace(v);
    }
    return FindDead();
  }

  void Sweep() {
    for (InstId id : order_) {
      if (needed_.test(id.index)) Shrink(id);
    }
    mir::RemoveInsts(m_, dead_);
    replace_.Apply(m_);
  }

 private:
  static constexpr size_t kFew = 64;  // more than most small modules need

  // Records owners, jumps and writers, and collects the observable instructions.
  void Visit(RegionId region, InstId owner, InstId loop) {
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      owner_[id.index] = owner;
      order_.push_back(id);
      if (inst.op == Op::kYield) jumps_[owner.index].push_back(id);
      if (inst.op == Op::kBreak || inst.op == Op::kContinue) jumps_[loop.index].push_back(id);
      const int memory = LocalMemory(inst);
      if (memory >= 0 && mir::Info(inst.op).Has('W')) writers_[memory].push_back(id);
      if (Observable(inst) || (inst.op == Op::kLoop && MustRun(id))) roots_.push_back(id);
      for (int r = 0; r < inst.num_regions; ++r) {
        Visit(inst.regions[r], id, inst.op == Op::kLoop ? id : loop);
      }
    }
  }

  // The index of memory that only this program sees: of the private array, or after these for
  // shared.
  int LocalMemory(const Inst& inst) const {
    switch (inst.op) {
      case Op::kLoadPrivate:
      case Op::kStorePrivate: return static_cast<int>(inst.imm0);
      case Op::kLoadShared:
      case Op::kStoreShared:
      case Op::kSharedAtomic:
      case Op::kSharedAtomic64: return static_cast<int>(m_.private_arrays.size());
      default: return -1;
    }
  }

  bool Observable(const Inst& inst) const {
    const mir::OpInfo& info = mir::Info(inst.op);
    if (inst.op == Op::kReadClock) return false;
    if ((inst.flags & mir::kVolatile) != 0 || info.Has('E')) return true;
    if (inst.op == Op::kReturn) return true;
    return info.Has('W') && LocalMemory(inst) < 0;
  }

  // Returns true if a loop must stay even if none of its results is used.
  bool MustRun(InstId loop) const { return !FiniteLoop(m_, loop) && !ComputesOnly(m_, loop); }

  void Live(ValueId v) {
    if (live_.test(v.index)) return;
    live_.set(v.index);
    work_.push_back(v);
  }

  void Need(InstId id) {
    if (!id.valid() || needed_.test(id.index)) return;
    needed_.set(id.index);
    const Inst& inst = m_.inst(id);
    Need(owner_[id.index]);
    const int memory = LocalMemory(inst);
    if (memory >= 0 && mir::Info(inst.op).Has('R') && !read_[memory]) {
      read_[memory] = true;
      for (InstId writer : writers_[memory]) Need(writer);
    }
    switch (inst.op) {
      case Op::kLoop:
        // Every jump affects how long the loop runs, and so does the control that leads to it. The
        // loop's sources become live with the parameters that they start.
        for (InstId jump : jumps_[id.index]) Need(jump);
        return;
      case Op::kYield:
      case Op::kBreak:
      case Op::kContinue: return;  // carried values are needed one by one
      default:
        for (ValueId v : m_.sources(id)) Live(v);
    }
  }

  // Marks the instruction that defines a live value.
  void Trace(ValueId v) {
    const Value& value = m_.value(v);
    if (value.kind == Value::Kind::kParam) {
      const InstId loop = LoopOf(RegionId(value.owner));
      Need(loop);
      Live(m_.source(loop, value.component));
      for (InstId jump : jumps_[loop.index]) {
        if (m_.inst(jump).op == Op::kContinue) Live(m_.source(jump, value.component));
      }
      return;
    }
    if (value.kind != Value::Kind::kResult) return;
    const InstId id(value.owner);
    Need(id);
    const Op op = m_.inst(id).op;
    if (op != Op::kIf && op != Op::kLoop) return;
    for (InstId jump : jumps_[id.index]) {
      if (m_.inst(jump).op == Op::kContinue) continue;
      Need(jump);
      Live(m_.source(jump, value.component));
    }
  }

  InstId LoopOf(RegionId body) {
    if (loop_of_body_.empty()) {
      loop_of_body_.resize(m_.regions.size());
      for (InstId id : order_) {
        if (m_.inst(id).op == Op::kLoop) loop_of_body_[m_.inst(id).regions[0].index] = id;
      }
    }
    return loop_of_body_[body.index];
  }

  // ---- Sweeping ----

  // Terminators always stay: their carried values are dropped one by one.
  bool Keeps(InstId id) const {
    const Inst& inst = m_.inst(id);
    return needed_.test(id.index) || mir::Info(inst.op).Has('T');
  }

  bool FindDead() {
    dead_ = BitSet(m_.insts.size());
    bool found = false;
    for (InstId id : order_) {
      const bool inside_dead = owner_[id.index].valid() && dead_.test(owner_[id.index].index);
      if (inside_dead || !Keeps(id)) {
        dead_.set(id.index);
        found = true;
      } else if (Shrinks(id)) {
        found = true;
      }
    }
    return found;
  }

  static bool IsLoad(Op op) {
    return op == Op::kLoadUbo || op == Op::kLoadSsbo || op == Op::kLoadPush ||
           op == Op::kLoadShared || op == Op::kLoadPrivate || op == Op::kLoadConstant ||
           op == Op::kLoadGlobal;
  }

  bool Shrinks(InstId id) const {
    const Inst& inst = m_.inst(id);
    if (IsLoad(inst.op)) {
      return (inst.flags & mir::kVolatile) == 0 && inst.num_results > 1 &&
             !live_.test(m_.result(id, inst.num_results - 1).index);
    }
    if (inst.num_regions == 0) return false;
    for (int i = 0; i < inst.num_results; ++i) {
      if (!live_.test(m_.result(id, i).index)) return true;
    }
    if (inst.op != Op::kLoop) return false;
    for (ValueId p : m_.region(inst.regions[0]).params) {
      if (!live_.test(p.index)) return true;
    }
    return false;
  }

  void Shrink(InstId id) {
    if (!Shrinks(id)) return;
    if (IsLoad(m_.inst(id).op)) {
      Inst& load = m_.inst(id);
      while (load.num_results > 1 && !live_.test(m_.result(id, load.num_results - 1).index)) {
        --load.num_results;
      }
      return;
    }
    ShrinkResults(id);
    if (m_.inst(id).op == Op::kLoop) ShrinkParams(id);
  }

  void ShrinkResults(InstId id) {
    const Inst old = m_.inst(id);
    std::vector<bool> keep;
    std::vector<Type> types;
    for (int i = 0; i < old.num_results; ++i) {
      const ValueId v = m_.result(id, i);
      keep.push_back(live_.test(v.index));
      if (keep.back()) types.push_back(m_.value(v).type);
    }
    if (types.size() == keep.size()) return;
    for (InstId jump : jumps_[id.index]) {
      if (m_.inst(jump).op != Op::kContinue) mir::KeepSources(m_, jump, keep);
    }
    m_.inst(id).num_results = 0;
    m_.inst(id).first_result = ValueId();
    if (types.empty()) return;
    mir::SetResults(m_, id, types);
    int next = 0;
    for (int i = 0; i < old.num_results; ++i) {
      if (keep[i]) {
        replace_.Replace(ValueId(old.first_result.index + i), m_.result(id, next++));
      }
    }
  }

  void ShrinkParams(InstId id) {
    const RegionId body = m_.inst(id).regions[0];
    std::vector<bool> keep;
    bool all = true;
    for (ValueId p : m_.region(body).params) {
      keep.push_back(live_.test(p.index));
      all = all && keep.back();
    }
    if (all) return;
    mir::KeepParams(m_, body, keep);
    mir::KeepSources(m_, id, keep);
    for (InstId jump : jumps_[id.index]) {
      if (m_.inst(jump).op == Op::kContinue) mir::KeepSources(m_, jump, keep);
    }
  }

  Module& m_;
  BitSet needed_;  // instructions
  BitSet live_;    // values
  BitSet dead_;
  std::vector<InstId> owner_;                 // of an instruction: the if or loop around it
  std::vector<std::vector<InstId>> jumps_;    // of an if: its yields; of a loop: breaks, continues
  std::vector<std::vector<InstId>> writers_;  // by local memory
  std::vector<bool> read_;
  std::vector<InstId> loop_of_body_;
  std::vector<InstId> order_;
  std::vector<InstId> roots_;
  std::vector<ValueId> work_;
  mir::Replacements replace_{m_};
};

}  // namespace

bool FiniteLoop(const Module& module, InstId loop) { return LoopBound(module, loop).Finite(); }

bool ComputesOnly(const Module& module, InstId loop) {
  bool only = true;
  mir::ForEachInst(module, module.inst(loop).regions[0], [&](InstId id) {
    const Inst& inst = module.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    only =
        only && (info.Has('P') || info.Has('T') || info.Has('N')) && !(inst.flags & mir::kVolatile);
  });
  return only;
}

absl::StatusOr<bool> RemoveDeadCode(Module& module, PassContext& context) {
  Eliminator eliminator(module);
  if (!eliminator.Mark() || !context.Rewrite()) return false;
  eliminator.Sweep();
  return true;
}

bool SweepDeadCode(Module& module) {
  Eliminator eliminator(module);
  if (!eliminator.Mark()) return false;
  eliminator.Sweep();
  return true;
}

}  // namespace kiln::mid
