#include "core/mid/values/simplify_subgroups.h"

#include <optional>
#include <vector>

#include "core/mid/analysis/divergence.h"
#include "core/mir/build.h"
#include "core/mir/reduce.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::LaneMask;
using mir::Module;
using mir::Op;
using mir::ReduceOp;
using mir::Type;
using mir::ValueId;

constexpr Type kFourInts[] = {Type::kI32, Type::kI32, Type::kI32, Type::kI32};

class Simplifier {
 public:
  Simplifier(Module& module, PassContext& context)
      : m_(module), context_(context), divergence_(module), b_(module), replace_(module) {}

  bool Run() {
    FindRacing();
    mir::RewriteInsts(b_, m_.body, [&](InstId id) { return Visit(id); });
    replace_.Apply(m_);
    return changed_;
  }

 private:
  // Returns true if the instruction stays.
  bool Visit(InstId id) {
    replace_.Resolve(m_, id);
    if (!mir::Info(m_.inst(id).op).Has('X') || !Replaced(id)) return true;
    changed_ = true;
    return false;
  }

  // Returns true if the instruction was replaced.
  bool Replaced(InstId id) {
    const Inst inst = m_.inst(id);
    if (inst.num_sources == 0 || inst.num_results == 0) return false;
    const ValueId source = m_.source(id, 0);
    if (inst.op == Op::kBallot) return FalseBallot(id, source);
    // The analysis does not know values that this pass created, and need not.
    if (source.index >= known_values_ || !divergence_.Uniform(source)) return false;
    if (racing_[source.index]) return false;
    switch (inst.op) {
      case Op::kSubgroupAny:
      case Op::kSubgroupAll:
      case Op::kReadFirst:
      case Op::kReadLane:
      case Op::kShuffle:
      case Op::kQuadBroadcast:
      case Op::kQuadSwap: return Become(id, source);
      case Op::kReduce:
      case Op::kInclusiveScan:
      case Op::kExclusiveScan: return Scan(id, inst, source);
      default: return false;
    }
  }

  // Marks the values that may come from a load that finds another value in each lane, should
  // another subgroup write there meanwhile: what lanes exchange is the same for all of them even
  // then. Values that control flow joins count as such if the module has such a load.
  void FindRacing() {
    racing_.resize(m_.values.size());
    bool any = false;
    mir::ForEachInst(m_, m_.body, [&](InstId id) { any |= IsRacingLoad(id); });
    if (!any) return;
    for (size_t v = 0; v < m_.values.size(); ++v) {
      racing_[v] = m_.value(ValueId(v)).kind == mir::Value::Kind::kParam;
    }
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      bool racing = mir::Info(m_.inst(id).op).Has('N') || IsRacingLoad(id);
      for (const ValueId source : m_.sources(id)) racing |= racing_[source.index];
      for (int i = 0; i < m_.inst(id).num_results; ++i) racing_[m_.result(id, i).index] = racing;
    });
  }

  // Others may not race: the result would be undefined (Vulkan memory model, "Data-race").
  bool IsRacingLoad(InstId id) const {
    return mir::Info(m_.inst(id).op).Has('R') && (m_.inst(id).flags & mir::kCoherent) != 0;
  }

  bool Become(InstId id, ValueId v) {
    if (!context_.Rewrite()) return false;
    replace_.Replace(m_.result(id), v);
    return true;
  }

  bool FalseBallot(InstId id, ValueId source) {
    if (!m_.IsConstant(source) || m_.value(source).bits != 0 || !context_.Rewrite()) return false;
    for (int i = 0; i < 4; ++i) replace_.Replace(m_.result(id, i), b_.Int(0));
    return true;
  }

  bool Scan(InstId id, const Inst& inst, ValueId v) {
    const auto op = static_cast<ReduceOp>(inst.imm0);
    const Type type = m_.value(v).type;
    if (mir::IsIdempotent(op)) {
      if (inst.op != Op::kExclusiveScan) return Become(id, v);
      if (!context_.Rewrite()) return false;
      const ValueId identity = b_.Constant(type, mir::IdentityOf(op, type));
      replace_.Replace(m_.result(id), b_.Select(b_.Emit(Op::kSubgroupElect, {}), identity, v));
      return true;
    }
    const bool counts = op == ReduceOp::kIadd || (op == ReduceOp::kXor && type != Type::kBool);
    if (!counts || inst.imm1 != 0 || !context_.Rewrite()) return false;
    ValueId count = CountLanes(inst.op);
    if (op == ReduceOp::kXor) count = b_.And(count, b_.Int(1));
    if (type == Type::kI64) count = b_.Convert(Op::kZext, count, type);
    if (mir::BitsOf(type) < 32) count = b_.Convert(Op::kTrunc, count, type);
    replace_.Replace(m_.result(id), b_.Imul(v, count));
    return true;
  }

  // The number of active lanes that take part in a lane's scan.
  ValueId CountLanes(Op scan) {
    const InstId active = b_.EmitInst(Op::kBallot, {b_.Bool(true)}, kFourInts);
    std::optional<InstId> lanes;
    if (scan != Op::kReduce) {
      const LaneMask mask = scan == Op::kInclusiveScan ? LaneMask::kLessEqual : LaneMask::kLess;
      lanes = b_.EmitInst(Op::kLaneMask, {}, kFourInts, static_cast<uint32_t>(mask));
    }
    ValueId count = b_.Int(0);
    for (int i = 0; i < 4; ++i) {
      ValueId bits = m_.result(active, i);
      if (lanes) bits = b_.And(bits, m_.result(*lanes, i));
      count = b_.Iadd(count, b_.BitCount(bits));
    }
    return count;
  }

  Module& m_;
  PassContext& context_;
  const Divergence divergence_;
  const size_t known_values_ = m_.values.size();
  mir::Builder b_;
  mir::Replacements replace_;
  std::vector<bool> racing_;  // by value
  bool changed_ = false;
};

bool HasExchanges(const Module& m) {
  bool found = false;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    found = found || (mir::Info(m.inst(id).op).Has('X') && m.inst(id).num_sources != 0);
  });
  return found;
}

}  // namespace

absl::StatusOr<bool> SimplifySubgroups(Module& module, PassContext& context) {
  if (!HasExchanges(module)) return false;
  return Simplifier(module, context).Run();
}

}  // namespace kiln::mid
