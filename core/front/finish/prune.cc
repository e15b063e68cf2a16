#include "core/front/finish/prune.h"

#include <vector>

#include "core/mir/build.h"

namespace kiln::front {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

class Pruner {
 public:
  explicit Pruner(mir::Module& module)
      : m_(module),
        live_(module.values.size()),
        owner_(module.regions.size()),
        jumps_(module.insts.size()) {}

  void Run() {
    Collect(m_.body, InstId());
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      Follow(v);
    }
    Sweep();
    mir::Compact(m_);
  }

 private:
  // Records owners and jumps, and marks the operands of instructions with an effect.
  void Collect(RegionId region, InstId loop) {
    for (size_t i = 0; i < m_.region(region).insts.size(); ++i) {
      const InstId id = m_.region(region).insts[i];
      const Inst inst = m_.inst(id);
      if (inst.op == Op::kBreak || inst.op == Op::kContinue) jumps_[loop.index].push_back(id);
      if (HasEffect(inst)) {
        for (ValueId v : m_.sources(id)) Mark(v);
      }
      for (int r = 0; r < inst.num_regions; ++r) {
        owner_[inst.regions[r].index] = id;
        Collect(inst.regions[r], inst.op == Op::kLoop ? id : loop);
      }
    }
  }

  bool HasEffect(const Inst& inst) const {
    const mir::OpInfo& info = mir::Info(inst.op);
    if (inst.op == Op::kReadClock) return false;
    return info.Has('W') || info.Has('E') || inst.op == Op::kIf ||
           (inst.flags & mir::kVolatile) != 0;
  }

  void Mark(ValueId v) {
    if (live_.test(v.index)) return;
    live_.set(v.index);
    work_.push_back(v);
  }

  void MarkSource(InstId id, size_t n, Op op) {
    if (m_.inst(id).op == op) Mark(m_.source(id, static_cast<int>(n)));
  }

  void Follow(ValueId v) {
    const mir::Value value = m_.value(v);
    if (value.kind == mir::Value::Kind::kParam) {
      const InstId loop = owner_[value.owner];
      Mark(m_.source(loop, value.component));
      for (InstId jump : jumps_[loop.index]) MarkSource(jump, value.component, Op::kContinue);
      return;
    }
    if (value.kind != mir::Value::Kind::kResult) return;
    const InstId id(value.owner);
    const Inst inst = m_.inst(id);
    if (inst.op == Op::kIf) {
      for (int r = 0; r < 2; ++r) {
        MarkSource(m_.region(inst.regions[r]).insts.back(), value.component, Op::kYield);
      }
    } else if (inst.op == Op::kLoop) {
      for (InstId jump : jumps_[id.index]) MarkSource(jump, value.component, Op::kBreak);
    } else {
      for (ValueId s : m_.sources(id)) Mark(s);
    }
  }

  std::vector<bool> LiveResults(InstId id) const {
    const Inst& inst = m_.inst(id);
    std::vector<bool> keep(inst.num_results);
    for (size_t i = 0; i < keep.size(); ++i) keep[i] = live_.test(inst.first_result.index + i);
    return keep;
  }

  // Moves the live results together; map_ renames their uses.
  void KeepResults(InstId id, const std::vector<bool>& keep) {
    Inst& inst = m_.inst(id);
    uint16_t n = 0;
    for (size_t i = 0; i < keep.size(); ++i) {
      if (!keep[i]) continue;
      const ValueId from(inst.first_result.index + i);
      const ValueId to(inst.first_result.index + n);
      m_.value(to) = m_.value(from);
      m_.value(to).component = n++;
      map_[from.index] = to;
    }
    inst.num_results = n;
  }

  bool Stays(const Inst& inst) const {
    if (HasEffect(inst) || inst.num_regions != 0 || mir::Info(inst.op).Has('T')) return true;
    for (uint32_t i = 0; i < inst.num_results; ++i) {
      if (live_.test(inst.first_result.index + i)) return true;
    }
    return false;
  }

  void SweepCarried(InstId id) {
    const Inst inst = m_.inst(id);
    if (inst.op == Op::kIf) {
      const std::vector<bool> keep = LiveResults(id);
      for (int r = 0; r < 2; ++r) {
        const InstId end = m_.region(inst.regions[r]).insts.back();
        if (m_.inst(end).op == Op::kYield) mir::KeepSources(m_, end, keep);
      }
      KeepResults(id, keep);
    } else if (inst.op == Op::kLoop) {
      const std::vector<bool> keep = LiveResults(id);
      const std::vector<ValueId>& params = m_.region(inst.regions[0]).params;
      std::vector<bool> keep_params(params.size());
      for (size_t i = 0; i < params.size(); ++i) keep_params[i] = live_.test(params[i].index);
      for (InstId jump : jumps_[id.index]) {
        mir::KeepSources(m_, jump, m_.inst(jump).op == Op::kBreak ? keep : keep_params);
      }
      mir::KeepSources(m_, id, keep_params);
      mir::KeepParams(m_, inst.regions[0], keep_params);
      KeepResults(id, keep);
    }
  }

  void Sweep() {
    map_.resize(m_.values.size());
    for (size_t i = 0; i < map_.size(); ++i) map_[i] = ValueId(i);
    SweepRegion(m_.body);
    for (ValueId& v : m_.operands) {
      if (v.valid()) v = map_[v.index];
    }
  }

  void SweepRegion(RegionId region) {
    std::vector<InstId>& insts = m_.region(region).insts;
    std::erase_if(insts, [&](InstId id) { return !Stays(m_.inst(id)); });
    for (InstId id : insts) {
      SweepCarried(id);
      const Inst inst = m_.inst(id);
      for (int r = 0; r < inst.num_regions; ++r) SweepRegion(inst.regions[r]);
    }
  }

  mir::Module& m_;
  BitSet live_;
  std::vector<InstId> owner_;               // by region
  std::vector<std::vector<InstId>> jumps_;  // by loop instruction
  std::vector<ValueId> work_;
  std::vector<ValueId> map_;  // by value
};

}  // namespace

void Prune(mir::Module& module) { Pruner(module).Run(); }

}  // namespace kiln::front
