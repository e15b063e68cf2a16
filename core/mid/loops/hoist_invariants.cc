#include "core/mid/loops/hoist_invariants.h"

#include <algorithm>
#include <vector>

#include "core/base/bitset.h"
#include "core/mid/analysis/alias.h"
#include "core/mid/budgets.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

using List = std::vector<InstId>;

class Hoister {
 public:
  Hoister(Module& module, PassContext& context)
      : m_(module), b_(module), context_(context), level_(module.values.size()) {}

  bool Run() {
    Visit(m_.body, /*in_body=*/true);
    return moved_ > 0;
  }

 private:
  // A loop around the current instruction.
  struct Loop {
    List front;       // instructions to be put before it
    int hoisted = 0;  // values
  };

  void Visit(RegionId region, bool in_body) {
    for (ValueId p : m_.region(region).params) SetLevel(p, Depth());
    mir::RewriteRegion(b_, region, [&](InstId id) {
      const Inst inst = m_.inst(id);
      if (inst.op == Op::kLoop) {
        loops_.emplace_back();
        Visit(inst.regions[0], /*in_body=*/true);
        for (InstId moved : loops_.back().front) b_.Append(moved);
        loops_.pop_back();
      } else if (inst.op == Op::kIf) {
        for (RegionId side : inst.regions) Visit(side, /*in_body=*/false);
      } else if (const size_t level = LevelFor(id, in_body);
                 level < Depth() && context_.Rewrite()) {
        MoveTo(id, level);
        return false;
      }
      for (int r = 0; r < inst.num_results; ++r) SetLevel(m_.result(id, r), Depth());
      return true;
    });
  }

  size_t Depth() const { return loops_.size(); }
  void SetLevel(ValueId v, size_t level) { level_[v.index] = static_cast<uint32_t>(level); }

  // The number of loops that must stay around the instruction.
  size_t LevelFor(InstId id, bool in_body) const {
    const Inst& inst = m_.inst(id);
    const bool reads = IsPureRead(m_, id);
    const bool movable = inst.num_results > 0 && IsSpeculatable(m_, id) && (in_body || !reads) &&
                         m_.value(m_.result(id)).type != Type::kBool;
    if (!movable) return Depth();
    size_t level = 0;
    for (ValueId v : m_.sources(id)) level = std::max<size_t>(level, level_[v.index]);
    // A read moves out of one loop only: the next loop may contain this one under an if.
    if (reads) level = std::max(level, Depth() == 0 ? 0 : Depth() - 1);
    while (level < Depth() && loops_[level].hoisted + inst.num_results > budgets::kHoistedValues)
      ++level;
    return level;
  }

  void MoveTo(InstId id, size_t level) {
    loops_[level].front.push_back(id);
    for (size_t l = level; l < Depth(); ++l) loops_[l].hoisted += m_.inst(id).num_results;
    for (int r = 0; r < m_.inst(id).num_results; ++r) SetLevel(m_.result(id, r), level);
    ++moved_;
  }

  Module& m_;
  mir::Builder b_;
  PassContext& context_;
  std::vector<uint32_t> level_;  // by value: the number of loops around its definition
  std::vector<Loop> loops_;      // around, outermost first
  int64_t moved_ = 0;
};

// Implements TakeInvariants for one loop.
class Taker {
 public:
  explicit Taker(Module& module) : m_(module), owner_(module.values.size()) {}

  List Take(InstId loop) {
    const RegionId body = m_.inst(loop).regions[0];
    Walk(body, /*conditional=*/false);
    List taken = Wanted();
    if (!taken.empty()) Remove(body, taken);
    return taken;
  }

 private:
  // The definition of a value: outside of the loop, by an instruction that stays, or by an entry of
  // found_.
  enum : uint32_t { kOutside = 0, kStays = 1, kFirstFound = 2 };
  struct Found {
    InstId inst;
    bool wanted = false;
  };

  void Walk(RegionId region, bool conditional) {
    for (ValueId p : m_.region(region).params) owner_[p.index] = kStays;
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      uint32_t owner = kStays;
      if (Invariant(id)) {
        owner = kFirstFound + static_cast<uint32_t>(found_.size());
        found_.push_back({id, conditional});
      }
      for (int r = 0; r < inst.num_results; ++r) owner_[m_.result(id, r).index] = owner;
      for (int r = 0; r < inst.num_regions; ++r) Walk(inst.regions[r], true);
    }
  }

  bool Invariant(InstId id) const {
    const Inst& inst = m_.inst(id);
    if (inst.num_results != 1 || inst.num_sources == 0 || inst.op == Op::kFmul ||
        !IsSpeculatable(m_, id) || IsPureRead(m_, id)) {
      return false;
    }
    const absl::Span<const ValueId> sources = m_.sources(id);
    return std::none_of(sources.begin(), sources.end(),
                        [&](ValueId v) { return owner_[v.index] == kStays; });
  }

  // The first budgets::kHoistedValues values that are computed under a condition, and the
  // invariants that these are computed from.
  List Wanted() {
    int count = 0;
    for (Found& f : found_) f.wanted = f.wanted && ++count <= budgets::kHoistedValues;
    for (size_t i = found_.size(); i-- > 0;) {
      if (!found_[i].wanted) continue;
      for (ValueId v : m_.sources(found_[i].inst)) {
        const uint32_t owner = owner_[v.index];
        if (owner >= kFirstFound) found_[owner - kFirstFound].wanted = true;
      }
    }
    List list;
    for (const Found& f : found_) {
      if (f.wanted) list.push_back(f.inst);
    }
    return list;
  }

  void Remove(RegionId body, const List& taken) {
    BitSet out(m_.insts.size());
    for (InstId id : taken) out.set(id.index);
    std::vector<RegionId> regions;
    mir::ForEachRegion(m_, body, [&](RegionId r) { regions.push_back(r); });
    for (RegionId r : regions) {
      List& list = m_.region(r).insts;
      list.erase(
          std::remove_if(list.begin(), list.end(), [&](InstId id) { return out.test(id.index); }),
          list.end());
    }
  }

  Module& m_;
  std::vector<uint32_t> owner_;  // by value
  std::vector<Found> found_;
};

}  // namespace

List TakeInvariants(Module& module, InstId loop) { return Taker(module).Take(loop); }

absl::StatusOr<bool> HoistInvariants(Module& module, PassContext& context) {
  return Hoister(module, context).Run();
}

}  // namespace kiln::mid
