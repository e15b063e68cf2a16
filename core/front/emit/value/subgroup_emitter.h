// Emits operations between the lanes of a subgroup: emit_subgroup.cc, emit_partition.cc for those
// on partitions, and emit_vendor.cc for those of vendors' extensions.
#ifndef KILN_CORE_FRONT_EMIT_VALUE_SUBGROUP_EMITTER_H_
#define KILN_CORE_FRONT_EMIT_VALUE_SUBGROUP_EMITTER_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/immediates.h"
#include "core/mir/mir.h"

namespace kiln::front {

// The types of a ballot's leaves.
inline constexpr mir::Type kFourInts[] = {mir::Type::kI32, mir::Type::kI32, mir::Type::kI32,
                                          mir::Type::kI32};

class SubgroupEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitSubgroup(const SpirvInst& inst, bool* handled);
  bool SubgroupBuiltin(spv::BuiltIn builtin, uint32_t component, ValueId* value);

  // emit_vendor.cc
  bool EmitTrinary(const SpirvInst& inst);
  bool EmitVendorBallot(const SpirvInst& inst);

 private:
  bool EmitVote(const SpirvInst& inst, size_t first, mir::Op op);
  bool EmitAllEqual(const SpirvInst& inst, size_t first);
  bool EmitQuadVote(const SpirvInst& inst);
  bool EmitReduction(const SpirvInst& inst);
  // Reduces each operand by `op`, a reduction or scan, over the lanes of the whole subgroup or of a
  // cluster. The operands are of the operation's type.
  Leaves Reduce(const SpirvInst& inst, mir::Op op, uint32_t cluster,
                absl::Span<const ValueId> operands);
  Leaves FourInts(mir::InstId inst);
  Leaves LaneMaskOf(mir::LaneMask mask);
  Leaves Ballot(ValueId predicate);
  ValueId BallotBit(absl::Span<const ValueId> ballot, ValueId index);
  bool EmitBallot(const SpirvInst& inst, size_t first);
  // Gets a ballot: a vector of four 32-bit integers.
  bool GetBallot(const SpirvInst& inst, uint32_t id, Leaves* ballot);
  bool EmitBallotCount(const SpirvInst& inst, absl::Span<const ValueId> ballot);
  bool EmitBallotSearch(const SpirvInst& inst, absl::Span<const ValueId> ballot);
  bool DefineCount(const SpirvInst& inst, ValueId count);
  bool EmitLaneRead(const SpirvInst& inst, size_t first);
  bool LaneOperand(const SpirvInst& inst, uint32_t id, ValueId* operand);
  bool SourceLane(const SpirvInst& inst, ValueId operand, mir::Op* op, uint32_t* imm,
                  ValueId* lane);

  // emit_vendor.cc
  bool EmitReadOrZero(const SpirvInst& inst, ValueId lane);

  // emit_partition.cc
  bool EmitPartition(const SpirvInst& inst);
  bool EmitPartitionedReduction(const SpirvInst& inst, mir::Op op,
                                absl::Span<const ValueId> operands);
  ValueId EqualsFirst(absl::Span<const ValueId> key);
  Leaves ForEachSubset(absl::Span<const ValueId> key, absl::Span<const mir::Type> types,
                       absl::FunctionRef<Leaves()> value_of_subset);
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_VALUE_SUBGROUP_EMITTER_H_
