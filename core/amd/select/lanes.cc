// Selects operations between the lanes of a subgroup, which is the wave.
//
// Values of all lanes, and those read from one lane, are in S or SCC. DPP reaches within 16 lanes,
// v_permlanex16 within 32, ds_bpermute within 32 (ISA guide, 4.5.7, 12.16; Mesa 25.0.7,
// aco_instruction_selection.cpp, emit_bpermute). Lanes beyond take a loop over the lanes that are
// read (kLaneShuffle). A lane that is off gives an undefined value, as MIR allows.
#include "core/amd/select/lanes.h"

#include "core/amd/lir/lanes.h"
#include "core/amd/select/modifiers.h"
#include "core/mir/reduce.h"
#include "core/mir/stage.h"

namespace kiln::amd {
namespace {

using mir::ReduceOp;

constexpr uint16_t kRowXmask = 0x160;  // DPP control
constexpr uint8_t kBoundControl = 1;   // Extra::dpp_flags

// Returns the quad_perm control by which the lanes of a quad read lanes a, b, c, d of it.
constexpr uint16_t Quad(int a, int b, int c, int d) {
  return static_cast<uint16_t>(a | b << 2 | c << 4 | d << 6);
}

// Integers of 16 bits are combined as widened ones.
Opcode OpcodeOf(ReduceOp op, mir::Type type) {
  const bool half = type == mir::Type::kF16;
  if (type == mir::Type::kF64) {
    switch (op) {
      case ReduceOp::kFmul: return Opcode::kVMulF64;
      case ReduceOp::kFmin: return Opcode::kVMinF64;
      case ReduceOp::kFmax: return Opcode::kVMaxF64;
      default: return Opcode::kVAddF64;
    }
  }
  switch (op) {
    case ReduceOp::kIadd: return Opcode::kVAddNcU32;
    case ReduceOp::kImul: return Opcode::kVMulLoU32;
    case ReduceOp::kImin: return Opcode::kVMinI32;
    case ReduceOp::kImax: return Opcode::kVMaxI32;
    case ReduceOp::kUmin: return Opcode::kVMinU32;
    case ReduceOp::kUmax: return Opcode::kVMaxU32;
    case ReduceOp::kAnd: return Opcode::kVAndB32;
    case ReduceOp::kOr: return Opcode::kVOrB32;
    case ReduceOp::kXor: return Opcode::kVXorB32;
    case ReduceOp::kFadd: return half ? Opcode::kVAddF16 : Opcode::kVAddF32;
    case ReduceOp::kFmul: return half ? Opcode::kVMulF16 : Opcode::kVMulF32;
    case ReduceOp::kFmin: return half ? Opcode::kVMinF16 : Opcode::kVMinF32;
    case ReduceOp::kFmax: return half ? Opcode::kVMaxF16 : Opcode::kVMaxF32;
  }
  return Opcode::kVAddNcU32;
}

}  // namespace

Extra Dpp(uint16_t control) {
  Extra extra;
  extra.form = static_cast<uint8_t>(isa::Form::kDpp16);
  extra.dpp_control = control;
  extra.dpp_masks = 0xff;
  extra.dpp_flags = kBoundControl;
  return extra;
}

Operand LaneBelow32(Emission& e) { return e.Valu(Opcode::kVMbcntLoU32B32, {Imm(~0u), Imm(0)}); }

// Counts the lanes below in a mask of all lanes.
Operand LaneOf(Emission& e) {
  const Operand low = LaneBelow32(e);
  return e.wide() ? e.Valu(Opcode::kVMbcntHiU32B32, {Imm(~0u), low}) : low;
}

// Halves of doubles move like other dwords.
absl::Status Lanes::VisitDouble(mir::InstId id) {
  using mir::Op;
  const mir::ValueId v = m_.source(id, 0), result = m_.result(id);
  switch (m_.inst(id).op) {
    case Op::kReadFirst:
    case Op::kReadLane:
    case Op::kShuffle:
    case Op::kQuadBroadcast:
    case Op::kQuadSwap: break;
    case Op::kReduce:
    case Op::kInclusiveScan:
    case Op::kExclusiveScan: return Scan(id);
    default: return e_.Unexpected("an integer of 64 bits");
  }
  const Operand low = e_.Half(v, 0), high = e_.Half(v, 1);
  const auto read = [&](const Operand& half) {
    return e_.IsUniform(v) ? half : ByPattern(id, e_.ToV(half));
  };
  const Operand read_low = read(low), read_high = read(high);
  const bool scalar = e_.IsScalar(read_low) && e_.IsScalar(read_high);
  e_.Set(result, e_.Vector({read_low, read_high}, scalar ? kFileS : kFileV));
  return absl::OkStatus();
}

absl::Status Lanes::VisitSubgroup(mir::InstId id) {
  using mir::Op;
  const mir::ValueId result = m_.result(id);
  if (!e_.IsBool(result) && e_.BitsOf(result) > 32) return VisitDouble(id);
  switch (m_.inst(id).op) {
    case Op::kSubgroupInvocation: e_.Set(result, LaneOf(e_)); break;
    case Op::kSubgroupElect: Elect(result); break;
    case Op::kSubgroupAny:
    case Op::kSubgroupAll: Vote(id); break;
    case Op::kBallot: Ballot(id); break;
    case Op::kReadFirst:
    case Op::kReadLane:
    case Op::kShuffle:
    case Op::kQuadBroadcast:
    case Op::kQuadSwap: ReadLanes(id); break;
    case Op::kReduce:
    case Op::kInclusiveScan:
    case Op::kExclusiveScan: return Scan(id);
    default: return e_.Unexpected("not an operation between lanes");
  }
  return absl::OkStatus();
}

// ---- Numbers and masks of lanes.

// Returns the number of the first lane that is on.
Operand Lanes::FirstLane() {
  const int dwords = e_.wide() ? 2 : 1;
  const Operand bits = e_.Pseudo(kExecBits, kFileS, dwords, {});
  return e_.Salu(e_.wide() ? Opcode::kSFf1I32B64 : Opcode::kSFf1I32B32, {bits});
}

void Lanes::Elect(mir::ValueId result) {
  const Operand bit =
      e_.Salu(e_.wide() ? Opcode::kSLshlB64 : Opcode::kSLshlB32, {Imm(1), FirstLane()});
  e_.Set(result, e_.Pseudo(kMaskOfBits, kFileM, 1, {bit}));
}

// All lanes that are on agree about a uniform boolean.
void Lanes::Vote(mir::InstId id) {
  const mir::ValueId v = m_.source(id, 0), result = m_.result(id);
  const Operand o = e_.Src(v);
  if (!e_.IsIn(o, kFileM)) {
    e_.Set(result, o);
    return;
  }
  const LirOp op = m_.inst(id).op == mir::Op::kSubgroupAny ? kMaskAny : kMaskAll;
  e_.Set(result, e_.Pseudo(op, kFileScc, 1, {o}));
}

void Lanes::Ballot(mir::InstId id) {
  const int dwords = e_.wide() ? 2 : 1;
  const mir::ValueId v = m_.source(id, 0);
  const Operand o = e_.Src(v);
  Operand bits;
  if (!IsImm(o)) {
    bits = e_.Pseudo(kMaskBits, kFileS, dwords, {bools_.MaskOf(v)});
  } else if ((o.id & 1) != 0) {
    bits = e_.Pseudo(kExecBits, kFileS, dwords, {});
  }
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    e_.Set(m_.result(id, i), i < dwords && Exists(bits) ? e_.Component(bits, i) : Imm(0));
  }
}

