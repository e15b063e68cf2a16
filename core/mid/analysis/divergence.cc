#include "core/mid/analysis/divergence.h"

#include <algorithm>

#include "core/mir/build.h"

namespace kiln::mid {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

namespace {

constexpr Uniformity kLowest = Uniformity::kWorkgroup;

}  // namespace

class DivergenceSolver {
 public:
  DivergenceSolver(const Module& module, UniformFor use, Divergence& result)
      : m_(module),
        r_(result),
        arrays_(module.private_arrays.size(), kLowest),
        one_register_(use != UniformFor::kLanes),
        joins_(use != UniformFor::kOneRegister),
        scalar_(use == UniformFor::kScalarRegister),
        one_lane_(!one_register_ && module.RunsAlone()) {
    r_.level_.assign(m_.values.size(), kLowest);
    r_.exit_.assign(m_.insts.size(), kLowest);
    r_.control_.assign(m_.insts.size(), kLowest);
    const bool whole = m_.stage == mir::Stage::kCompute;
    r_.total_control_.assign(m_.insts.size(), whole ? kLowest : Uniformity::kDivergent);
  }

  void Solve() {
    for (int iteration = 0; iteration < Divergence::kMaxIterations; ++iteration) {
      rose_ = false;
      Region(m_.body, InstId(), kLowest);
      if (!rose_) return;
    }
    GiveUp();
  }

 private:
  // The state of a loop in this walk.
  struct LoopState {
    InstId id;
    Uniformity left = kLowest;  // under which lanes took one of the jumps met so far
    int continues = 0;
    bool first_continue = true;
    std::vector<ValueId> carried;  // by the first continue
    std::vector<bool> differs;     // another continue carries something else
    Uniformity choice = kLowest;   // conditions that choose between continues
    std::vector<ValueId> broken;   // the same for breaks
    std::vector<bool> breaks_differ;
    bool first_break = true;
  };

  static Uniformity Max(Uniformity a, Uniformity b) { return std::max(a, b); }
  Uniformity Of(ValueId v) const { return r_.level_[v.index]; }

  void Raise(Uniformity& at, Uniformity to) {
    if (at >= to) return;
    at = to;
    rose_ = true;
  }
  void Raise(ValueId v, Uniformity to) { Raise(r_.level_[v.index], to); }

  void Region(RegionId region, InstId owner, Uniformity entry) {
    for (InstId id : m_.region(region).insts) {
      // Lanes that jumped out of this iteration earlier are inactive from here on.
      const Uniformity control = loops_.empty() ? entry : Max(entry, loops_.back().left);
      Raise(r_.control_[id.index], control);
      Raise(r_.total_control_[id.index], TotalControl(control));
      switch (m_.inst(id).op) {
        case Op::kIf: If(id, control); break;
        case Op::kLoop: Loop(id); break;
        case Op::kYield: Yield(id, owner); break;
        case Op::kBreak: Break(id, control); break;
        case Op::kContinue: Continue(id, control); break;
        default: Straight(id, control); break;
      }
    }
  }

  // ---- Straight-line code ----

  void Straight(InstId id, Uniformity control) {
    const Inst& inst = m_.inst(id);
    Uniformity level = kLowest;
    for (ValueId v : m_.sources(id)) level = Max(level, Of(v));
    if (inst.op == Op::kStorePrivate) {
      // Lanes that do not store keep the old value.
      Raise(arrays_[inst.imm0], Max(level, TotalControl(control)));
      return;
    }
    level = mir::IsSubgroupUniform(inst) ? OwnLevel(inst) : Max(level, OwnLevel(inst));
    for (int i = 0; i < inst.num_results; ++i) Raise(m_.result(id, i), level);
  }

  // The conditions under which this instruction is reached at all, and reached again.
  Uniformity TotalControl(Uniformity control) const {
    for (const LoopState& loop : loops_) {
      control = Max(control, Max(r_.control_[loop.id.index], r_.exit_[loop.id.index]));
    }
    return control;
  }

  // The level that the op itself adds to that of its sources.
  Uniformity OwnLevel(const Inst& inst) const {
    const mir::OpInfo& info = mir::Info(inst.op);
    if (mir::IsSubgroupUniform(inst)) return one_lane_ ? kLowest : Uniformity::kSubgroup;
    if (info.Has('S')) return one_lane_ ? kLowest : Uniformity::kDivergent;
    if (inst.op == Op::kSubgroupId || inst.op == Op::kLaunchScalar || inst.op == Op::kReadClock)
      return one_lane_ ? kLowest : Uniformity::kSubgroup;
    if (inst.op == Op::kLoadPrivate) {
      return one_register_ ? Uniformity::kDivergent : arrays_[inst.imm0];
    }
    if (!info.Has('R')) return kLowest;
    if (info.Has('W') || (inst.flags & mir::kVolatile) != 0) return Uniformity::kDivergent;
    return Uniformity::kSubgroup;
  }

  // ---- Control ----

  void If(InstId id, Uniformity control) {
    const Inst& inst = m_.inst(id);
    const Uniformity inner = Max(control, Of(m_.source(id, 0)));
    for (RegionId side : inst.regions) Region(side, id, inner);
    if (!joins_) return RaiseResults(id);
    // Results rise with each side's yield; if the sides yield different values, also with the
    // condition that chooses between them.
    const InstId ends[2] = {m_.region(inst.regions[0]).insts.back(),
                            m_.region(inst.regions[1]).insts.back()};
    if (m_.inst(ends[0]).op != Op::kYield || m_.inst(ends[1]).op != Op::kYield) return;
    for (int i = 0; i < inst.num_results; ++i) {
      if (!scalar_ && m_.source(ends[0], i) == m_.source(ends[1], i)) continue;
      Raise(m_.result(id, i), Of(m_.source(id, 0)));
    }
  }

