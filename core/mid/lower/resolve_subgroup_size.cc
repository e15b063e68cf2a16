#include "core/mid/lower/resolve_subgroup_size.h"

#include <cassert>

#include "core/mid/analysis/divergence.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::LaneMask;
using mir::Module;
using mir::Op;
using mir::ValueId;

class Resolver {
 public:
  Resolver(Module& module, uint32_t size)
      : m_(module), divergence_(module), b_(module), replace_(module), size_(size) {}

  void Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) { return !Resolved(id); });
    replace_.Apply(m_);
  }

 private:
  void Become(InstId id, int result, ValueId v) { replace_.Replace(m_.result(id, result), v); }

  // Returns true if the instruction was replaced.
  bool Resolved(InstId id) {
    Inst& inst = m_.inst(id);
    switch (inst.op) {
      case Op::kSubgroupSize: Become(id, 0, b_.Int(size_)); return true;
      case Op::kNumSubgroups: {
        const uint32_t lanes = m_.local_size[0] * m_.local_size[1] * m_.local_size[2];
        Become(id, 0, b_.Int((lanes + size_ - 1) / size_));
        return true;
      }
      case Op::kLaneMask: {
        const auto mask = static_cast<LaneMask>(inst.imm0);
        for (int i = 0; i < 4; ++i) Become(id, i, HasDword(i) ? Mask(mask, i) : b_.Int(0));
        return true;
      }
      case Op::kBallot:
        for (int i = 0; i < 4; ++i) {
          if (!HasDword(i)) Become(id, i, b_.Int(0));
        }
        if (!IsBallotOfAll(id)) return false;
        for (int i = 0; i < 4; ++i) {
          if (HasDword(i)) Become(id, i, AllLanes());
        }
        return true;
      case Op::kReduce:
        if (inst.imm1 >= size_) inst.imm1 = 0;
        return false;
      default: return false;
    }
  }

  // Returns true for a dword of a mask that has bits of lanes.
  bool HasDword(int dword) const { return size_ > 32 * static_cast<uint32_t>(dword); }

  // Returns a dword of the mask of all lanes; all that have one have the same.
  ValueId AllLanes() { return b_.Int(size_ >= 32 ? ~0u : (1u << size_) - 1); }

  // Returns true for a ballot of true at which all lanes of full subgroups are active.
  bool IsBallotOfAll(InstId id) const {
    const mir::Value& vote = m_.value(m_.source(id, 0));
    const uint32_t lanes = m_.local_size[0] * m_.local_size[1] * m_.local_size[2];
    return vote.kind == mir::Value::Kind::kConstant && vote.bits != 0 && lanes % size_ == 0 &&
           divergence_.AllLanesAt(id);
  }

  // Returns the lane's own bit in a dword of a mask, and the bits of lanes below it.
  struct OwnBit {
    ValueId me;
    ValueId below;
  };
  OwnBit OwnBitIn(int dword) {
    const ValueId lane = b_.SubgroupInvocation();
    const ValueId bit = b_.Shl(b_.Int(1), lane);  // counts wrap at 32
    if (size_ <= 32) return {bit, b_.Isub(bit, b_.Int(1))};
    // The lane is in this dword, in a lower one, or in a higher one.
    const ValueId low = b_.Ult(lane, b_.Int(32));
    const ValueId here = dword == 0 ? low : b_.Not(low);
    return {b_.Select(here, bit, b_.Int(0)),
            b_.Select(here, b_.Isub(bit, b_.Int(1)), b_.Int(dword == 0 ? ~0u : 0))};
  }

  // Returns a dword of the mask.
  ValueId Mask(LaneMask mask, int dword) {
    const ValueId all = AllLanes();
    if (mask == LaneMask::kAll) return all;
    const auto [me, below] = OwnBitIn(dword);
    switch (mask) {
      case LaneMask::kEqual: return me;
      case LaneMask::kLess: return below;
      case LaneMask::kLessEqual: return b_.Or(me, below);
      case LaneMask::kGreaterEqual: return b_.And(b_.Not(below), all);
      default: return b_.And(b_.Not(b_.Or(me, below)), all);
    }
  }

  Module& m_;
  const Divergence divergence_;
  mir::Builder b_;
  mir::Replacements replace_;
  const uint32_t size_;
};

}  // namespace

bool DependsOnSubgroupSize(const Module& module) {
  bool found = false;
  mir::ForEachInst(module, module.body, [&](InstId id) {
    const Inst& inst = module.inst(id);
    switch (inst.op) {
      case Op::kSubgroupSize:
      case Op::kNumSubgroups:
      case Op::kLaneMask:
      case Op::kBallot: found = true; break;
      case Op::kReduce: found |= inst.imm1 != 0; break;
      default: break;
    }
  });
  return found;
}

void ResolveSubgroupSize(Module& module, uint32_t size) {
  assert(size <= 64 && (size & (size - 1)) == 0);
  Resolver(module, size).Run();
}

}  // namespace kiln::mid