// ---- Reading other lanes.

Operand Lanes::Move(const Operand& value, uint16_t control) {
  return e_.Valu(Opcode::kVMovB32, {value}, Dpp(control));
}

void Lanes::ReadLanes(mir::InstId id) {
  using mir::Op;
  const mir::ValueId v = m_.source(id, 0), result = m_.result(id);
  const Op op = m_.inst(id).op;
  const Operand given = e_.Src(v);
  // A uniform value is the same in the lane that is read: lanes that are off do not count.
  if (e_.IsUniform(v)) {
    e_.Set(result, given);
    return;
  }
  const bool is_bool = e_.IsBool(v);
  if (is_bool && (op == Op::kReadFirst || op == Op::kReadLane)) return ReadBool(id);
  const Operand value = is_bool ? bools_.LaneNumberOf(v) : e_.ToV(given);
  const Operand read = ByPattern(id, value);
  e_.Set(result, is_bool ? e_.Compare(Opcode::kVCmpNeU32, Imm(0), read) : read);
}

// Returns the number of a lane as an instruction takes it: constants beyond the wave have no inline
// form, and registers are taken modulo its size.
Operand Lanes::LaneNumber(const Operand& index) const {
  return IsImm(index) ? Imm(index.id & (e_.width() - 1)) : index;
}

