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

// Atomics that have no effect, and an undefined result, in helper lanes.
bool IsMaskedAtomic(Op op) {
  return op == Op::kSsboAtomic || op == Op::kGlobalAtomic || op == Op::kImageAtomic ||
         op == Op::kImageAtomic64;
}

// Finds the values of a loop that depend on the result of an atomic in it.
class Dependence {
 public:
  Dependence(const Module& module, InstId loop) : m_(module), depends_(module.values.size()) {
    do {
      grew_ = false;
      FollowLoop(loop);
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
  // Returns true if a condition that depends on an atomic controls a jump of this kind, of the loop
  // whose body contains the region.
  bool DecidesAbout(Op jump, RegionId region, bool decided) const;

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
  // The exit that was taken depends on it too, and so does the code that was skipped.
  if (DecidesAbout(Op::kBreak, body, false)) MarkAll(id);
  if (DecidesAbout(Op::kContinue, body, false)) {
    for (const ValueId param : params) Mark(param);
  }
}

bool Dependence::DecidesAbout(Op jump, RegionId region, bool decided) const {
  for (const InstId id : m_.region(region).insts) {
    const Inst& inst = m_.inst(id);
    if (inst.op == jump && decided) return true;
    if (inst.op != Op::kIf) continue;
    const bool by_this = decided || On(m_.source(id, 0));
    for (int side = 0; side < 2; ++side) {
      if (DecidesAbout(jump, inst.regions[side], by_this)) return true;
    }
  }
  return false;
}

class Ending {
 public:
  explicit Ending(Module& module)
      : m_(module),
        b_(module),
        ends_(module),
        exits_(module.insts.size()),
        starts_(module.insts.size()),
        helpers_(module.insts.size()) {}

  bool Run() {
    mir::ForEachInst(m_, m_.body, [this](InstId id) {
      if (m_.inst(id).op != Op::kLoop || ends_.AllEnd(id)) return;
      const RegionId body = m_.inst(id).regions[0];
      const Dependence depends(m_, id);
      way_.clear();
      if (FindExit(body, id, depends)) starts_[m_.region(body).insts.front().index] = id;
    });
    if (!found_) return false;
    mir::RewriteInsts(b_, m_.body, [this](InstId id) {
      if (id.index >= starts_.size()) return true;
      if (starts_[id.index].valid()) helpers_[starts_[id.index].index] = b_.HelperInvocation();
      if (exits_[id.index].loop.valid()) Widen(id, exits_[id.index]);
      return true;
    });
    return true;
  }

 private:
  struct Turn {
    InstId branch;
    int side;
  };
  // The side of an if that lanes take which were helpers when the iteration of the loop began.
  struct Exit {
    InstId loop;
    int side = 0;
  };

  // Finds the first break of a loop under conditions that depend on its atomics, and records these
  // conditions. Returns false if there is none.
  bool FindExit(RegionId region, InstId loop, const Dependence& depends);
  bool Note(InstId loop, const Dependence& depends);
  void Widen(InstId branch, const Exit& exit);

  Module& m_;
  mir::Builder b_;
  LoopEnds ends_;
  std::vector<Exit> exits_;       // by if
  std::vector<InstId> starts_;    // by the first instruction of a body: the loop
  std::vector<ValueId> helpers_;  // by loop: true in lanes that are helpers as an iteration begins
  std::vector<Turn> way_;         // ifs from the loop's body to the current region
  bool found_ = false;
};

bool Ending::FindExit(RegionId region, InstId loop, const Dependence& depends) {
  for (const InstId id : m_.region(region).insts) {
    const Inst& inst = m_.inst(id);
    if (inst.op == Op::kBreak) return Note(loop, depends);
    if (inst.op != Op::kIf) continue;
    for (int side = 0; side < 2; ++side) {
      way_.push_back({id, side});
      if (FindExit(inst.regions[side], loop, depends)) return true;
      way_.pop_back();
    }
  }
  return false;
}

bool Ending::Note(InstId loop, const Dependence& depends) {
  bool any = false;
  for (const Turn& t : way_) {
    if (!depends.On(m_.source(t.branch, 0))) continue;
    exits_[t.branch.index] = {loop, t.side};
    any = true;
  }
  found_ = found_ || any;
  return any;
}

void Ending::Widen(InstId branch, const Exit& exit) {
  const ValueId condition = m_.source(branch, 0), helper = helpers_[exit.loop.index];
  mir::SetSources(m_, branch,
                  {exit.side == 0 ? b_.Or(condition, helper) : b_.And(condition, b_.Not(helper))});
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
