#include "core/mid/hoist_invariants.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/mid/alias.h"
#include "core/mir/build.h"

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

// Half of the registers that a thread has for values of eight lanes, were each of them alive.
constexpr int kMaxHoisted = 32;

class Hoister {
 public:
  Hoister(Module& module, PassContext& context)
      : m_(module), context_(context), level_(module.values.size()) {}

  bool Run() {
    Visit(m_.body, /*in_body=*/true);
    return moved_ > 0;
  }

 private:
  // A loop being walked.
  struct Loop {
    List front;           // what goes in front of it
    int hoisted = 0;      // values
  };

  void Visit(RegionId region, bool in_body) {
    for (ValueId p : m_.region(region).params) SetLevel(p, Depth());
    List old;
    old.swap(m_.region(region).insts);
    List list;
    list.reserve(old.size());
    for (InstId id : old) {
      const Inst inst = m_.inst(id);
      if (inst.op == Op::kLoop) {
        loops_.emplace_back();
        Visit(inst.regions[0], /*in_body=*/true);
        list.insert(list.end(), loops_.back().front.begin(), loops_.back().front.end());
        loops_.pop_back();
      } else if (inst.op == Op::kIf) {
        for (RegionId side : inst.regions) Visit(side, /*in_body=*/false);
      } else if (const size_t level = LevelFor(id, in_body); level < Depth() && context_.Rewrite()) {
        MoveTo(id, level);
        continue;
      }
      list.push_back(id);
      for (int r = 0; r < inst.num_results; ++r) SetLevel(m_.result(id, r), Depth());
    }
    m_.region(region).insts = std::move(list);
  }

  size_t Depth() const { return loops_.size(); }
  void SetLevel(ValueId v, size_t level) { level_[v.index] = static_cast<uint32_t>(level); }

  // How many loops must stay around the instruction.
  size_t LevelFor(InstId id, bool in_body) const {
    const Inst& inst = m_.inst(id);
    const bool reads = IsPureRead(m_, id);
    // A descriptor's index may be out of range wherever the program does not use it: behind its
    // guard, in a loop that breaks at once.
    const bool movable = IsPure(m_, id) && inst.num_results > 0 &&
                         (inst.flags & (mir::kVolatile | mir::kIndexed)) == 0 &&
                         (in_body || !reads) &&
                         m_.value(m_.result(id)).type != Type::kBool;
    if (!movable) return Depth();
    size_t level = 0;
    for (ValueId v : m_.sources(id)) level = std::max<size_t>(level, level_[v.index]);
    // A read moves one loop at a time: the loop around may hold it under an if.
    if (reads) level = std::max(level, Depth() == 0 ? 0 : Depth() - 1);
    while (level < Depth() && loops_[level].hoisted + inst.num_results > kMaxHoisted) ++level;
    return level;
  }

  void MoveTo(InstId id, size_t level) {
    loops_[level].front.push_back(id);
    for (size_t l = level; l < Depth(); ++l) loops_[l].hoisted += m_.inst(id).num_results;
    for (int r = 0; r < m_.inst(id).num_results; ++r) SetLevel(m_.result(id, r), level);
    ++moved_;
  }

  Module& m_;
  PassContext& context_;
  std::vector<uint32_t> level_;   // by value: loops around its definition
  std::vector<Loop> loops_;       // around, outermost first
  int64_t moved_ = 0;
};

}  // namespace

absl::StatusOr<bool> HoistInvariants(Module& module, PassContext& context) {
  return Hoister(module, context).Run();
}

}  // namespace kiln::mid
