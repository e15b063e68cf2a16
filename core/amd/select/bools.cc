// Selects booleans. emission.h describes their representation.
//
// A uniform comparison of scalars is SCC, and a number, too, 0 or 1 in S, if a reader wants that;
// the result of uniform logic is both. Few instructions leave SCC alone, so a reader that does not
// follow at once tests the number. A comparison whose only reader inverts it is made inverted.
#include "core/amd/select/bools.h"

#include <algorithm>
#include <optional>

#include "core/amd/lir/machine.h"
#include "core/amd/select/doubles.h"
#include "core/amd/select/modifiers.h"

namespace kiln::amd {
namespace {

// The opcodes of a comparison and of its inverse. Floats: v_cmp_n* is true on NaN, as the inverse
// of an ordered comparison is (ISA guide, table 33).
struct Comparison {
  mir::Op op;
  bool is_float;
  bool is_signed;
  Opcode scalar[2];
  Opcode dwords[2];
  Opcode words[2];
};
constexpr Opcode kNoOpcode = Opcode::kSNop;
constexpr Comparison kComparisons[] = {
    {mir::Op::kIeq,
     false,
     false,
     {Opcode::kSCmpEqU32, Opcode::kSCmpLgU32},
     {Opcode::kVCmpEqU32, Opcode::kVCmpNeU32},
     {Opcode::kVCmpEqU16, Opcode::kVCmpNeU16}},
    {mir::Op::kIne,
     false,
     false,
     {Opcode::kSCmpLgU32, Opcode::kSCmpEqU32},
     {Opcode::kVCmpNeU32, Opcode::kVCmpEqU32},
     {Opcode::kVCmpNeU16, Opcode::kVCmpEqU16}},
    {mir::Op::kSlt,
     false,
     true,
     {Opcode::kSCmpLtI32, Opcode::kSCmpGeI32},
     {Opcode::kVCmpLtI32, Opcode::kVCmpGeI32},
     {Opcode::kVCmpLtI16, Opcode::kVCmpGeI16}},
    {mir::Op::kSge,
     false,
     true,
     {Opcode::kSCmpGeI32, Opcode::kSCmpLtI32},
     {Opcode::kVCmpGeI32, Opcode::kVCmpLtI32},
     {Opcode::kVCmpGeI16, Opcode::kVCmpLtI16}},
    {mir::Op::kUlt,
     false,
     false,
     {Opcode::kSCmpLtU32, Opcode::kSCmpGeU32},
     {Opcode::kVCmpLtU32, Opcode::kVCmpGeU32},
     {Opcode::kVCmpLtU16, Opcode::kVCmpGeU16}},
    {mir::Op::kUge,
     false,
     false,
     {Opcode::kSCmpGeU32, Opcode::kSCmpLtU32},
     {Opcode::kVCmpGeU32, Opcode::kVCmpLtU32},
     {Opcode::kVCmpGeU16, Opcode::kVCmpLtU16}},
    {mir::Op::kFeq,
     true,
     false,
     {kNoOpcode, kNoOpcode},
     {Opcode::kVCmpEqF32, Opcode::kVCmpNeqF32},
     {Opcode::kVCmpEqF16, Opcode::kVCmpNeqF16}},
    {mir::Op::kFne,
     true,
     false,
     {kNoOpcode, kNoOpcode},
     {Opcode::kVCmpNeqF32, Opcode::kVCmpEqF32},
     {Opcode::kVCmpNeqF16, Opcode::kVCmpEqF16}},
    {mir::Op::kFlt,
     true,
     false,
     {kNoOpcode, kNoOpcode},
     {Opcode::kVCmpLtF32, Opcode::kVCmpNltF32},
     {Opcode::kVCmpLtF16, Opcode::kVCmpNltF16}},
    {mir::Op::kFge,
     true,
     false,
     {kNoOpcode, kNoOpcode},
     {Opcode::kVCmpGeF32, Opcode::kVCmpNgeF32},
     {Opcode::kVCmpGeF16, Opcode::kVCmpNgeF16}},
};

// Returns the opcode of a comparison of doubles, or of its inverse.
Opcode OfDoubles(mir::Op op, bool inverse) {
  switch (op) {
    case mir::Op::kFeq: return inverse ? Opcode::kVCmpNeqF64 : Opcode::kVCmpEqF64;
    case mir::Op::kFne: return inverse ? Opcode::kVCmpEqF64 : Opcode::kVCmpNeqF64;
    case mir::Op::kFlt: return inverse ? Opcode::kVCmpNltF64 : Opcode::kVCmpLtF64;
    default: return inverse ? Opcode::kVCmpNgeF64 : Opcode::kVCmpGeF64;
  }
}

const Comparison* ComparisonOf(mir::Op op) {
  for (const Comparison& c : kComparisons) {
    if (c.op == op) return &c;
  }
  return nullptr;
}

}  // namespace

// ---- Forms.

// Returns true for a uniform boolean that is no mask.
bool Bools::IsScalarBool(mir::ValueId v) const {
  return e_.IsUniform(v) && !e_.IsIn(e_.Src(v), kFileM);
}

Operand Bools::MaskOf(mir::ValueId v) {
  const Operand o = e_.Src(v);
  if (e_.IsIn(o, kFileM)) return o;
  if (IsImm(o)) return e_.Pseudo(kMaskConst, kFileM, 1, {Imm(o.id & 1)});
  return e_.Pseudo(kMaskOfScc, kFileM, 1, {SccOf(v)});
}

// Returns true if SCC still is the value, at the end of the current block.
bool Bools::IsStillScc(const Operand& scc) const {
  const std::vector<lir::InstId>& insts = f_.block(b_.block()).insts;
  for (size_t i = insts.size(); i-- > 0;) {
    for (const Operand& def : f_.defs(insts[i])) {
      if (e_.IsIn(def, kFileScc)) return def.id == scc.id;
    }
    if (Gfx1030Machine().ops[f_.inst(insts[i]).op].clobbers != 0) return false;
  }
  return false;
}

Operand Bools::SccOf(mir::ValueId v) {
  Operand o = e_.Src(v);
  if (e_.IsIn(o, kFileScc)) {
    const Operand& number = numbers_[v.index];
    if (!Exists(number) || IsStillScc(o)) return o;
    o = number;
  }
  if (e_.IsIn(o, kFileM)) return e_.Pseudo(kMaskAny, kFileScc, 1, {o});
  return e_.SaluScc(Opcode::kSCmpLgU32, {e_.ToScalar(o), Imm(0)});
}

Operand Bools::NumberOf(mir::ValueId v) {
  const Operand o = e_.Src(v);
  if (IsImm(o) || e_.IsIn(o, kFileS)) return o;
  if (e_.IsIn(o, kFileScc) && Exists(numbers_[v.index])) return numbers_[v.index];
  return e_.Salu(Opcode::kSCselectB32, {Imm(1), Imm(0)}, SccOf(v));
}

Operand Bools::LaneNumberOf(mir::ValueId v) {
  if (IsScalarBool(v)) return e_.ToV(NumberOf(v));
  return e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(1), MaskOf(v)});
}