Operand Lanes::ByPattern(mir::InstId id, const Operand& value) {
  using mir::Op;
  const mir::Inst& inst = m_.inst(id);
  switch (inst.op) {
    case Op::kReadFirst: return e_.Valu(Opcode::kVReadfirstlaneB32, {value});
    case Op::kReadLane:
      return e_.Valu(Opcode::kVReadlaneB32,
                     {value, LaneNumber(e_.ToScalar(e_.Src(m_.source(id, 1))))});
    case Op::kQuadBroadcast: {
      const int lane = static_cast<int>(inst.imm0);
      return Move(value, Quad(lane, lane, lane, lane));
    }
    case Op::kQuadSwap: {
      const int mask = static_cast<int>(inst.imm0);
      return Move(value, Quad(0 ^ mask, 1 ^ mask, 2 ^ mask, 3 ^ mask));
    }
    default: break;
  }
  const mir::ValueId index = m_.source(id, 1);
  if (const auto mask = XorOfLanes(index)) return ShuffleByXor(value, *mask);
  return Shuffle(value, e_.Src(index));
}

// Tests the lane's bit of the mask.
void Lanes::ReadBool(mir::InstId id) {
  const Operand bits =
      e_.Pseudo(kMaskBits, kFileS, e_.wide() ? 2 : 1, {bools_.MaskOf(m_.source(id, 0))});
  const Operand lane =
      m_.inst(id).op == mir::Op::kReadFirst ? FirstLane() : e_.ToScalar(e_.Src(m_.source(id, 1)));
  e_.Set(m_.result(id),
         e_.SaluScc(e_.wide() ? Opcode::kSBitcmp1B64 : Opcode::kSBitcmp1B32, {bits, lane}));
}

// Returns the mask if the index is the lane's number exclusive-or a constant below 32.
std::optional<uint32_t> Lanes::XorOfLanes(mir::ValueId index) const {
  const auto id = e_.DefinedBy(index, mir::Op::kXor);
  if (!id) return std::nullopt;
  for (int i = 0; i < 2; ++i) {
    const mir::ValueId mask = m_.source(*id, i);
    if (!m_.IsConstant(mask) || m_.value(mask).bits == 0 || m_.value(mask).bits >= 32) continue;
    if (!e_.DefinedBy(m_.source(*id, 1 - i), mir::Op::kSubgroupInvocation)) continue;
    return static_cast<uint32_t>(m_.value(mask).bits);
  }
  return std::nullopt;
}

// v_permlanex16 has four bits for each lane of a row: the lane of the other row that it reads.
Operand Lanes::ShuffleByXor(const Operand& value, uint32_t mask) {
  if (mask < 4) {
    const int m = static_cast<int>(mask);
    return Move(value, Quad(0 ^ m, 1 ^ m, 2 ^ m, 3 ^ m));
  }
  if (mask < 16) return Move(value, static_cast<uint16_t>(kRowXmask | mask));
  uint64_t selects = 0;
  for (uint64_t lane = 0; lane < 16; ++lane) selects |= (lane ^ (mask & 15)) << (4 * lane);
  Extra extra;
  extra.op_sel = 1;  // lanes that are off are read too
  return e_.ValuTied(Opcode::kVPermlanex16B32,
                     {value, e_.ToS(Imm(static_cast<uint32_t>(selects))),
                      e_.ToS(Imm(static_cast<uint32_t>(selects >> 32)))},
                     value, extra);
}

