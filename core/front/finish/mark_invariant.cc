#include "core/front/finish/mark_invariant.h"

#include <algorithm>
#include <vector>

#include "core/base/bitset.h"
#include "core/mir/build.h"

namespace kiln::front {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::Value;
using mir::ValueId;

class Marker {
 public:
  explicit Marker(mir::Module& module)
      : m_(module),
        reached_(module.values.size()),
        decided_(module.regions.size()),
        left_(module.insts.size()),
        owner_(module.regions.size()),
        region_of_(module.insts.size()),
        jumps_(module.insts.size()),
        stores_(module.private_arrays.size()) {}

  void Run() {
    Collect(m_.body, InstId());
    mir::ForEachInst(m_, m_.body, [this](InstId id) {
      const Inst& inst = m_.inst(id);
      if (inst.op == Op::kStoreOutput && m_.outputs[inst.imm0].invariant) ReachEffect(id);
    });
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      Follow(m_.value(v));
    }
  }

 private:
  void Collect(RegionId region, InstId loop) {
    for (const InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      region_of_[id.index] = region;
      if (inst.op == Op::kBreak || inst.op == Op::kContinue) jumps_[loop.index].push_back(id);
      if (inst.op == Op::kStorePrivate) stores_[inst.imm0].push_back(id);
      const bool memory = mir::Info(inst.op).Has('W') && inst.op != Op::kStorePrivate;
      if (memory && inst.op != Op::kStoreOutput) writes_.push_back(id);
      for (int r = 0; r < inst.num_regions; ++r) {
        owner_[inst.regions[r].index] = id;
        Collect(inst.regions[r], inst.op == Op::kLoop ? id : loop);
      }
    }
  }

  void Reach(ValueId v) {
    if (reached_.test(v.index)) return;
    reached_.set(v.index);
    work_.push_back(v);
  }

  // Reaches the operands of an effect, and the conditions of its execution.
  void ReachEffect(InstId id) {
    for (const ValueId v : m_.sources(id)) Reach(v);
    ReachDecisions(region_of_[id.index], InstId());
  }

  // Reaches the conditions that decide which invocations execute a region, from it outwards up to
  // `end` (invalid: up to the body).
  void ReachDecisions(RegionId region, InstId end) {
    while (region.index != m_.body.index && owner_[region.index] != end) {
      const InstId owner = owner_[region.index];
      if (m_.inst(owner).op == Op::kIf) {
        Reach(m_.source(owner, 0));
      } else {
        ReachTurns(owner);
      }
      if (!end.valid()) {
        if (decided_.test(region.index)) return;
        decided_.set(region.index);
      }
      region = region_of_[owner.index];
    }
  }

  // Reaches the conditions that decide how often a loop runs and by which of its jumps it is left.
  void ReachTurns(InstId loop) {
    if (left_.test(loop.index)) return;
    left_.set(loop.index);
    for (const InstId jump : jumps_[loop.index]) ReachDecisions(region_of_[jump.index], loop);
  }

  void ReachSources(const std::vector<InstId>& insts, Op op, uint32_t n) {
    for (const InstId id : insts) {
      if (m_.inst(id).op == op) Reach(m_.source(id, static_cast<int>(n)));
    }
  }

  void Follow(const Value& value) {
    if (value.kind == Value::Kind::kParam) {
      const InstId loop = owner_[value.owner];
      Reach(m_.source(loop, value.component));
      ReachSources(jumps_[loop.index], Op::kContinue, value.component);
      ReachTurns(loop);
    } else if (value.kind == Value::Kind::kResult) {
      FollowResult(InstId(value.owner), value.component);
    }
  }

  void FollowResult(InstId id, uint32_t n) {
    Inst& inst = m_.inst(id);
    if (inst.op == Op::kIf) {
      Reach(m_.source(id, 0));
      for (int r = 0; r < 2; ++r) {
        ReachSources({m_.region(inst.regions[r]).insts.back()}, Op::kYield, n);
      }
      return;
    }
    if (inst.op == Op::kLoop) {
      ReachSources(jumps_[id.index], Op::kBreak, n);
      ReachTurns(id);
      return;
    }
    for (const ValueId v : m_.sources(id)) Reach(v);
    const mir::OpInfo& info = mir::Info(inst.op);
    if (info.Has('P') && info.signature[0] == 'f') inst.flags |= mir::kExact;
    if (inst.op == Op::kLoadPrivate) {
      ReachEffects(stores_[inst.imm0]);
    } else if (info.Has('R')) {
      ReachEffects(writes_);
    }
    // The result depends on which other lanes execute the instruction.
    if (info.Has('X')) ReachDecisions(region_of_[id.index], InstId());
  }

  // Reaches each list only once, since it empties it.
  void ReachEffects(std::vector<InstId>& insts) {
    const std::vector<InstId> these = std::move(insts);
    insts.clear();
    for (const InstId id : these) ReachEffect(id);
  }

  mir::Module& m_;
  BitSet reached_;                           // values
  BitSet decided_;                           // regions whose conditions are reached
  BitSet left_;                              // loops whose conditions are reached
  std::vector<InstId> owner_;                // by region
  std::vector<RegionId> region_of_;          // by instruction
  std::vector<std::vector<InstId>> jumps_;   // by loop
  std::vector<std::vector<InstId>> stores_;  // by private array
  std::vector<InstId> writes_;               // to memory that other invocations see
  std::vector<ValueId> work_;
};

}  // namespace

void MarkInvariant(mir::Module& module) {
  const bool any = std::any_of(module.outputs.begin(), module.outputs.end(),
                               [](const mir::Interface& v) { return v.invariant; });
  if (any) Marker(module).Run();
}

}  // namespace kiln::front