// v_cndmask gives source 1 in the lanes of the mask, with its modifiers.
Operand Bools::Select(mir::ValueId condition, Operand if_true, Operand if_false) {
  const Operand c = e_.Src(condition);
  if (IsImm(c)) {
    return WithoutModifiers(e_, (c.id & 1) != 0 ? if_true : if_false);
  }
  if (IsScalarBool(condition) && e_.IsScalar(if_true) && e_.IsScalar(if_false)) {
    if (IsImm(if_true) && IsImm(if_false) && if_true.id == 1 && if_false.id == 0) {
      return NumberOf(condition);
    }
    return e_.Salu(Opcode::kSCselectB32, {if_true, if_false}, SccOf(condition));
  }
  return e_.Valu(Opcode::kVCndmaskB32, {if_false, if_true, MaskOf(condition)});
}

// ---- Instructions.

absl::Status Bools::VisitBool(mir::InstId id) {
  const mir::Op op = m_.inst(id).op;
  if (ComparisonOf(op) != nullptr) {
    if (IsInvertedLater(id)) return absl::OkStatus();
    return VisitComparison(id, m_.result(id), false);
  }
  switch (op) {
    case mir::Op::kNot: return VisitNot(id);
    case mir::Op::kAnd: VisitLogic(id, Opcode::kSAndB32, kMaskAnd); return absl::OkStatus();
    case mir::Op::kOr: VisitLogic(id, Opcode::kSOrB32, kMaskOr); return absl::OkStatus();
    case mir::Op::kXor: VisitLogic(id, Opcode::kSXorB32, kMaskXor); return absl::OkStatus();
    case mir::Op::kSelect: VisitSelect(id); return absl::OkStatus();
    default: return e_.Unexpected("boolean operation not selected");
  }
}

