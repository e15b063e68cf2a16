#include "core/mid/loops/sink_values.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/mid/analysis/alias.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

using List = std::vector<InstId>;

class Sinker {
 public:
  Sinker(Module& module, PassContext& context)
      : m_(module),
        context_(context),
        positions_(module.regions.size()),
        use_(module.values.size()) {}

  bool Run() {
    Enter(m_.body, RegionId(), m_.body);
    Visit(m_.body);
    for (size_t r = 0; r < positions_.size(); ++r) {
      List& insts = m_.regions[r].insts;
      insts.insert(insts.begin(), positions_[r].front.rbegin(), positions_[r].front.rend());
    }
    return moved_ > 0;
  }

 private:
  // The position of a region in the tree.
  struct Position {
    RegionId parent;
    RegionId loop;  // body of the innermost loop around it, or the module's
    int depth = 0;
    List front;  // instructions sunk to here, last first
  };

  Position& PositionOf(RegionId r) { return positions_[r.index]; }

  void Enter(RegionId region, RegionId parent, RegionId loop) {
    PositionOf(region).parent = parent;
    PositionOf(region).loop = loop;
    PositionOf(region).depth = parent.valid() ? PositionOf(parent).depth + 1 : 0;
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      for (int r = 0; r < inst.num_regions; ++r) {
        Enter(inst.regions[r], region, inst.op == Op::kLoop ? inst.regions[r] : loop);
      }
    }
  }

  // The innermost region that contains both.
  RegionId Common(RegionId a, RegionId b) {
    while (a != b) {
      if (PositionOf(a).depth >= PositionOf(b).depth) {
        a = PositionOf(a).parent;
      } else {
        b = PositionOf(b).parent;
      }
    }
    return a;
  }

  void NoteUses(InstId id, RegionId region) {
    for (ValueId v : m_.sources(id)) {
      RegionId& use = use_[v.index];
      use = use.valid() ? Common(use, region) : region;
    }
  }

  // Visits the last instruction first: all uses of an instruction's results are known when it is
  // met.
  void Visit(RegionId region) {
    List kept;
    const List old = m_.region(region).insts;
    for (size_t i = old.size(); i-- > 0;) {
      const InstId id = old[i];
      for (int r = m_.inst(id).num_regions; r-- > 0;) Visit(m_.inst(id).regions[r]);
      const RegionId target = TargetOf(id, region);
      if (target != region && context_.Rewrite()) {
        PositionOf(target).front.push_back(id);
        NoteUses(id, target);
        ++moved_;
      } else {
        NoteUses(id, region);
        kept.push_back(id);
      }
    }
    std::reverse(kept.begin(), kept.end());
    m_.region(region).insts = std::move(kept);
  }

  RegionId TargetOf(InstId id, RegionId region) {
    const Inst& inst = m_.inst(id);
    if (!IsPure(m_, id) || inst.num_results == 0 || (inst.flags & mir::kVolatile)) {
      return region;
    }
    RegionId use;
    for (int r = 0; r < inst.num_results; ++r) {
      const RegionId here = use_[m_.result(id, r).index];
      if (here.valid()) use = use.valid() ? Common(use, here) : here;
    }
    if (!use.valid() || Prolonged(id) > inst.num_results) return region;
    while (PositionOf(use).loop != PositionOf(region).loop) use = PositionOf(use).parent;
    return use;
  }

  // The number of sources without later uses, whose live ranges would grow if the instruction sank.
  int Prolonged(InstId id) const {
    const absl::Span<const ValueId> sources = m_.sources(id);
    int count = 0;
    for (size_t i = 0; i < sources.size(); ++i) {
      const mir::Value::Kind kind = m_.value(sources[i]).kind;
      const bool defined = kind == mir::Value::Kind::kResult || kind == mir::Value::Kind::kParam;
      const bool again =
          std::find(sources.begin(), sources.begin() + i, sources[i]) != sources.begin() + i;
      count += defined && !again && !use_[sources[i].index].valid();
    }
    return count;
  }

  Module& m_;
  PassContext& context_;
  std::vector<Position> positions_;  // by region
  std::vector<RegionId> use_;        // by value: the innermost region that contains the uses seen
  int64_t moved_ = 0;
};

}  // namespace

absl::StatusOr<bool> SinkValues(Module& module, PassContext& context) {
  return Sinker(module, context).Run();
}

}  // namespace kiln::mid
