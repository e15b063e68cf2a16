#include "core/mid/lower/end_helper_loops.h"

#include <algorithm>
#include <vector>

#include "core/mid/analysis/loop_ends.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

// Whose effect and result only lanes that are no helpers have.
bool IsMaskedAtomic(Op op) {
  return op == Op::kSsboAtomic || op == Op::kGlobalAtomic || op == Op::kImageAtomic;
}

// Which values depend on what an atomic gave.
class Dependence {
 public:
  explicit Dependence(const Module& module) : m_(module), depends_(module.values.size()) {
    do {
      grew_ = false;
      Follow(m_.body);
    } while (grew_);
  }

  bool On(ValueId v) const { return depends_[v.index]; }

 private:
  void Mark(ValueId v) {
    grew_ = grew_ || !depends_[v.index];
    depends_[v.index] = true;
  }
  void MarkAll(InstId id) {
    for (int i = 0; i < m_.inst(id).num_results; ++i) Mark(m_.result(id, i));
  }
  bool AnySource(InstId id) const {
    const auto sources = m_.sources(id);
    return std::any_of(sources.begin(), sources.end(), [this](ValueId v) { return On(v); });
  }

  void Follow(RegionId region);
  void FollowIf(InstId id);
  void FollowLoop(InstId id);

  const Module& m_;
  std::vector<bool> depends_;
  bool grew_ = false;
};

void Dependence::Follow(RegionId region) {
  for (const InstId id : m_.region(region).insts) {
    const Inst& inst = m_.inst(id);
    if (inst.op == Op::kIf) {
      FollowIf(id);
    } else if (inst.op == Op::kLoop) {
      FollowLoop(id);
    } else if (IsMaskedAtomic(inst.op) || AnySource(id)) {
      MarkAll(id);
    }
  }
}

void Dependence::FollowIf(InstId id) {
  const Inst& inst = m_.inst(id);
  for (int side = 0; side < 2; ++side) {
    Follow(inst.regions[side]);
    const InstId end = m_.region(inst.regions[side]).insts.back();
    if (m_.inst(end).op != Op::kYield) continue;
    for (int i = 0; i < inst.num_results; ++i) {
      if (On(m_.source(end, i))) Mark(m_.result(id, i));
    }
  }
  if (AnySource(id)) MarkAll(id);
}

void Dependence::FollowLoop(InstId id) {
  const Inst& inst = m_.inst(id);
  const RegionId body = inst.regions[0];
  const std::vector<ValueId>& params = m_.region(body).params;
  for (size_t i = 0; i < params.size(); ++i) {
    if (On(m_.source(id, static_cast<int>(i)))) Mark(params[i]);
  }
  Follow(body);
  mir::ForEachJumpOfLoop(m_, body, [&](InstId jump) {
    const bool leaves = m_.inst(jump).op == Op::kBreak;
    for (int i = 0; i < m_.inst(jump).num_sources; ++i) {
      if (On(m_.source(jump, i))) Mark(leaves ? m_.result(id, i) : params[i]);
    }
  });
}

class Ending {
 public:
  explicit Ending(Module& module)
      : m_(module), b_(module), ends_(module), depends_(module), exit_(module.insts.size(), -1) {}

  bool Run() {
    mir::ForEachInst(m_, m_.body, [this](InstId id) {
      if (m_.inst(id).op != Op::kLoop || ends_.AllEnd(id)) return;
      way_.clear();
      FindExit(m_.inst(id).regions[0]);
    });
    if (!found_) return false;
    mir::RewriteInsts(b_, m_.body, [this](InstId id) {
      if (id.index < exit_.size() && exit_[id.index] >= 0) Widen(id, exit_[id.index]);
      return true;
    });
    return true;
  }

 private:
  struct Turn {
    InstId branch;
    int side;
  };

  // The first break of a loop to which conditions on atomics lead; notes these. False: there is
  // none.
  bool FindExit(RegionId region);
  bool Note();
  void Widen(InstId branch, int side);

  Module& m_;
  mir::Builder b_;
  LoopEnds ends_;
  const Dependence depends_;
  std::vector<int> exit_;   // by if: the side that helpers take; -1: any
  std::vector<Turn> way_;   // from the loop's body to where we are
  bool found_ = false;
};

bool Ending::FindExit(RegionId region) {
  for (const InstId id : m_.region(region).insts) {
    const Inst& inst = m_.inst(id);
    if (inst.op == Op::kBreak) return Note();
    if (inst.op != Op::kIf) continue;
    for (int side = 0; side < 2; ++side) {
      way_.push_back({id, side});
      if (FindExit(inst.regions[side])) return true;
      way_.pop_back();
    }
  }
  return false;
}

bool Ending::Note() {
  bool any = false;
  for (const Turn& t : way_) {
    if (!depends_.On(m_.source(t.branch, 0))) continue;
    exit_[t.branch.index] = t.side;
    any = true;
  }
  found_ = found_ || any;
  return any;
}

void Ending::Widen(InstId branch, int side) {
  const ValueId condition = m_.source(branch, 0), helper = b_.HelperInvocation();
  mir::SetSources(m_, branch,
                  {side == 0 ? b_.Or(condition, helper) : b_.And(condition, b_.Not(helper))});
}

bool HasMaskedAtomic(const Module& m) {
  bool found = false;
  mir::ForEachInst(m, m.body, [&](InstId id) { found |= IsMaskedAtomic(m.inst(id).op); });
  return found;
}

}  // namespace

absl::StatusOr<bool> EndHelperLoops(Module& module, PassContext&) {
  if (module.stage != mir::Stage::kFragment || !HasMaskedAtomic(module)) return false;
  return Ending(module).Run();
}

}  // namespace kiln::mid
