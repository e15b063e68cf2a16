#include "core/amd/select/one_values.h"

#include <algorithm>

#include "absl/types/span.h"

namespace kiln::amd {
namespace {

using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

class Finder {
 public:
  Finder(const mir::Module& m, const mid::Divergence& divergence)
      : m_(m), divergence_(divergence), one_(m.values.size()) {}

  std::vector<bool> Run() {
    constexpr int kMaxSweeps = 16;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      changed_ = false;
      Region(m_.body, InstId());
      if (!changed_) return one_;
    }
    for (size_t v = 0; v < one_.size(); ++v) one_[v] = divergence_.Uniform(ValueId(v));
    return one_;
  }

 private:
  void Need(ValueId v) {
    if (!divergence_.Uniform(v) || one_[v.index]) return;
    one_[v.index] = true;
    changed_ = true;
  }

  // A jump carries v to `to`. Uniform integers and booleans are in scalar registers there.
  void Carry(ValueId v, ValueId to) {
    if (!divergence_.Uniform(to)) return;
    if (one_[to.index] || !mir::IsFloat(m_.value(to).type)) Need(v);
  }

  // Readers come after what they read, but for what loops carry.
  void Region(RegionId region, InstId owner) {
    const std::vector<InstId>& insts = m_.region(region).insts;
    for (size_t i = insts.size(); i-- > 0;) Visit(insts[i], owner);
  }

  void Visit(InstId id, InstId owner) {
    switch (m_.inst(id).op) {
      case Op::kIf:
        for (const RegionId side : m_.inst(id).regions) Region(side, id);
        return Need(m_.source(id, 0));
      case Op::kLoop: return Loop(id);
      case Op::kYield: return CarryToResults(id, owner);
      case Op::kBreak: return CarryToResults(id, loops_.back());
      case Op::kContinue: return CarryToParams(id, loops_.back());
      // These read what each lane has, in a vector register or a mask.
      case Op::kReduce:
      case Op::kInclusiveScan:
      case Op::kExclusiveScan:
      case Op::kSubgroupAny:
      case Op::kSubgroupAll:
      case Op::kBallot: return;
      default: return Straight(id);
    }
  }

  void Loop(InstId id) {
    loops_.push_back(id);
    Region(m_.inst(id).regions[0], id);
    loops_.pop_back();
    CarryToParams(id, id);
  }

  void CarryToResults(InstId jump, InstId owner) {
    const int count = std::min<int>(m_.inst(jump).num_sources, m_.inst(owner).num_results);
    for (int i = 0; i < count; ++i) Carry(m_.source(jump, i), m_.result(owner, i));
  }

  void CarryToParams(InstId jump, InstId loop) {
    const std::vector<ValueId>& params = m_.region(m_.inst(loop).regions[0]).params;
    for (size_t i = 0; i < params.size(); ++i) {
      Carry(m_.source(jump, static_cast<int>(i)), params[i]);
    }
  }

  // Returns true if each lane has a result of its own, or an effect, by its own sources, the number
  // of a descriptor excepted.
  bool IsByLane(InstId id) const {
    const mir::Inst& inst = m_.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    if (inst.op == Op::kLoadPush || inst.op == Op::kLoadConstant) return false;
    if (IsScalarLoad(m_, divergence_, id) || info.Has('S')) return false;
    return info.Has('P') || info.Has('R') || info.Has('W');
  }

  void Straight(InstId id) {
    const mir::Inst& inst = m_.inst(id);
    bool one = !IsByLane(id);
    for (int i = 0; i < inst.num_results; ++i) one |= one_[m_.result(id, i).index];
    const bool indexed = (inst.flags & mir::kIndexed) != 0;
    // The number of a descriptor is the first source, of texel operations any.
    const bool all = one || (indexed && mir::IsTexelOp(inst.op));
    const absl::Span<const ValueId> sources = m_.sources(id);
    for (const ValueId v : all ? sources : sources.subspan(0, indexed ? 1 : 0)) Need(v);
  }

  const mir::Module& m_;
  const mid::Divergence& divergence_;
  std::vector<bool> one_;
  std::vector<InstId> loops_;
  bool changed_ = false;
};

}  // namespace

bool IsScalarLoad(const mir::Module& m, const mid::Divergence& divergence, InstId id) {
  const mir::Inst& inst = m.inst(id);
  if (inst.op != Op::kLoadUbo && inst.op != Op::kLoadSsbo) return false;
  const uint32_t bytes = mir::BytesOf(m.value(m.result(id)).type);
  if (!divergence.Uniform(m.source(id, inst.num_sources - 1))) return false;
  if (bytes < 4 && inst.imm1 < 4) return false;
  if ((inst.flags & mir::kIndexed) != 0 && !divergence.Uniform(m.source(id, 0))) return false;
  if (inst.op == Op::kLoadUbo) return true;
  if ((inst.flags & (mir::kVolatile | mir::kCoherent)) != 0) return false;
  return m.resources[inst.imm0].unchanging;
}

std::vector<bool> FindOneValues(const mir::Module& m, const mid::Divergence& divergence) {
  return Finder(m, divergence).Run();
}

}  // namespace kiln::amd
