// Emits operations on partitions of a subgroup (SPV_NV_shader_subgroup_partitioned).
//
// A partition divides the active lanes into subsets; in each lane it is the ballot of the lane's
// own subset. Both OpGroupNonUniformPartitionNV, which makes a partition of the lanes with equal
// values, and the reductions and scans over the subsets become a loop whose turns each serve one
// subset: that of the first lane that still waits. Only its lanes are active at that time, so the
// ballot, reduction or scan over the active lanes is the subset's, on every target and for every
// type.
#include <vector>

#include "core/front/emit/value/subgroup_emitter.h"
#include "core/mir/immediates.h"

namespace kiln::front {

using mir::Op;

bool SubgroupEmitter::EmitPartition(const SpirvInst& inst) {
  Leaves key;
  if (!Get(inst.operand(3), &key)) return false;
  return Define(inst,
                ForEachSubset(key, kFourInts, [this] { return Ballot(builder().Bool(true)); }));
}

bool SubgroupEmitter::EmitPartitionedReduction(const SpirvInst& inst, Op op,
                                               absl::Span<const ValueId> operands) {
  Leaves ballot;
  if (inst.size() <= 6) return Malformed("partitioned operation without a ballot", inst.result);
  if (!GetBallot(inst, inst.operand(6), &ballot)) return false;
  // Bits beyond the subgroup are ignored, and may differ within a subset.
  const Leaves lanes = LaneMaskOf(mir::LaneMask::kAll);
  for (size_t i = 0; i < 4; ++i) ballot[i] = Emit(Op::kAnd, {ballot[i], lanes[i]});
  std::vector<mir::Type> types;
  for (ValueId v : operands) types.push_back(TypeOf(v));
  return Define(inst, ForEachSubset(ballot, types, [&] { return Reduce(inst, op, 0, operands); }));
}

// Returns true in lanes whose key equals that of the first active lane, which is always one of
// them: so that each turn ends the loop for a lane, a NaN equals those with the same bits. (The
// extension lets a NaN be in any subset of equal values or alone; zeros of both signs must be
// together.)
ValueId SubgroupEmitter::EqualsFirst(absl::Span<const ValueId> key) {
  ValueId equal = builder().Bool(true);
  for (ValueId v : key) {
    const ValueId first = Emit(Op::kReadFirst, {v});
    ValueId same = Emit(mir::IsFloat(TypeOf(v)) ? Op::kFeq : Op::kIeq, {v, first});
    if (mir::IsFloat(TypeOf(v))) {
      const ValueId bits = Emit(Op::kIeq, {builder().Bitcast(v), builder().Bitcast(first)});
      same = Emit(Op::kOr, {same, bits});
    }
    equal = Emit(Op::kAnd, {equal, same});
  }
  return equal;
}

// Emits the loop. Returns what `value_of_subset`, with leaves of these types, is where only the
// lanes with the same key are active. A helper lane whose turn has not come leaves with the first
// one: what it reads of other lanes is undefined, so that its turn may never come, and its results
// are undefined in any case.
Leaves SubgroupEmitter::ForEachSubset(absl::Span<const ValueId> key,
                                      absl::Span<const mir::Type> types,
                                      absl::FunctionRef<Leaves()> value_of_subset) {
  mir::Builder& b = builder();
  const mir::Builder::InsertionPoint outer = b.insertion_point();
  const mir::InstId loop = b.Loop();
  mir::SetResults(module(), loop, types);
  b.SetRegion(module().inst(loop).regions[0]);
  const mir::InstId turn = b.If(EqualsFirst(key));
  b.Continue();
  b.SetRegion(module().inst(turn).regions[0]);
  b.Break(value_of_subset());
  b.SetRegion(module().inst(turn).regions[1]);
  if (module().stage == mir::Stage::kFragment) {
    const mir::InstId helper = b.If(b.HelperInvocation());
    b.Yield();
    b.SetRegion(module().inst(helper).regions[0]);
    Leaves undefined;
    for (const mir::Type type : types) undefined.push_back(b.Undef(type));
    b.Break(undefined);
    b.SetRegion(module().inst(helper).regions[1]);
  }
  b.Yield();
  b.SetInsertionPoint(outer);
  Leaves results;
  for (size_t i = 0; i < types.size(); ++i) {
    results.push_back(module().result(loop, static_cast<int>(i)));
  }
  return results;
}

}  // namespace kiln::front