// Returns true for a comparison of numbers whose only reader is a `not`, which makes it.
bool Bools::IsInvertedLater(mir::InstId id) {
  if (e_.IsBool(m_.source(id, 0))) return false;
  const absl::Span<const mir::Use> uses = e_.uses().Of(m_.result(id));
  return uses.size() == 1 && m_.inst(uses[0].inst).op == mir::Op::kNot;
}

// Returns true if the result is uniform and all sources are scalar numbers.
bool Bools::IsScalarWork(mir::InstId id) const {
  return e_.IsUniform(m_.result(id)) && e_.IsScalar(e_.Src(m_.source(id, 0))) &&
         e_.IsScalar(e_.Src(m_.source(id, 1)));
}

// Returns true for a select of 1 and 0: the number of its condition.
bool Bools::IsOneOrZero(mir::InstId select) const {
  const mir::Value& a = m_.value(m_.source(select, 1));
  const mir::Value& b = m_.value(m_.source(select, 2));
  const auto kConstant = mir::Value::Kind::kConstant;
  return a.kind == kConstant && b.kind == kConstant && a.bits == 1 && b.bits == 0;
}

// Returns true if some reader is likely to want the number of a uniform boolean.
bool Bools::IsReadAsNumber(mir::ValueId v) {
  return std::any_of(e_.uses().Of(v).begin(), e_.uses().Of(v).end(), [&](const mir::Use& use) {
    const mir::Inst& reader = m_.inst(use.inst);
    if (reader.num_results != 1 || !e_.IsUniform(m_.result(use.inst))) return false;
    const bool zero_or_one = reader.op == mir::Op::kSelect && IsOneOrZero(use.inst);
    return e_.IsBool(m_.result(use.inst)) || zero_or_one;
  });
}

void Bools::SetScc(mir::ValueId result, Operand scc) {
  if (IsReadAsNumber(result)) {
    numbers_[result.index] = e_.Salu(Opcode::kSCselectB32, {Imm(1), Imm(0)}, scc);
  }
  e_.Set(result, scc);
}

absl::Status Bools::VisitComparison(mir::InstId id, mir::ValueId result, bool inverse) {
  const Comparison& c = *ComparisonOf(m_.inst(id).op);
  const mir::ValueId a = m_.source(id, 0), b = m_.source(id, 1);
  if (e_.IsBool(a)) {
    // Equal booleans: their exclusive or is false.
    const bool equal = (c.op == mir::Op::kIeq) != inverse;
    if (IsScalarBool(a) && IsScalarBool(b)) {
      const Opcode op = equal ? Opcode::kSCmpEqU32 : Opcode::kSCmpLgU32;
      SetScc(result, e_.SaluScc(op, {NumberOf(a), NumberOf(b)}));
      return absl::OkStatus();
    }
    const Operand differ = e_.Pseudo(kMaskXor, kFileM, 1, {MaskOf(a), MaskOf(b)});
    e_.Set(result, equal ? e_.Pseudo(kMaskNot, kFileM, 1, {differ}) : differ);
    return absl::OkStatus();
  }
  const uint32_t bits = e_.BitsOf(a);
  if (bits == 64 && c.is_float) {
    e_.Set(result, e_.Compare(OfDoubles(c.op, inverse), DoubleSource(e_, a), DoubleSource(e_, b)));
    return absl::OkStatus();
  }
  if (bits != 32 && bits != 16) return e_.Unexpected("comparison of this width");
  if (!c.is_float && IsScalarWork(id)) {
    SetScc(result, e_.SaluScc(c.scalar[inverse ? 1 : 0],
                              {e_.Widened(a, c.is_signed), e_.Widened(b, c.is_signed)}));
    return absl::OkStatus();
  }
  const Opcode op = (bits == 16 ? c.words : c.dwords)[inverse ? 1 : 0];
  const Operand x = c.is_float ? FloatSource(e_, a) : e_.Src(a);
  const Operand y = c.is_float ? FloatSource(e_, b) : e_.Src(b);
  e_.Set(result, e_.Compare(op, x, y));
  return absl::OkStatus();
}

