// Operations between the lanes of a subgroup, which is the thread.
//
// What all active lanes agree on lives in U. Lane numbers are taken modulo the width, so that no
// register but the value's own is read. The lanes that are active are found by a ballot, once per
// block. Subgroup size and lane masks are gone by now (mid/resolve_subgroup_size).
#include "core/intel/lir/subgroup.h"
#include "core/intel/select/selector.h"

namespace kiln::intel {
namespace {

using mir::ReduceOp;

Type TypeOf(ReduceOp op) {
  switch (op) {
    case ReduceOp::kImin:
    case ReduceOp::kImax: return Type::kD;
    case ReduceOp::kFadd:
    case ReduceOp::kFmul:
    case ReduceOp::kFmin:
    case ReduceOp::kFmax: return Type::kF;
    default: return Type::kUD;
  }
}

// The value that changes nothing; booleans are 0 / -1 dwords.
uint32_t Identity(ReduceOp op) {
  switch (op) {
    case ReduceOp::kImul: return 1;
    case ReduceOp::kImin: return 0x7fffffffu;
    case ReduceOp::kImax: return 0x80000000u;
    case ReduceOp::kAnd:
    case ReduceOp::kUmin: return ~0u;
    case ReduceOp::kFmul: return 0x3f800000u;
    case ReduceOp::kFmin: return 0x7f800000u;
    case ReduceOp::kFmax: return 0xff800000u;
    default: return 0;
  }
}

}  // namespace

// The lanes for which `test` (kNz or kZ) of a stored boolean holds, as bits of a uniform dword.
Operand Selector::Ballot(Operand stored_bool, CondMod test) {
  lir::InstFields fields = Fields(Where::kLanes);
  fields.flags |= lir::kNoMask;
  fields.aux = static_cast<uint32_t>(test);
  const Operand bits = Use(NewU(), Type::kUD);
  const Operand source = Retype(ToRegister(stored_bool), Type::kD);
  EmitRaw(kBallot, fields, {bits, Use(NewF(), Type::kUW)}, {source});
  return bits;
}

// The number of the first active lane.
Operand Selector::FirstLane() {
  if (!first_lane_) {
    const Operand active = Ballot(Imm(~0u, Type::kD), CondMod::kNz);
    first_lane_ = Alu(Opcode::kFbl, Type::kUD, Where::kUniform, {active});
  }
  return *first_lane_;
}

// A per-lane value in one lane: `lane` is uniform or an immediate.
Operand Selector::Broadcast(Operand value, Operand lane) {
  const Operand result = Use(NewU(), Type::kUD);
  EmitRaw(kBroadcast, Fields(Where::kUniform), {result},
          {Retype(value, Type::kUD), Retype(lane, Type::kUD)});
  return result;
}

// The dword of a number or stored boolean, wherever it is.
Operand Selector::AnyValue(mir::ValueId v) {
  return m_.value(v).type == mir::Type::kBool ? StoredBool(v) : Src(v, Type::kUD);
}

bool Selector::IsOnePerThread(const Operand& o) const {
  return IsImm(o) || FileOf(o) == kFileU;
}

absl::Status Selector::VisitSubgroup(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  switch (inst.op) {
    case mir::Op::kSubgroupElect:
      Set(result, CompareStored(Where::kLanes, CondMod::kZ, Type::kD,
                                Mov(Type::kUD, Where::kLanes, LaneIds()), FirstLane()));
      break;
    case mir::Op::kSubgroupAny:
      Set(result, CompareStored(Where::kUniform, CondMod::kNz, Type::kD,
                                Ballot(StoredBool(m_.source(id, 0)), CondMod::kNz),
                                Imm(0, Type::kUD)));
      break;
    case mir::Op::kSubgroupAll:
      Set(result, CompareStored(Where::kUniform, CondMod::kZ, Type::kD,
                                Ballot(StoredBool(m_.source(id, 0)), CondMod::kZ),
                                Imm(0, Type::kUD)));
      break;
    case mir::Op::kBallot:
      Set(result, Ballot(StoredBool(m_.source(id, 0)), CondMod::kNz));
      for (int i = 1; i < inst.num_results; ++i) Set(m_.result(id, i), Imm(0, Type::kUD));
      break;
    case mir::Op::kReadFirst:
    case mir::Op::kReadLane:
    case mir::Op::kShuffle:
    case mir::Op::kQuadBroadcast:
    case mir::Op::kQuadSwap: ReadLanes(id); break;
    case mir::Op::kReduce:
    case mir::Op::kInclusiveScan:
    case mir::Op::kExclusiveScan: Scan(id); break;
    default: return Unexpected(inst, "not an operation between lanes");
  }
  return absl::OkStatus();
}

void Selector::ReadLanes(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const Operand value = AnyValue(m_.source(id, 0));
  if (IsOnePerThread(value)) {
    Set(result, value);
    return;
  }
  const Operand lanes = ToLanes(value);
  const auto fields = Fields(Where::kLanes);
  if (inst.op == mir::Op::kReadFirst) {
    Set(result, Broadcast(lanes, FirstLane()));
    return;
  }
  if (inst.op == mir::Op::kQuadBroadcast) {
    lir::InstFields quad = fields;
    quad.aux = inst.imm0;
    const Operand d = Use(NewG(), Type::kUD);
    EmitRaw(kQuadBroadcast, quad, {d}, {lanes});
    Set(result, d);
    return;
  }
  Operand index;
  if (inst.op == mir::Op::kQuadSwap) {
    index = Alu(Opcode::kXor, Type::kUW, Where::kLanes, {LaneIds(), Imm(inst.imm0, Type::kUW)});
  } else {
    index = Src(m_.source(id, 1), Type::kUD);
    // Equal in all active lanes, though perhaps not known to be.
    if (inst.op == mir::Op::kReadLane && !IsOnePerThread(index)) {
      index = Broadcast(ToLanes(index), FirstLane());
    }
    if (IsOnePerThread(index)) {
      Set(result, Broadcast(lanes, index));
      return;
    }
  }
  const Operand d = Use(NewG(), Type::kUD);
  EmitRaw(kShuffle, fields, {d}, {lanes, index});
  Set(result, d);
}

void Selector::Scan(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  ScanAux aux;
  aux.op = static_cast<ReduceOp>(inst.imm0);
  aux.cluster = static_cast<uint8_t>(width_);
  if (inst.op == mir::Op::kInclusiveScan) {
    aux.kind = ScanAux::kInclusive;
  } else if (inst.op == mir::Op::kExclusiveScan) {
    aux.kind = ScanAux::kExclusive;
  } else if (inst.imm1 != 0 && inst.imm1 < static_cast<uint32_t>(width_)) {
    aux.kind = ScanAux::kReduceClusters;
    aux.cluster = static_cast<uint8_t>(inst.imm1);
  }
  const Type t = TypeOf(aux.op);
  lir::InstFields fields = Fields(Where::kLanes);
  fields.flags |= lir::kNoMask;
  fields.aux = aux.Pack();
  std::vector<Operand> defs;
  if (aux.kind != ScanAux::kInclusive) {
    defs.push_back(Use(aux.kind == ScanAux::kReduce ? NewU() : NewG(), t));
  }
  const lir::ValueId scratch = NewG(aux.kind == ScanAux::kExclusive ? 2 : 1);
  defs.push_back(Def(scratch, t));
  if (aux.op == ReduceOp::kImul) defs.push_back(Use(NewG(), t));
  const Operand value = Retype(ToRegister(AnyValue(m_.source(id, 0))), t);
  b_.Emit(kLaneScan, fields, defs, std::vector<Operand>{value, Imm(Identity(aux.op), t)});
  Set(m_.result(id), Retype(defs[0], Type::kUD));
}

}  // namespace kiln::intel
