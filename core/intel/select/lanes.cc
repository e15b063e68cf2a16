// Selects operations between the lanes of a subgroup, which is the thread.
//
// Values that are equal in all active lanes are in U. Lane numbers are taken modulo the width, so
// that only the value's own registers are read, also in lanes that are off, and with lane numbers
// computed from an empty mask (fused EUs run blocks with all channels off). The first active lane
// is found by a ballot, once per block; it is lane 0 if all existing lanes are active. Short values
// are read with the whole element that they are part of. Subgroup size and lane masks have been
// resolved before (mid/resolve_subgroup_size), and bytes are only moved (mid/lower_int8).
#include <algorithm>
#include <bit>

#include "core/intel/lir/subgroup.h"
#include "core/intel/select/lanes.h"
#include "core/mir/reduce.h"

namespace kiln::intel {

namespace {

using mir::ReduceOp;

Type TypeOf(ReduceOp op, uint32_t bits) {
  const bool word = bits == 16;
  switch (op) {
    case ReduceOp::kImin:
    case ReduceOp::kImax: return word ? Type::kW : Type::kD;
    case ReduceOp::kFadd:
    case ReduceOp::kFmul:
    case ReduceOp::kFmin:
    case ReduceOp::kFmax: return word ? Type::kHF : Type::kF;
    default: return word ? Type::kUW : Type::kUD;
  }
}

}  // namespace

// Returns the lanes for which `test` (kNz or kZ) of a stored boolean holds, as bits of a uniform
// dword.
Operand Lanes::Ballot(Operand stored_bool, CondMod test) {
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.flags |= lir::kNoMask;
  fields.aux = static_cast<uint32_t>(test);
  const Operand bits = Use(e_.NewU(), Type::kUD);
  const Operand source = Retype(e_.ToRegister(stored_bool), Type::kD);
  const Type flag = width_ > 16 ? Type::kUD : Type::kUW;
  e_.EmitRaw(kBallot, fields, {bits, Use(e_.NewF(), flag)}, {source});
  return bits;
}

// Returns the active lanes as bits, 0 in a thread that runs the block for its fused neighbour
// alone.
Operand Lanes::ActiveLanes() {
  if (!*active_lanes_) *active_lanes_ = Ballot(Imm(~0u, Type::kD), CondMod::kNz);
  return **active_lanes_;
}

// Returns the number of the first active lane.
Operand Lanes::FirstLane() {
  if (e_.divergence().AllLanesAt(e_.at())) return Imm(0, Type::kUD);
  if (!*first_lane_) {
    *first_lane_ = e_.Alu(Opcode::kFbl, Type::kUD, Where::kUniform, {ActiveLanes()});
  }
  return **first_lane_;
}

// Returns the predicate of a message that a thread without active lanes must not send: a NoMask
// message, under control flow or after an exit, to an address or a descriptor's index that a value
// chooses and that such a thread has not computed (Wa_1407528679, isa/apply_workarounds.cc). All
// its lanes, as many as the message's, agree.
std::optional<Operand> Lanes::Guard(const lir::InstFields& fields, bool chosen) {
  if (!chosen || (fields.flags & lir::kNoMask) == 0 || !e_.scopes().MayBeEmpty()) {
    return std::nullopt;
  }
  lir::InstFields compare = e_.Fields(Where::kUniform);
  compare.width = std::max<uint8_t>(fields.width, 8);
  compare.cmod = static_cast<uint8_t>(CondMod::kNz);
  const Operand flag = Use(e_.NewF(), Type::kUW);
  e_.EmitRaw(Op(Opcode::kCmp), compare, {flag}, {ActiveLanes(), Imm(0, Type::kUD)});
  return flag;
}

// Returns the whole element that a short value is part of; PartOfElement returns the same part of
// another such element.
Operand Lanes::Element(const Operand& o) {
  const uint8_t bytes = f_.value(o.value()).elem_bytes;
  if (o.mods != 0 || e_.FileOf(o) != kFileG || bytes > 4) return e_.ToLanes(o);
  Operand element = Retype(o, bytes == 2 ? Type::kUW : Type::kUD);
  element.sub = 0;
  return element;
}

Operand Lanes::PartOfElement(const Operand& element, const Operand& like) const {
  Operand part = element;
  part.type = like.type;
  part.sub = like.mods == 0 ? like.sub : uint8_t{0};
  return part;
}

// Returns the offset of lane `index` of a value, in bytes from its first lane; for all lanes,
// whichever are on.
Operand Lanes::LaneOffset(Where where, Operand index, int bytes) {
  lir::InstFields fields = e_.Fields(where);
  fields.flags |= lir::kNoMask;
  const Operand lane = Use(e_.New(where, Type::kUW), Type::kUW);
  e_.EmitRaw(Op(Opcode::kAnd), fields, {lane},
             {Retype(index, Type::kUW), Imm(static_cast<uint32_t>(width_ - 1), Type::kUW)});
  const Operand offset = Use(e_.New(where, Type::kUW), Type::kUW);
  e_.EmitRaw(Op(Opcode::kShl), fields, {offset},
             {lane, Imm(static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(bytes))),
                        Type::kUW)});
  return offset;
}

