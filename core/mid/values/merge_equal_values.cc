#include "core/mid/values/merge_equal_values.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/base/key_table.h"
#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/value_key.h"
#include "core/mid/values/known_memory.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

class Numbering {
 public:
  Numbering(Module& module, PassContext& context)
      : m_(module), b_(module), replace_(module), context_(context), known_(module.values.size()) {}

  bool Run() {
    Visit(m_.body);
    replace_.Apply(m_);
    return changed_;
  }

 private:
  // Facts recorded while a region is walked, to be forgotten at its end.
  struct Scope {
    size_t keys;  // available at its start
    std::vector<ValueId> known;
  };

  bool Allowed() {
    if (!context_.Rewrite()) return false;
    changed_ = true;
    return true;
  }

  // ---- What loops write ----

  MemorySet SummariseWrites(RegionId region) {
    MemorySet all = 0;
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      MemorySet mine = 0;
      if (mir::Info(inst.op).Has('E')) mine = OrderedBy(inst);
      const std::optional<Access> access = AccessOf(m_, id);
      if (access.has_value() && access->writes) mine |= MemorySetOf(*access);
      for (int r = 0; r < inst.num_regions; ++r) mine |= SummariseWrites(inst.regions[r]);
      if (inst.op == Op::kLoop && !loop_writes_.empty()) loop_writes_[id.index] = mine;
      all |= mine;
    }
    return all;
  }

  // ---- The walk ----

  void Visit(RegionId region) {
    scopes_.push_back({available_.size(), {}});
    for (size_t i = 0; i < m_.region(region).insts.size(); ++i) {
      const InstId id = m_.region(region).insts[i];
      Resolve(id);
      switch (m_.inst(id).op) {
        case Op::kIf: VisitIf(id); break;
        case Op::kLoop: VisitLoop(id); break;
        default: VisitInst(id); break;
      }
    }
    available_.Shrink(scopes_.back().keys);
    for (ValueId v : scopes_.back().known) known_[v.index] = ValueId();
    scopes_.pop_back();
  }

  // Values carried by jumps are not replaced by constants, which would have to be moved into a
  // register.
  void Resolve(InstId id) {
    const bool carries = mir::Info(m_.inst(id).op).Has('T');
    for (int i = 0; i < m_.inst(id).num_sources; ++i) {
      const ValueId v = replace_.Find(m_.source(id, i));
      const ValueId known = known_[v.index];
      const bool better = known.valid() && !carries && Allowed();
      m_.sources(id)[i] = better ? known : v;
    }
  }

  void VisitInst(InstId id) {
    const mir::OpInfo& info = mir::Info(m_.inst(id).op);
    if (info.Has('E')) memory_.Forget(OrderedBy(m_.inst(id)));
    const std::optional<Access> access = AccessOf(m_, id);
    if (access.has_value()) {
      VisitAccess(id, *access);
    } else if (info.Has('P') && m_.inst(id).num_results != 0) {
      VisitPure(id);
    }
  }

  void VisitPure(InstId id) {
    const ValueKey key = KeyOf(m_, id, [](ValueId v) { return v; });
    const KeyTable::Found found = available_.FindOrAdd(key, id.index);
    if (found.added || !Allowed()) return;
    for (int r = 0; r < m_.inst(id).num_results; ++r) {
      replace_.Replace(m_.result(id, r), m_.result(InstId(*found.value), r));
    }
  }

  // ---- Memory ----

  void VisitAccess(InstId id, const Access& access) {
    if (access.writes) memory_.Overwrite(access);
    if (access.is_volatile || !access.plain()) return;
    if (access.reads) {
      VisitLoad(id, access);
    } else if (m_.stage != mir::Stage::kFragment || access.space == Space::kPrivate) {
      // In fragments only private stores are recorded: a helper's other stores have no effect, and
      // derivatives see the values it loads.
      const int first = m_.inst(id).num_sources - access.elements();
      for (int i = first; i < m_.inst(id).num_sources; ++i) {
        memory_.Learn(access, i - first, m_.source(id, i));
      }
    }
  }

  void VisitLoad(InstId id, const Access& access) {
    const int n = m_.inst(id).num_results;
    absl::InlinedVector<ValueId, 8> found;
    for (int i = 0; i < n; ++i) {
      const ValueId v = memory_.Find(m_, access, i, m_.value(m_.result(id, i)).type);
      if (!v.valid()) break;
      found.push_back(v);
    }
    if (static_cast<int>(found.size()) == n && Allowed()) {
      for (int i = 0; i < n; ++i) replace_.Replace(m_.result(id, i), found[i]);
      return;
    }
    for (int i = 0; i < n; ++i) memory_.Learn(access, i, m_.result(id, i));
  }

  // ---- Control ----

  // Records that v is the constant until the current region ends.
  void Know(ValueId v, ValueId constant) {
    if (m_.IsConstant(v) || known_[v.index].valid()) return;
    known_[v.index] = constant;
    scopes_.back().known.push_back(v);
  }

  void KnowCondition(ValueId condition, bool outcome) {
    if (m_.IsConstant(condition) || known_[condition.index].valid()) return;
    Know(condition, b_.Bool(outcome));
    known_.resize(m_.values.size());  // the constant may be new
    if (m_.value(condition).kind != mir::Value::Kind::kResult) return;
    const InstId def(m_.value(condition).owner);
    const Op op = m_.inst(def).op;
    if (op == Op::kNot) return KnowCondition(replace_.Find(m_.source(def, 0)), !outcome);
    if (op == (outcome ? Op::kAnd : Op::kOr)) {
      for (int i = 0; i < 2; ++i) KnowCondition(replace_.Find(m_.source(def, i)), outcome);
    }
    if (op == (outcome ? Op::kIeq : Op::kIne) && m_.IsConstant(m_.source(def, 1))) {
      Know(replace_.Find(m_.source(def, 0)), m_.source(def, 1));
    }
  }

  bool Yields(RegionId region) const {
    return m_.inst(m_.region(region).insts.back()).op == Op::kYield;
  }

  void VisitIf(InstId id) {
    const ValueId condition = m_.source(id, 0);
    const KnownMemory before = memory_;
    std::optional<KnownMemory> after;
    for (int side = 0; side < 2; ++side) {
      const RegionId region = m_.inst(id).regions[side];
      memory_ = before;
      VisitSide(region, condition, side == 0);
      if (!Yields(region)) continue;
      memory_.Restrict(before);
      if (after.has_value()) {
        after->Meet(memory_);
      } else {
        after = std::move(memory_);
      }
    }
    memory_ = after.has_value() ? *std::move(after) : before;
    ForgetHelpers(id);
    const RegionId then_region = m_.inst(id).regions[0], else_region = m_.inst(id).regions[1];
    if (Yields(then_region) && Yields(else_region)) {
      MergeColumns({m_.region(then_region).insts.back(), m_.region(else_region).insts.back()},
                   Results(id));
    } else if (Yields(then_region) != Yields(else_region)) {
      KnowCondition(condition, Yields(then_region));
    }
  }

  // Forgets helper states after an if with a side that does not yield: lanes discarded there do not
  // reach the code after the if, but kill_in_line may let them continue as helpers.
  void ForgetHelpers(InstId id) {
    if (m_.stage != mir::Stage::kFragment) return;
    for (const RegionId region : m_.inst(id).regions) {  // two, of an if
      if (!Yields(region)) memory_.Forget(SummariseWrites(region) & kHelperMemory);
    }
  }

  void VisitSide(RegionId region, ValueId condition, bool outcome) {
    scopes_.push_back({available_.size(), {}});
    KnowCondition(condition, outcome);
    Visit(region);
    for (ValueId v : scopes_.back().known) known_[v.index] = ValueId();
    scopes_.pop_back();
  }

  void VisitLoop(InstId id) {
    const RegionId body = m_.inst(id).regions[0];
    if (loop_writes_.empty()) {  // this is the first loop
      loop_writes_.resize(m_.insts.size());
      SummariseWrites(m_.body);
    }
    memory_.Forget(loop_writes_[id.index]);
    memory_.ForgetCoherent();
    const KnownMemory before = memory_;
    Visit(body);
    memory_ = before;
    std::vector<InstId> breaks, around = {id};
    mir::ForEachJumpOfLoop(m_, body, [&](InstId jump) {
      (m_.inst(jump).op == Op::kBreak ? breaks : around).push_back(jump);
    });
    MergeColumns(around, m_.region(body).params);
    MergeColumns(breaks, Results(id));
  }

  std::vector<ValueId> Results(InstId id) const {
    std::vector<ValueId> results;
    results.reserve(m_.inst(id).num_results);
    for (int i = 0; i < m_.inst(id).num_results; ++i) results.push_back(m_.result(id, i));
    return results;
  }

  // Merges values for which every jump carries the same. `values[i]` is carried by source i of each
  // jump.
  void MergeColumns(const std::vector<InstId>& jumps, const std::vector<ValueId>& values) {
    if (jumps.empty() || values.size() < 2) return;
    columns_.Shrink(0);
    ValueKey key;
    for (int i = 0; i < static_cast<int>(values.size()); ++i) {
      const ValueId v = values[i];
      if (replace_.Find(v) != v) continue;
      key.assign(1, static_cast<uint32_t>(m_.value(v).type));
      for (InstId jump : jumps) key.push_back(replace_.Find(m_.source(jump, i)).index);
      const KeyTable::Found found = columns_.FindOrAdd(key, v.index);
      if (!found.added && Allowed()) replace_.Replace(v, ValueId(*found.value));
    }
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  KeyTable available_;          // by computation: the instruction
  KeyTable columns_;            // of one MergeColumns; kept for its memory
  std::vector<ValueId> known_;  // by value: its constant in this region, or invalid
  KnownMemory memory_;
  std::vector<MemorySet> loop_writes_;  // by instruction, of loops; empty before the first
  std::vector<Scope> scopes_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> MergeEqualValues(Module& module, PassContext& context) {
  return Numbering(module, context).Run();
}

}  // namespace kiln::mid
