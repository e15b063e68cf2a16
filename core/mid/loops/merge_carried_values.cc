#include "core/mid/loops/merge_carried_values.h"

#include <utility>
#include <vector>

#include "core/base/key_table.h"
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

class Merger {
 public:
  Merger(Module& module, PassContext& context)
      : m_(module), replace_(module), context_(context), outer_(module.values.size()) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return changed_;
  }

 private:
  // Stands for the parameter itself in its column of carried values.
  static constexpr uint32_t kSelf = ~0u;

  void Visit(RegionId region) {
    for (ValueId p : m_.region(region).params) Define(p);
    // Iterates by index: results are recreated, which does not change the list.
    for (size_t i = 0; i < m_.region(region).insts.size(); ++i) {
      const InstId id = m_.region(region).insts[i];
      if (m_.inst(id).op == Op::kIf) VisitIf(id);
      if (m_.inst(id).op == Op::kLoop) VisitLoop(id);
      for (int r = 0; r < m_.inst(id).num_results; ++r) Define(m_.result(id, r));
    }
  }

  // Values are numbered in the order of the walk: a value with a lower number than a loop's first
  // is defined outside of it, if both are visible.
  void Define(ValueId v) {
    if (v.index >= outer_.size()) outer_.resize(m_.values.size());
    outer_[v.index] = ++defined_;
  }
  bool DefinedBefore(ValueId v, uint32_t start) const {
    const Value::Kind kind = m_.value(v).kind;
    if (kind == Value::Kind::kConstant || kind == Value::Kind::kUndef) return true;
    return outer_[v.index] != 0 && outer_[v.index] <= start;
  }

  ValueId Source(InstId id, int i) { return replace_.Find(m_.source(id, i)); }

  void VisitIf(InstId id) {
    std::vector<InstId> yields;
    for (RegionId side : m_.inst(id).regions) {
      Visit(side);
      const InstId end = m_.region(side).insts.back();
      if (m_.inst(end).op == Op::kYield) yields.push_back(end);
    }
    if (m_.inst(id).num_results == 0 || yields.empty()) return;
    // With one yield the value may be defined inside; remove_dead_control_flow handles that if.
    MergeResults(id, yields, yields.size() == 2 ? ~0u : 0);
  }

  void VisitLoop(InstId id) {
    const RegionId body = m_.inst(id).regions[0];
    std::vector<InstId> breaks, continues;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId jump) {
      (m_.inst(jump).op == Op::kBreak ? breaks : continues).push_back(jump);
    });
    const uint32_t start = defined_;
    MergeParams(id, continues);
    Visit(body);
    if (m_.inst(id).num_results > 0 && !breaks.empty()) MergeResults(id, breaks, start);
  }

  bool Allowed() {
    if (!context_.Rewrite()) return false;
    changed_ = true;
    return true;
  }

  void MergeParams(InstId loop, const std::vector<InstId>& continues) {
    const RegionId body = m_.inst(loop).regions[0];
    const std::vector<ValueId> params = m_.region(body).params;
    seen_.Shrink(0);
    std::vector<bool> keep(params.size(), true);
    for (size_t i = 0; i < params.size(); ++i) {
      const ValueId first = Source(loop, static_cast<int>(i));
      column_.assign(1, first.index);
      bool changes = false;
      for (InstId jump : continues) {
        const ValueId next = Source(jump, static_cast<int>(i));
        const bool same = next == params[i] || next == first;
        changes |= !same;
        column_.push_back(next == params[i] ? kSelf : next.index);
      }
      const KeyTable::Found found = seen_.FindOrAdd(column_, params[i].index);
      if ((changes && found.added) || !Allowed()) continue;
      replace_.Replace(params[i], changes ? ValueId(*found.value) : first);
      keep[i] = false;
    }
    Drop(keep, [&] {
      mir::KeepParams(m_, body, keep);
      mir::KeepSources(m_, loop, keep);
      for (InstId jump : continues) mir::KeepSources(m_, jump, keep);
    });
  }

  // `start`: values numbered up to it are visible after the instruction.
  void MergeResults(InstId id, const std::vector<InstId>& jumps, uint32_t start) {
    const Inst old = m_.inst(id);
    seen_.Shrink(0);
    std::vector<bool> keep(old.num_results, true);
    std::vector<std::pair<int, int>> equal;  // a result and the earlier one that it equals
    for (int i = 0; i < old.num_results; ++i) {
      column_.clear();
      bool one = true;
      for (InstId jump : jumps) {
        column_.push_back(Source(jump, i).index);
        one = one && column_.back() == column_.front();
      }
      const ValueId value(column_.front());
      const KeyTable::Found found = seen_.FindOrAdd(column_, static_cast<uint32_t>(i));
      const bool known = one && DefinedBefore(value, start);
      if ((!known && found.added) || !Allowed()) continue;
      keep[i] = false;
      if (known) {
        replace_.Replace(m_.result(id, i), value);
      } else {
        equal.push_back({i, static_cast<int>(*found.value)});
      }
    }
    for (const auto& [later, earlier] : equal) {
      replace_.Replace(m_.result(id, later), m_.result(id, earlier));
    }
    Drop(keep, [&] { KeepResults(id, jumps, keep); });
  }

  template <class Fn>
  static void Drop(const std::vector<bool>& keep, Fn&& fn) {
    for (bool k : keep) {
      if (!k) return fn();
    }
  }

  // Results are consecutive: those that stay become new values.
  void KeepResults(InstId id, const std::vector<InstId>& jumps, const std::vector<bool>& keep) {
    const Inst old = m_.inst(id);
    std::vector<Type> types;
    for (int i = 0; i < old.num_results; ++i) {
      if (keep[i]) types.push_back(m_.value(m_.result(id, i)).type);
    }
    for (InstId jump : jumps) mir::KeepSources(m_, jump, keep);
    m_.inst(id).num_results = 0;
    m_.inst(id).first_result = ValueId();
    if (types.empty()) return;
    mir::SetResults(m_, id, types);
    int next = 0;
    for (int i = 0; i < old.num_results; ++i) {
      if (keep[i]) replace_.Replace(ValueId(old.first_result.index + i), m_.result(id, next++));
    }
  }

  Module& m_;
  mir::Replacements replace_;
  PassContext& context_;
  std::vector<uint32_t> outer_;  // by value: its number in the walk
  KeyTable seen_;                // columns of the current instruction; kept for its memory
  std::vector<uint32_t> column_;
  uint32_t defined_ = 0;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> MergeCarriedValues(Module& module, PassContext& context) {
  return Merger(module, context).Run();
}

}  // namespace kiln::mid