  void RaiseResults(InstId id) {
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      Raise(m_.result(id, i), Uniformity::kDivergent);
    }
  }

  void Yield(InstId id, InstId owner) {
    for (int i = 0; i < m_.inst(id).num_sources; ++i) {
      Raise(m_.result(owner, i), Of(m_.source(id, i)));
    }
  }

  void Loop(InstId id) {
    const RegionId body = m_.inst(id).regions[0];
    const std::vector<ValueId>& params = m_.region(body).params;
    for (size_t i = 0; i < params.size(); ++i) {
      Raise(params[i], Of(m_.source(id, static_cast<int>(i))));
    }
    LoopState state;
    state.id = id;
    state.differs.resize(params.size());
    state.breaks_differ.resize(m_.inst(id).num_results);
    loops_.push_back(std::move(state));
    Region(body, id, kLowest);
    state = std::move(loops_.back());
    loops_.pop_back();
    const bool at_end =
        state.continues == 1 && m_.inst(m_.region(body).insts.back()).op == Op::kContinue;
    for (size_t i = 0; i < params.size(); ++i) {
      if (one_register_ && !at_end) Raise(params[i], Uniformity::kDivergent);
      if (state.differs[i]) Raise(params[i], state.choice);
    }
    if (!joins_) return RaiseResults(id);
    for (int i = 0; i < m_.inst(id).num_results; ++i) {
      const bool same =
          !state.breaks_differ[i] && !state.broken.empty() && !DefinedInside(state.broken[i], body);
      if (scalar_ || !same) Raise(m_.result(id, i), r_.exit_[id.index]);
    }
  }

  void Break(InstId id, Uniformity control) {
    LoopState& loop = loops_.back();
    loop.left = Max(loop.left, control);
    Raise(r_.exit_[loop.id.index], control);
    const absl::Span<const ValueId> values = m_.sources(id);
    for (size_t i = 0; i < values.size(); ++i) {
      Raise(m_.result(loop.id, static_cast<int>(i)), Of(values[i]));
      if (!loop.first_break && loop.broken[i] != values[i]) loop.breaks_differ[i] = true;
    }
    if (loop.first_break) loop.broken.assign(values.begin(), values.end());
    loop.first_break = false;
  }

  void Continue(InstId id, Uniformity control) {
    LoopState& loop = loops_.back();
    loop.left = Max(loop.left, control);
    loop.choice = Max(loop.choice, control);
    ++loop.continues;
    const std::vector<ValueId>& params = m_.region(m_.inst(loop.id).regions[0]).params;
    const absl::Span<const ValueId> values = m_.sources(id);
    for (size_t i = 0; i < values.size(); ++i) {
      Raise(params[i], Of(values[i]));
      if (!loop.first_continue && loop.carried[i] != values[i]) loop.differs[i] = true;
    }
    if (loop.first_continue) loop.carried.assign(values.begin(), values.end());
    loop.first_continue = false;
  }

  bool DefinedInside(ValueId v, RegionId body) const {
    const mir::Value& value = m_.value(v);
    if (value.kind == mir::Value::Kind::kConstant || value.kind == mir::Value::Kind::kUndef) {
      return false;
    }
    RegionId at =
        value.kind == mir::Value::Kind::kParam ? RegionId(value.owner) : region_of_[value.owner];
    while (at.valid() && at != body) at = parent_[at.index];
    return at == body;
  }

 public:
  // Records the region of each instruction and the parent of each region, for DefinedInside.
  void Locate() {
    region_of_.assign(m_.insts.size(), RegionId());
    parent_.assign(m_.regions.size(), RegionId());
    mir::ForEachRegion(m_, m_.body, [&](RegionId r) {
      for (InstId id : m_.region(r).insts) {
        region_of_[id.index] = r;
        for (int n = 0; n < m_.inst(id).num_regions; ++n) {
          parent_[m_.inst(id).regions[n].index] = r;
        }
      }
    });
  }

 private:
  void GiveUp() {
    for (size_t i = 0; i < m_.values.size(); ++i) {
      const mir::Value::Kind kind = m_.values[i].kind;
      if (kind == mir::Value::Kind::kResult || kind == mir::Value::Kind::kParam) {
        r_.level_[i] = Uniformity::kDivergent;
      }
    }
    std::fill(r_.exit_.begin(), r_.exit_.end(), Uniformity::kDivergent);
    for (auto* control : {&r_.control_, &r_.total_control_}) {
      std::fill(control->begin(), control->end(), Uniformity::kDivergent);
    }
  }

  const Module& m_;
  Divergence& r_;
  std::vector<Uniformity> arrays_;  // levels of the contents of private arrays
  const bool one_register_;
  const bool joins_;     // results of ifs and loops can be uniform
  const bool scalar_;    // but only if all lanes take them the same way
  const bool one_lane_;  // each workgroup has one lane, and the use is kLanes
  bool rose_ = false;
  std::vector<LoopState> loops_;
  std::vector<RegionId> region_of_;  // by instruction
  std::vector<RegionId> parent_;     // by region
};

Divergence::Divergence(const Module& module, UniformFor use) {
  DivergenceSolver solver(module, use, *this);
  solver.Locate();
  solver.Solve();
}

}  // namespace kiln::mid