// Returns a per-lane value in one lane, whose number is uniform or an immediate.
Operand Lanes::Broadcast(const Operand& value, const Operand& lane) {
  const Operand element = Element(value);
  const Operand result = Use(e_.NewU(), static_cast<Type>(element.type));
  const Operand where =
      IsImm(lane) ? lane : LaneOffset(Where::kUniform, lane, f_.value(element.value()).elem_bytes);
  e_.EmitRaw(kBroadcast, e_.Fields(Where::kUniform), {result}, {element, where});
  return PartOfElement(result, value);
}

bool Lanes::IsOnePerThread(const Operand& o) const { return IsImm(o) || e_.FileOf(o) == kFileU; }

absl::Status Lanes::VisitSubgroup(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  switch (inst.op) {
    case mir::Op::kSubgroupElect:
      e_.Set(result,
             e_.CompareStored(Where::kLanes, CondMod::kZ, Type::kD,
                              e_.Mov(Type::kUD, Where::kLanes, launch_.LaneIds()), FirstLane()));
      break;
    case mir::Op::kSubgroupAny:
      e_.Set(result, e_.CompareStored(Where::kUniform, CondMod::kNz, Type::kD,
                                      Ballot(bools_.StoredBool(m_.source(id, 0)), CondMod::kNz),
                                      Imm(0, Type::kUD)));
      break;
    case mir::Op::kSubgroupAll:
      e_.Set(result, e_.CompareStored(Where::kUniform, CondMod::kZ, Type::kD,
                                      Ballot(bools_.StoredBool(m_.source(id, 0)), CondMod::kZ),
                                      Imm(0, Type::kUD)));
      break;
    case mir::Op::kBallot:
      e_.Set(result, Ballot(bools_.StoredBool(m_.source(id, 0)), CondMod::kNz));
      for (int i = 1; i < inst.num_results; ++i) e_.Set(m_.result(id, i), Imm(0, Type::kUD));
      break;
    case mir::Op::kReadFirst:
    case mir::Op::kReadLane:
    case mir::Op::kShuffle:
    case mir::Op::kQuadBroadcast:
    case mir::Op::kQuadSwap: ReadLanes(id); break;
    case mir::Op::kReduce:
    case mir::Op::kInclusiveScan:
    case mir::Op::kExclusiveScan: Scan(id); break;
    default: return e_.Unexpected(inst, "not an operation between lanes");
  }
  return absl::OkStatus();
}

void Lanes::ReadLanes(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const Operand value = bools_.AnyValue(m_.source(id, 0));
  if (IsOnePerThread(value)) {
    e_.Set(result, value);
    return;
  }
  switch (inst.op) {
    case mir::Op::kReadFirst: e_.Set(result, Broadcast(value, FirstLane())); return;
    case mir::Op::kQuadBroadcast:
      e_.Set(result, ReadPattern(kQuadBroadcast, value, inst.imm0));
      return;
    case mir::Op::kQuadSwap: e_.Set(result, ReadPattern(kXorLanes, value, inst.imm0)); return;
    default: break;
  }
  Operand index = e_.Src(m_.source(id, 1), Type::kUD);
  // The index is equal in all active lanes, though perhaps not known to be.
  if (inst.op == mir::Op::kReadLane && !IsOnePerThread(index)) {
    index = Broadcast(index, FirstLane());
  }
  if (IsOnePerThread(index)) {
    e_.Set(result, Broadcast(value, index));
    return;
  }
  const std::optional<uint32_t> mask = XorOfLanes(m_.source(id, 1));
  e_.Set(result, mask ? ReadPattern(kXorLanes, value, *mask) : Shuffle(value, index));
}