Operand Lanes::Shuffle(const Operand& value, const Operand& index) {
  if (e_.IsScalar(index)) {
    return e_.ToV(e_.Valu(Opcode::kVReadlaneB32, {value, LaneNumber(index)}));
  }
  const Operand def = Use(e_.New(kFileV));
  if (!e_.wide()) {
    const Operand address = e_.Valu(Opcode::kVLshlrevB32, {Imm(2), index});
    e_.EmitRaw(Op(Opcode::kDsBpermuteB32), {def}, {address, value});
    return def;
  }
  const Operand lane = Use(e_.New(kFileS)), read = Use(e_.New(kFileS));
  const Operand on = Use(e_.New(kFileS, 2), 0, 2);
  e_.EmitRaw(kLaneShuffle, {def, lane, read, on}, {value, e_.ToV(index)});
  return def;
}

// ---- Reductions and scans.

// Reduces booleans over the wave by their mask; returns false for other reductions.
bool Lanes::ReduceBool(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.op != mir::Op::kReduce || (inst.imm1 != 0 && inst.imm1 < e_.width())) return false;
  const mir::ValueId result = m_.result(id);
  const Operand mask = bools_.MaskOf(m_.source(id, 0));
  switch (static_cast<ReduceOp>(inst.imm0)) {
    case ReduceOp::kAnd: e_.Set(result, e_.Pseudo(kMaskAll, kFileScc, 1, {mask})); return true;
    case ReduceOp::kOr: e_.Set(result, e_.Pseudo(kMaskAny, kFileScc, 1, {mask})); return true;
    case ReduceOp::kXor: {
      const Operand bits = e_.Pseudo(kMaskBits, kFileS, e_.wide() ? 2 : 1, {mask});
      const Operand count =
          e_.Salu(e_.wide() ? Opcode::kSBcnt1I32B64 : Opcode::kSBcnt1I32B32, {bits});
      e_.Set(result, e_.SaluScc(Opcode::kSBitcmp1B32, {count, Imm(0)}));
      return true;
    }
    default: return false;
  }
}

// Counts the lanes for which a boolean is true, all of them or those below, by their mask, as
// programs that cull number their vertices. Returns false for other reductions and scans. (Other
// programs could do so, too.)
bool Lanes::CountByMask(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const bool all = inst.op == mir::Op::kReduce && inst.imm1 == 0;
  if (!abi_.vertex || !abi_.vertex->culls || !(all || inst.op == mir::Op::kExclusiveScan) ||
      static_cast<ReduceOp>(inst.imm0) != ReduceOp::kIadd) {
    return false;
  }
  const auto select = e_.DefinedBy(m_.source(id, 0), mir::Op::kSelect);
  const auto is = [&](int source, uint64_t bits) {
    const mir::Value& v = m_.value(m_.source(*select, source));
    return v.kind == mir::Value::Kind::kConstant && v.bits == bits;
  };
  if (!select || !is(1, 1) || !is(2, 0)) return false;
  const mir::ValueId condition = m_.source(*select, 0);
  if (e_.IsUniform(condition)) return false;
  const Operand mask = e_.Pseudo(kMaskBits, kFileS, e_.wide() ? 2 : 1, {bools_.MaskOf(condition)});
  if (all) {
    e_.Set(m_.result(id),
           e_.Salu(e_.wide() ? Opcode::kSBcnt1I32B64 : Opcode::kSBcnt1I32B32, {mask}));
    return true;
  }
  Operand count = e_.Valu(Opcode::kVMbcntLoU32B32, {e_.Component(mask, 0), Imm(0)});
  if (e_.wide()) count = e_.Valu(Opcode::kVMbcntHiU32B32, {e_.Component(mask, 1), count});
  e_.Set(m_.result(id), count);
  return true;
}

