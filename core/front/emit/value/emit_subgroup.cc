// Emits operations between the lanes of a subgroup, and its built-in variables.
//
// Votes, ballots, reductions, scans and reads of other lanes are MIR ops. Operations that only
// compute with ballots (bit counts, extraction, searching) become integer arithmetic on the four
// dwords, masked to the existing lanes; relative shuffles and rotations become shuffles. The older
// extensions (shader_ballot, subgroup_vote) have the same operations without a scope. Operations on
// partitions are emit_partition.cc's.
#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/value/subgroup_emitter.h"
#include "core/front/grammar/opcode_rows.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/mir/immediates.h"

namespace kiln::front {
namespace {

using mir::LaneMask;
using mir::Op;
using mir::ReduceOp;

struct ReduceRow {
  spv::Op spirv;
  ReduceOp op;
};

constexpr ReduceRow kReductions[] = {
    {spv::Op::OpGroupNonUniformIAdd, ReduceOp::kIadd},
    {spv::Op::OpGroupNonUniformFAdd, ReduceOp::kFadd},
    {spv::Op::OpGroupNonUniformIMul, ReduceOp::kImul},
    {spv::Op::OpGroupNonUniformFMul, ReduceOp::kFmul},
    {spv::Op::OpGroupNonUniformSMin, ReduceOp::kImin},
    {spv::Op::OpGroupNonUniformUMin, ReduceOp::kUmin},
    {spv::Op::OpGroupNonUniformFMin, ReduceOp::kFmin},
    {spv::Op::OpGroupNonUniformSMax, ReduceOp::kImax},
    {spv::Op::OpGroupNonUniformUMax, ReduceOp::kUmax},
    {spv::Op::OpGroupNonUniformFMax, ReduceOp::kFmax},
    {spv::Op::OpGroupNonUniformBitwiseAnd, ReduceOp::kAnd},
    {spv::Op::OpGroupNonUniformBitwiseOr, ReduceOp::kOr},
    {spv::Op::OpGroupNonUniformBitwiseXor, ReduceOp::kXor},
    {spv::Op::OpGroupNonUniformLogicalAnd, ReduceOp::kAnd},
    {spv::Op::OpGroupNonUniformLogicalOr, ReduceOp::kOr},
    {spv::Op::OpGroupNonUniformLogicalXor, ReduceOp::kXor},
    // Instructions of the capability Groups, and of SPV_AMD_shader_ballot: the same operands.
    {spv::Op::OpGroupIAdd, ReduceOp::kIadd},
    {spv::Op::OpGroupFAdd, ReduceOp::kFadd},
    {spv::Op::OpGroupFMin, ReduceOp::kFmin},
    {spv::Op::OpGroupUMin, ReduceOp::kUmin},
    {spv::Op::OpGroupSMin, ReduceOp::kImin},
    {spv::Op::OpGroupFMax, ReduceOp::kFmax},
    {spv::Op::OpGroupUMax, ReduceOp::kUmax},
    {spv::Op::OpGroupSMax, ReduceOp::kImax},
    {spv::Op::OpGroupIAddNonUniformAMD, ReduceOp::kIadd},
    {spv::Op::OpGroupFAddNonUniformAMD, ReduceOp::kFadd},
    {spv::Op::OpGroupFMinNonUniformAMD, ReduceOp::kFmin},
    {spv::Op::OpGroupUMinNonUniformAMD, ReduceOp::kUmin},
    {spv::Op::OpGroupSMinNonUniformAMD, ReduceOp::kImin},
    {spv::Op::OpGroupFMaxNonUniformAMD, ReduceOp::kFmax},
    {spv::Op::OpGroupUMaxNonUniformAMD, ReduceOp::kUmax},
    {spv::Op::OpGroupSMaxNonUniformAMD, ReduceOp::kImax},
};

const ReduceRow* Row(spv::Op op) { return RowOf<kReductions, &ReduceRow::spirv>(op); }

// Returns true for instructions of the extensions before SPIR-V 1.3, which have no scope operand.
bool IsKhrForm(spv::Op op) {
  switch (op) {
    case spv::Op::OpSubgroupBallotKHR:
    case spv::Op::OpSubgroupFirstInvocationKHR:
    case spv::Op::OpSubgroupAllKHR:
    case spv::Op::OpSubgroupAnyKHR:
    case spv::Op::OpSubgroupAllEqualKHR:
    case spv::Op::OpSubgroupReadInvocationKHR: return true;
    default: return false;
  }
}

// Returns true for instructions of SPV_KHR_quad_control, which have no scope operand either.
bool IsQuadVote(spv::Op op) {
  return op == spv::Op::OpGroupNonUniformQuadAllKHR || op == spv::Op::OpGroupNonUniformQuadAnyKHR;
}

bool IsSubgroupOp(spv::Op op) {
  const auto in = [op](spv::Op first, spv::Op last) { return op >= first && op <= last; };
  return in(spv::Op::OpGroupNonUniformElect, spv::Op::OpGroupNonUniformQuadSwap) ||
         op == spv::Op::OpGroupNonUniformRotateKHR || op == spv::Op::OpGroupNonUniformPartitionNV ||
         IsQuadVote(op) || IsKhrForm(op) || Row(op) != nullptr;
}

// Returns true if the operator combines values of this type.
bool Reduces(ReduceOp op, mir::Type type) {
  switch (mir::Info(mir::OpOf(op)).signature[0]) {
    case 'f': return mir::IsFloat(type);
    case 'i': return mir::IsInt(type);
    default: return !mir::IsFloat(type);
  }
}

}  // namespace

bool SubgroupEmitter::EmitSubgroup(const SpirvInst& inst, bool* handled) {
  *handled = IsSubgroupOp(inst.op);
  if (!*handled) return true;
  if (Supported(inst.type) == nullptr) return false;
  if (IsQuadVote(inst.op)) return EmitQuadVote(inst);
  if (inst.op == spv::Op::OpGroupNonUniformPartitionNV) return EmitPartition(inst);
  size_t first = 3;
  if (!IsKhrForm(inst.op)) {
    uint32_t scope = 0;
    if (!Semantics(inst.operand(3), &scope)) return false;
    if (static_cast<spv::Scope>(scope) != spv::Scope::Subgroup) {
      return Refuse("group_scope", "group operation", inst.result);
    }
    first = 4;
  }
  if (Row(inst.op) != nullptr) return EmitReduction(inst);
  switch (inst.op) {
    case spv::Op::OpGroupNonUniformElect: return Define(inst, {Emit(Op::kSubgroupElect, {})});
    case spv::Op::OpGroupNonUniformAll:
    case spv::Op::OpSubgroupAllKHR: return EmitVote(inst, first, Op::kSubgroupAll);
    case spv::Op::OpGroupNonUniformAny:
    case spv::Op::OpSubgroupAnyKHR: return EmitVote(inst, first, Op::kSubgroupAny);
    case spv::Op::OpGroupNonUniformAllEqual:
    case spv::Op::OpSubgroupAllEqualKHR: return EmitAllEqual(inst, first);
    case spv::Op::OpGroupNonUniformBallot:
    case spv::Op::OpSubgroupBallotKHR:
    case spv::Op::OpGroupNonUniformInverseBallot:
    case spv::Op::OpGroupNonUniformBallotBitExtract:
    case spv::Op::OpGroupNonUniformBallotBitCount:
    case spv::Op::OpGroupNonUniformBallotFindLSB:
    case spv::Op::OpGroupNonUniformBallotFindMSB: return EmitBallot(inst, first);
    default: return EmitLaneRead(inst, first);
  }
}

bool SubgroupEmitter::EmitVote(const SpirvInst& inst, size_t first, Op op) {
  ValueId predicate;
  if (!GetScalar(inst.operand(first), mir::Type::kBool, &predicate)) return false;
  return Define(inst, {Emit(op, {predicate})});
}

// Emits the vote that every component equals the first active lane's, in all lanes.
bool SubgroupEmitter::EmitAllEqual(const SpirvInst& inst, size_t first) {
  Leaves leaves;
  if (!Get(inst.operand(first), &leaves)) return false;
  ValueId all = builder().Bool(true);
  for (ValueId v : leaves) {
    const Op equal = mir::IsFloat(TypeOf(v)) ? Op::kFeq : Op::kIeq;
    const ValueId same = Emit(equal, {v, Emit(Op::kReadFirst, {v})});
    all = Emit(Op::kAnd, {all, same});
  }
  return ok() && Define(inst, {Emit(Op::kSubgroupAll, {all})});
}

// Emits a vote of the active lanes of a quad, including helper lanes: a reduction of four lanes,
// which includes them.
bool SubgroupEmitter::EmitQuadVote(const SpirvInst& inst) {
  ValueId predicate;
  if (!GetScalar(inst.operand(3), mir::Type::kBool, &predicate)) return false;
  const bool all = inst.op == spv::Op::OpGroupNonUniformQuadAllKHR;
  const auto reduce = static_cast<uint32_t>(all ? ReduceOp::kAnd : ReduceOp::kOr);
  return Define(inst, {module().result(builder().EmitInst(Op::kReduce, {predicate},
                                                          {mir::Type::kBool}, reduce, 4))});
}

bool SubgroupEmitter::EmitReduction(const SpirvInst& inst) {
  uint32_t cluster = 0;
  Leaves operands;
  if (!Operands(inst, 5, 1, &operands)) return false;
  for (ValueId v : operands) {
    if (!Reduces(Row(inst.op)->op, TypeOf(v))) {
      return Malformed("operand is not of the operation's type", inst.result);
    }
  }
  switch (static_cast<spv::GroupOperation>(inst.operand(4))) {
    case spv::GroupOperation::Reduce: break;
    case spv::GroupOperation::InclusiveScan:
      return Define(inst, Reduce(inst, Op::kInclusiveScan, 0, operands));
    case spv::GroupOperation::ExclusiveScan:
      return Define(inst, Reduce(inst, Op::kExclusiveScan, 0, operands));
    case spv::GroupOperation::ClusteredReduce:
      if (!Semantics(inst.operand(6), &cluster)) return false;
      if (cluster == 0 || (cluster & (cluster - 1)) != 0) {
        return Malformed("cluster size is not a power of two", inst.result);
      }
      // No subgroup has more than 128 lanes.
      if (cluster >= 128) cluster = 0;
      break;
    case spv::GroupOperation::PartitionedReduceNV:
      return EmitPartitionedReduction(inst, Op::kReduce, operands);
    case spv::GroupOperation::PartitionedInclusiveScanNV:
      return EmitPartitionedReduction(inst, Op::kInclusiveScan, operands);
    case spv::GroupOperation::PartitionedExclusiveScanNV:
      return EmitPartitionedReduction(inst, Op::kExclusiveScan, operands);
    default: return Malformed("group operation that is no reduction or scan", inst.result);
  }
  // A cluster of one lane has its own value.
  if (cluster == 1) return Define(inst, operands);
  return Define(inst, Reduce(inst, Op::kReduce, cluster, operands));
}

Leaves SubgroupEmitter::Reduce(const SpirvInst& inst, Op op, uint32_t cluster,
                               absl::Span<const ValueId> operands) {
  Leaves results;
  for (ValueId v : operands) {
    const auto reduce = static_cast<uint32_t>(Row(inst.op)->op);
    results.push_back(module().result(builder().EmitInst(op, {v}, {TypeOf(v)}, reduce, cluster)));
  }
  return results;
}

Leaves SubgroupEmitter::FourInts(mir::InstId inst) {
  Leaves leaves;
  for (int i = 0; i < 4; ++i) leaves.push_back(module().result(inst, i));
  return leaves;
}

Leaves SubgroupEmitter::LaneMaskOf(LaneMask mask) {
  return FourInts(builder().EmitInst(Op::kLaneMask, {}, kFourInts, static_cast<uint32_t>(mask)));
}

Leaves SubgroupEmitter::Ballot(ValueId predicate) {
  return FourInts(builder().EmitInst(Op::kBallot, {predicate}, kFourInts));
}

// Returns bit `index` of 128 as a bool.
ValueId SubgroupEmitter::BallotBit(absl::Span<const ValueId> ballot, ValueId index) {
  const ValueId word = SelectComponent(ballot, Emit(Op::kUshr, {index, Int(5)}));
  const ValueId bit = Emit(Op::kAnd, {Emit(Op::kUshr, {word, index}), Int(1)});
  return Emit(Op::kIne, {bit, Int(0)});
}

bool SubgroupEmitter::GetBallot(const SpirvInst& inst, uint32_t id, Leaves* ballot) {
  if (!Get(id, ballot)) return false;
  if (ballot->size() != 4 || TypeOf((*ballot)[0]) != mir::Type::kI32) {
    return Malformed("ballot is not a vector of four 32-bit integers", inst.result);
  }
  return true;
}

bool SubgroupEmitter::EmitBallot(const SpirvInst& inst, size_t first) {
  if (inst.op == spv::Op::OpGroupNonUniformBallot || inst.op == spv::Op::OpSubgroupBallotKHR) {
    ValueId predicate;
    if (!GetScalar(inst.operand(first), mir::Type::kBool, &predicate)) return false;
    return Define(inst, Ballot(predicate));
  }
  const bool counts = inst.op == spv::Op::OpGroupNonUniformBallotBitCount;
  Leaves ballot;
  if (!GetBallot(inst, inst.operand(counts ? 5 : 4), &ballot)) return false;
  switch (inst.op) {
    case spv::Op::OpGroupNonUniformInverseBallot:
      return Define(inst, {BallotBit(ballot, builder().SubgroupInvocation())});
    case spv::Op::OpGroupNonUniformBallotBitExtract: {
      ValueId index;
      if (!GetIndex(inst.operand(5), &index)) return false;
      return Define(inst, {BallotBit(ballot, index)});
    }
    case spv::Op::OpGroupNonUniformBallotBitCount: return EmitBallotCount(inst, ballot);
    default: return EmitBallotSearch(inst, ballot);
  }
}

bool SubgroupEmitter::EmitBallotCount(const SpirvInst& inst, absl::Span<const ValueId> ballot) {
  LaneMask mask = LaneMask::kAll;
  switch (static_cast<spv::GroupOperation>(inst.operand(4))) {
    case spv::GroupOperation::Reduce: break;
    case spv::GroupOperation::InclusiveScan: mask = LaneMask::kLessEqual; break;
    case spv::GroupOperation::ExclusiveScan: mask = LaneMask::kLess; break;
    default: return Malformed("ballot bit count is neither a reduction nor a scan", inst.result);
  }
  const Leaves lanes = LaneMaskOf(mask);
  ValueId sum = Int(0);
  for (size_t i = 0; i < 4; ++i) {
    sum = Emit(Op::kIadd, {sum, Emit(Op::kBitCount, {Emit(Op::kAnd, {ballot[i], lanes[i]})})});
  }
  return DefineCount(inst, sum);
}

// Binds a number of lanes, or -1, as an integer of the result's width.
bool SubgroupEmitter::DefineCount(const SpirvInst& inst, ValueId count) {
  const mir::Type type = LeafTypes(inst.type)[0];
  if (!ok() || !mir::IsInt(type)) return Malformed("result is not an integer", inst.result);
  return Define(inst, {ConvertInt(count, type, true)});
}

// Finds the lowest or highest bit; undefined if there is none.
bool SubgroupEmitter::EmitBallotSearch(const SpirvInst& inst, absl::Span<const ValueId> ballot) {
  const bool lowest = inst.op == spv::Op::OpGroupNonUniformBallotFindLSB;
  const Leaves lanes = LaneMaskOf(LaneMask::kAll);
  ValueId found = Int(~0u);
  for (uint32_t n = 0; n < 4; ++n) {
    const uint32_t i = lowest ? 3 - n : n;  // the last hit counts
    const ValueId bits = Emit(Op::kAnd, {ballot[i], lanes[i]});
    const ValueId bit = Emit(lowest ? Op::kFindLsb : Op::kFindUmsb, {bits});
    const ValueId here = Emit(Op::kIne, {bits, Int(0)});
    found = Emit(Op::kSelect, {here, Emit(Op::kIadd, {bit, Int(32 * i)}), found});
  }
  return DefineCount(inst, found);
}

// Emits broadcasts, shuffles, quads, rotations.
bool SubgroupEmitter::EmitLaneRead(const SpirvInst& inst, size_t first) {
  Leaves leaves;
  if (!Get(inst.operand(first), &leaves)) return false;
  Op op = Op::kShuffle;
  uint32_t imm = 0;
  ValueId lane;
  if (inst.op == spv::Op::OpGroupNonUniformBroadcastFirst ||
      inst.op == spv::Op::OpSubgroupFirstInvocationKHR) {
    op = Op::kReadFirst;
  } else {
    ValueId operand;
    if (!LaneOperand(inst, inst.operand(first + 1), &operand)) return false;
    if (!SourceLane(inst, operand, &op, &imm, &lane)) return false;
  }
  for (ValueId& v : leaves) {
    v = lane.valid() ? Emit(op, {v, lane}) : Emit(op, {v}, imm);
  }
  return ok() && Define(inst, leaves);
}

// Gets the operand, of any width, that chooses the lane; for a rotation only its low bits matter.
bool SubgroupEmitter::LaneOperand(const SpirvInst& inst, uint32_t id, ValueId* operand) {
  if (!GetIndex(id, operand)) return false;
  if (inst.op != spv::Op::OpGroupNonUniformRotateKHR) return true;
  Leaves whole;
  if (!Get(id, &whole)) return false;
  *operand = ConvertInt(whole[0], mir::Type::kI32, false);
  return true;
}

// Determines the lane to read: the op and its immediate or lane number.
bool SubgroupEmitter::SourceLane(const SpirvInst& inst, ValueId operand, Op* op, uint32_t* imm,
                                 ValueId* lane) {
  const auto me = [this] { return builder().SubgroupInvocation(); };
  uint32_t bits = 0;
  switch (inst.op) {
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpSubgroupReadInvocationKHR:
      *op = Op::kReadLane;
      *lane = operand;
      return true;
    case spv::Op::OpGroupNonUniformShuffle: *lane = operand; return true;
    case spv::Op::OpGroupNonUniformShuffleXor: *lane = Emit(Op::kXor, {me(), operand}); return ok();
    case spv::Op::OpGroupNonUniformShuffleUp: *lane = Emit(Op::kIsub, {me(), operand}); return ok();
    case spv::Op::OpGroupNonUniformShuffleDown:
      *lane = Emit(Op::kIadd, {me(), operand});
      return ok();
    case spv::Op::OpGroupNonUniformRotateKHR: {
      ValueId below = Emit(Op::kIsub, {Emit(Op::kSubgroupSize, {}), Int(1)});
      if (inst.size() > 6) {
        uint32_t cluster = 0;
        if (!Semantics(inst.operand(6), &cluster)) return false;
        below = Emit(Op::kUmin, {below, Int(cluster - 1)});
      }
      const ValueId rotated = Emit(Op::kAnd, {Emit(Op::kIadd, {me(), operand}), below});
      *lane = Emit(Op::kOr, {Emit(Op::kAnd, {me(), Emit(Op::kNot, {below})}), rotated});
      return ok();
    }
    case spv::Op::OpGroupNonUniformQuadBroadcast:
      if (IsConstant(operand, &bits)) {
        *op = Op::kQuadBroadcast;
        *imm = bits & 3;
      } else {
        *lane =
            Emit(Op::kOr, {Emit(Op::kAnd, {me(), Int(~3u)}), Emit(Op::kAnd, {operand, Int(3)})});
      }
      return ok();
    case spv::Op::OpGroupNonUniformQuadSwap:
      if (!IsConstant(operand, &bits) || bits > 2) {
        return Malformed("direction of a quad swap is not a constant from 0 to 2", inst.result);
      }
      *op = Op::kQuadSwap;
      *imm = bits + 1;
      return true;
    default: return Malformed(OpText(inst.op), inst.result);
  }
}

// Emits a component of a lane mask, or a scalar built-in.
bool SubgroupEmitter::SubgroupBuiltin(spv::BuiltIn builtin, uint32_t component, ValueId* value) {
  LaneMask mask;
  switch (builtin) {
    case spv::BuiltIn::SubgroupId: *value = builder().SubgroupId(); return true;
    case spv::BuiltIn::SubgroupSize: *value = Emit(Op::kSubgroupSize, {}); return true;
    case spv::BuiltIn::NumSubgroups: *value = Emit(Op::kNumSubgroups, {}); return true;
    case spv::BuiltIn::SubgroupLocalInvocationId:
      *value = builder().SubgroupInvocation();
      return true;
    case spv::BuiltIn::SubgroupEqMask: mask = LaneMask::kEqual; break;
    case spv::BuiltIn::SubgroupGeMask: mask = LaneMask::kGreaterEqual; break;
    case spv::BuiltIn::SubgroupGtMask: mask = LaneMask::kGreater; break;
    case spv::BuiltIn::SubgroupLeMask: mask = LaneMask::kLessEqual; break;
    case spv::BuiltIn::SubgroupLtMask: mask = LaneMask::kLess; break;
    default: return false;
  }
  *value = LaneMaskOf(mask)[component];
  return true;
}

bool EmitSubgroup(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return SubgroupEmitter(c).EmitSubgroup(inst, handled);
}

bool SubgroupBuiltin(ImportContext& c, spv::BuiltIn builtin, uint32_t component, ValueId* value) {
  return SubgroupEmitter(c).SubgroupBuiltin(builtin, component, value);
}

}  // namespace kiln::front