// Returns the mask if the index is the lane's number exclusive-or a constant, and if moves by
// regions cost no more than addresses.
std::optional<uint32_t> Lanes::XorOfLanes(mir::ValueId index) const {
  const std::optional<mir::InstId> id = e_.DefinedBy(index, mir::Op::kXor);
  if (!id || !m_.IsConstant(m_.source(*id, 1)) ||
      !e_.DefinedBy(m_.source(*id, 0), mir::Op::kSubgroupInvocation)) {
    return std::nullopt;
  }
  constexpr int kMaxMoves = 4;
  const auto mask =
      static_cast<uint32_t>(m_.value(m_.source(*id, 1)).bits) & static_cast<uint32_t>(width_ - 1);
  const int moves = XorMovesOf(width_, mask, /*lane_bytes=*/4).count;
  if (moves == 0 || moves > std::max(kMaxMoves, width_ / 4)) return std::nullopt;
  return mask;
}

// Reads by a pattern that does not depend on data: its parameter goes into aux.
Operand Lanes::ReadPattern(uint16_t op, const Operand& value, uint32_t aux) {
  const Operand element = Element(value);
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.aux = aux;
  if (op == kXorLanes) fields.flags |= lir::kNoMask;
  const auto t = static_cast<Type>(element.type);
  const Operand d = Use(e_.New(Where::kLanes, t), t);
  e_.EmitRaw(op, fields, {d}, {element});
  return PartOfElement(d, value);
}

Operand Lanes::Shuffle(const Operand& value, const Operand& index) {
  const Operand element = Element(value);
  const Operand offset = LaneOffset(Where::kLanes, index, f_.value(element.value()).elem_bytes);
  const auto t = static_cast<Type>(element.type);
  const Operand d = Use(e_.New(Where::kLanes, t), t);
  e_.EmitRaw(kShuffle, e_.Fields(Where::kLanes), {d}, {element, offset});
  return PartOfElement(d, value);
}

void Lanes::Scan(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t bits = e_.BitsOf(m_.result(id));
  ScanAux aux;
  aux.op = static_cast<ReduceOp>(inst.imm0);
  aux.cluster = static_cast<uint8_t>(width_);
  aux.all_on = at_width_.full_threads && e_.divergence().AllLanesAt(id);
  if (inst.op == mir::Op::kInclusiveScan) {
    aux.kind = ScanAux::kInclusive;
  } else if (inst.op == mir::Op::kExclusiveScan) {
    aux.kind = ScanAux::kExclusive;
  } else if (inst.imm1 != 0 && inst.imm1 < static_cast<uint32_t>(width_)) {
    aux.kind = ScanAux::kReduceClusters;
    aux.cluster = static_cast<uint8_t>(inst.imm1);
  }
  const Type t = TypeOf(aux.op, bits);
  const mir::Type type = m_.value(m_.result(id)).type;  // booleans are 0 / -1 dwords
  uint64_t identity = mir::IdentityOf(aux.op, type == mir::Type::kBool ? mir::Type::kI32 : type);
  // If no lane receives the identity as its result, it is a NaN, which does not even change a NaN.
  const bool extremum = aux.op == ReduceOp::kFmin || aux.op == ReduceOp::kFmax;
  if (extremum && aux.kind != ScanAux::kExclusive) {
    identity = type == mir::Type::kF16 ? 0x7e00u : 0x7fc00000u;
  }
  // A sum of negative zeros stays a negative zero only if the identity is one.
  if (aux.op == ReduceOp::kFadd && aux.kind != ScanAux::kExclusive) {
    identity = type == mir::Type::kF16 ? 0x8000u : 0x80000000u;
  }
  const int bytes = static_cast<int>(bits / 8);
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.flags |= lir::kNoMask;
  fields.aux = aux.Pack();
  std::vector<Operand> defs;
  if (aux.kind != ScanAux::kInclusive) {
    defs.push_back(Use(aux.kind == ScanAux::kReduce ? e_.NewU() : e_.NewG(1, bytes), t));
  }
  const lir::ValueId scratch = e_.NewG(aux.kind == ScanAux::kExclusive ? 2 : 1, bytes);
  defs.push_back(e_.Def(scratch, t));
  if (aux.op == ReduceOp::kImul && bytes == 4) defs.push_back(Use(e_.NewG(), t));
  const Operand value = Retype(e_.ToRegister(bools_.AnyValue(m_.source(id, 0))), t);
  b_.Emit(kLaneScan, fields, defs,
          std::vector<Operand>{value, Imm(static_cast<uint32_t>(identity), t)});
  e_.Set(m_.result(id), Retype(defs[0], bytes == 2 ? Type::kUW : Type::kUD));
}

}  // namespace kiln::intel