// The identity of floats: if no lane receives it as its result, a NaN for extrema, which does not
// even change a NaN, and a negative zero for sums, which does not change one.
absl::Status Lanes::Scan(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId v = m_.source(id, 0), result = m_.result(id);
  const bool is_bool = e_.IsBool(v);
  if ((is_bool && ReduceBool(id)) || CountByMask(id)) return absl::OkStatus();
  const auto op = static_cast<ReduceOp>(inst.imm0);
  const mir::Type type = m_.value(v).type;
  const bool half = type == mir::Type::kF16, is_double = type == mir::Type::kF64;
  ScanAux aux;
  aux.op = OpcodeOf(op, type);
  aux.cluster = static_cast<uint8_t>(e_.width());
  if (inst.op == mir::Op::kInclusiveScan) {
    aux.kind = ScanAux::kInclusive;
  } else if (inst.op == mir::Op::kExclusiveScan) {
    aux.kind = ScanAux::kExclusive;
  } else if (inst.imm1 != 0 && inst.imm1 < e_.width()) {
    aux.kind = ScanAux::kReduceClusters;
    aux.cluster = static_cast<uint8_t>(inst.imm1);
  }
  const bool is_signed = op == ReduceOp::kImin || op == ReduceOp::kImax;
  const uint64_t bits = mir::IdentityOf(op, is_bool ? mir::Type::kI32 : type);
  auto identity = static_cast<uint32_t>(is_double ? bits >> 32 : bits);
  if (!is_bool && is_signed && e_.BitsOf(v) < 32) {  // widened, as the values are
    const uint32_t sign = 1u << (e_.BitsOf(v) - 1);
    identity = (identity ^ sign) - sign;
  }
  if (aux.kind != ScanAux::kExclusive) {
    if (op == ReduceOp::kFmin || op == ReduceOp::kFmax) {
      identity = half ? 0x7e00u : is_double ? 0x7ff80000u : 0x7fc00000u;
    }
    if (op == ReduceOp::kFadd) identity = half ? 0x8000u : 0x80000000u;
  }
  const Operand value = is_bool              ? bools_.LaneNumberOf(v)
                        : is_double          ? e_.Vector({e_.Half(v, 0), e_.Half(v, 1)}, kFileV)
                        : mir::IsFloat(type) ? e_.ToV(e_.Src(v))
                                             : e_.ToV(e_.Widened(v, is_signed));
  const bool to_scalar = aux.kind == ScanAux::kReduce && e_.IsUniform(result);
  const int dwords = is_double ? 2 : 1;
  const auto made = [&](LirFile file) { return Use(e_.New(file, dwords), 0, dwords); };
  const Operand def = made(aux.kind == ScanAux::kReduce ? kFileS : kFileV);
  const Operand defs[] = {def, made(kFileW), made(kFileW), made(kFileS)};
  const Operand uses[] = {value, Imm(identity)};
  e_.EmitRaw(kLaneScan, defs, uses, {}, 0, aux.Pack());
  Operand number = def;
  if (is_bool) {
    const bool scalar = aux.kind == ScanAux::kReduce;
    e_.Set(result, scalar ? e_.SaluScc(Opcode::kSCmpLgU32, {number, Imm(0)})
                          : e_.Compare(Opcode::kVCmpNeU32, Imm(0), number));
    return absl::OkStatus();
  }
  // A cluster of the whole wave that is not known to be uniform.
  if (aux.kind == ScanAux::kReduce && !to_scalar) number = e_.ToV(number);
  e_.Set(result, number);
  return absl::OkStatus();
}

// ---- Derivatives.

// The difference of two lanes of the quad, 0 1 over 2 3.
absl::Status Lanes::VisitDerivative(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId v = m_.source(id, 0);
  const bool down = inst.op == mir::Op::kDdy;
  const bool fine = static_cast<mir::DerivativeMode>(inst.imm0) == mir::DerivativeMode::kFine;
  const uint16_t from = !fine ? Quad(0, 0, 0, 0) : down ? Quad(0, 1, 0, 1) : Quad(0, 0, 2, 2);
  const uint16_t to = !fine  ? (down ? Quad(2, 2, 2, 2) : Quad(1, 1, 1, 1))
                      : down ? Quad(2, 3, 2, 3)
                             : Quad(1, 1, 3, 3);
  const Operand value = e_.ToV(e_.Src(v));
  const Opcode sub = e_.BitsOf(v) == 16 ? Opcode::kVSubF16 : Opcode::kVSubF32;
  e_.Set(m_.result(id), e_.Valu(sub, {value, Move(value, from)}, Dpp(to)));
  return absl::OkStatus();
}

}  // namespace kiln::amd