// Sets the result to the SCC and the number of a scalar operation on numbers 0 and 1.
void Bools::SetScalar(mir::ValueId result, Opcode op, Operand a, Operand b) {
  const Emission::WithScc both = e_.SaluBoth(op, {a, b});
  numbers_[result.index] = both.result;
  e_.Set(result, both.scc);
}

absl::Status Bools::VisitNot(mir::InstId id) {
  const mir::ValueId result = m_.result(id), v = m_.source(id, 0);
  if (m_.value(v).kind == mir::Value::Kind::kResult) {
    const mir::InstId def{m_.value(v).owner};
    if (ComparisonOf(m_.inst(def).op) != nullptr && IsInvertedLater(def)) {
      return VisitComparison(def, result, true);
    }
  }
  if (IsScalarBool(v)) {
    SetScalar(result, Opcode::kSXorB32, NumberOf(v), Imm(1));
  } else {
    e_.Set(result, e_.Pseudo(kMaskNot, kFileM, 1, {MaskOf(v)}));
  }
  return absl::OkStatus();
}

void Bools::VisitLogic(mir::InstId id, Opcode scalar, LirOp mask) {
  const mir::ValueId result = m_.result(id), a = m_.source(id, 0), b = m_.source(id, 1);
  if (e_.IsUniform(result) && IsScalarBool(a) && IsScalarBool(b)) {
    return SetScalar(result, scalar, NumberOf(a), NumberOf(b));
  }
  e_.Set(result, e_.Pseudo(mask, kFileM, 1, {MaskOf(a), MaskOf(b)}));
}

// Selects a mask of which one side is the same in all lanes, by fewer operations than of two masks;
// returns false if neither is.
bool Bools::SelectOfConstant(mir::ValueId result, mir::ValueId c, mir::ValueId a, mir::ValueId b) {
  const auto mask = [&](LirOp op, mir::ValueId x, mir::ValueId y) {
    return e_.Pseudo(op, kFileM, 1, {MaskOf(x), MaskOf(y)});
  };
  const Operand if_true = e_.Src(a), if_false = e_.Src(b);
  if (IsImm(if_true)) {
    e_.Set(result, (if_true.id & 1) != 0 ? mask(kMaskOr, b, c) : mask(kMaskAndNot, b, c));
  } else if (IsImm(if_false)) {
    const bool on = (if_false.id & 1) != 0;  // in lanes that the condition does not choose
    e_.Set(result,
           on ? e_.Pseudo(kMaskNot, kFileM, 1, {mask(kMaskAndNot, c, a)}) : mask(kMaskAnd, a, c));
  } else {
    return false;
  }
  return true;
}

// Logic makes SCC, which s_cselect does not.
void Bools::SelectNumber(mir::ValueId result, mir::ValueId c, Operand if_true, Operand if_false) {
  if (IsImm(if_true) && if_true.id == 1) {
    SetScalar(result, Opcode::kSOrB32, NumberOf(c), if_false);
  } else if (IsImm(if_false) && if_false.id == 0) {
    SetScalar(result, Opcode::kSAndB32, NumberOf(c), if_true);
  } else if (IsImm(if_true) && if_true.id == 0) {
    SetScalar(result, Opcode::kSAndn2B32, if_false, NumberOf(c));
  } else {
    e_.Set(result, Select(c, if_true, if_false));
  }
}

void Bools::VisitSelect(mir::InstId id) {
  const mir::ValueId result = m_.result(id);
  const mir::ValueId c = m_.source(id, 0), a = m_.source(id, 1), b = m_.source(id, 2);
  if (e_.IsUniform(result) && IsScalarBool(c) && IsScalarBool(a) && IsScalarBool(b)) {
    return SelectNumber(result, c, NumberOf(a), NumberOf(b));
  }
  if (SelectOfConstant(result, c, a, b)) return;
  const Operand condition = MaskOf(c);
  const Operand taken = e_.Pseudo(kMaskAnd, kFileM, 1, {MaskOf(a), condition});
  const Operand other = e_.Pseudo(kMaskAndNot, kFileM, 1, {MaskOf(b), condition});
  e_.Set(result, e_.Pseudo(kMaskOr, kFileM, 1, {taken, other}));
}

}  // namespace kiln::amd
