// Selects arithmetic: one instruction or a short sequence per operation. Uniform integers whose
// sources are scalar are computed by scalar instructions, all else by vector instructions.
#include "core/amd/select/arithmetic.h"

#include <algorithm>

#include "core/amd/select/modifiers.h"

namespace kiln::amd {

// Returns true if the result is uniform, and all sources are scalar registers or constants.
// Returns true for a negation or absolute value that has no instruction of its own.
bool Arithmetic::IsModifierAlone(mir::ValueId v) const {
  const mir::Value& value = m_.value(v);
  if (value.kind != mir::Value::Kind::kResult) return false;
  const mir::InstId id{value.owner};
  const mir::Op op = m_.inst(id).op;
  return (op == mir::Op::kFneg || op == mir::Op::kFabs) && IsOnlyModifier(e_, id);
}

bool Arithmetic::IsScalarWork(mir::InstId id) const {
  if (!e_.IsUniform(m_.result(id))) return false;
  const absl::Span<const mir::ValueId> sources = m_.sources(id);
  return std::all_of(sources.begin(), sources.end(),
                     [&](mir::ValueId v) { return !IsModifierAlone(v) && e_.IsScalar(e_.Src(v)); });
}

absl::Status Arithmetic::VisitAlu(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const bool is_double = m_.value(result).type == mir::Type::kF64;
  if (e_.BitsOf(result) > 32 && !is_double) return e_.Unexpected("an integer of 64 bits");
  if (inst.num_sources == 0) return e_.Unexpected("operation not selected");
  if (fusions_.IsFused(id) || carries_.IsDone(id) || parts_.IsAbsorbed(id)) {
    return absl::OkStatus();
  }
  if (inst.op == mir::Op::kSelect) {
    const auto side = [&](int i) {
      return SelectTakesModifiers(e_, id) ? FloatSource(e_, m_.source(id, i)) : Source(id, i);
    };
    e_.Set(result,
           is_double ? SelectDouble(id) : bools_.Select(m_.source(id, 0), side(1), side(2)));
    return absl::OkStatus();
  }
  if (carries_.Visit(id)) return absl::OkStatus();
  if (const auto pair = parts_.PairOf(id)) {
    // Bytes 0 and 1 of the second source, then those of the first one.
    e_.Set(result,
           e_.Valu(Opcode::kVPermB32, {e_.Src(pair->high), e_.Src(pair->low), Imm(0x05040100)}));
    return absl::OkStatus();
  }
  if (const auto fusion = fusions_.Of(id)) {
    e_.Set(result, Fused(id, *fusion));
    return absl::OkStatus();
  }
  if ((inst.op == mir::Op::kFneg || inst.op == mir::Op::kFabs) && IsOnlyModifier(e_, id)) {
    return absl::OkStatus();
  }
  const mir::Type source_type = m_.value(m_.source(id, 0)).type;
  const bool doubles = source_type == mir::Type::kF64 || inst.op == mir::Op::kPackF64;
  const bool floats = mir::IsFloat(source_type);
  const Operand o =
      doubles ? FirstOf(id, {&Arithmetic::OfDoubles})
      : floats
          ? FirstOf(id, {&Arithmetic::Float, &Arithmetic::FloatFunction, &Arithmetic::HalfFunction})
          : FirstOf(id, {&Arithmetic::Integer, &Arithmetic::Word, &Arithmetic::Bits,
                         &Arithmetic::DotProduct});
  if (!Exists(o)) return e_.Unexpected("operation not selected");
  e_.Set(result, o);
  switch (inst.op) {
    case mir::Op::kFadd:
    case mir::Op::kFsub:
    case mir::Op::kFmul:
    case mir::Op::kFfma: made_in_[result.index] = b_.block(); break;
    default: break;
  }
  return absl::OkStatus();
}

// Returns what the first group that has the operation makes of it, or the conversion that it is.
Operand Arithmetic::FirstOf(mir::InstId id, std::initializer_list<Group> groups) {
  for (Group group : groups) {
    if (const Operand o = (this->*group)(id); Exists(o)) return o;
  }
  return conversions_.Conversion(id);
}

Operand Arithmetic::SelectDouble(mir::InstId id) {
  const auto half = [&](int i) {
    return bools_.Select(m_.source(id, 0), e_.Half(m_.source(id, 1), i),
                         e_.Half(m_.source(id, 2), i));
  };
  const Operand low = half(0);
  return doubles_.Pack(low, half(1));
}

Operand Arithmetic::Fused(mir::InstId id, const Fusion& fusion) {
  Operand s[3];
  bool scalar = e_.IsUniform(m_.result(id));
  for (int i = 0; i < 3; ++i) {
    const auto [v, constant] = fusion.sources[i];
    const bool is_float = v.valid() && mir::IsFloat(m_.value(v).type);
    s[i] = !v.valid() ? Imm(constant) : is_float ? FloatSource(e_, v) : e_.Src(v);
    scalar = scalar && e_.IsScalar(s[i]);
  }
  if (!scalar) return e_.Valu(fusion.op, {s[0], s[1], s[2]});
  // Fusions::HasScalarForm
  constexpr Opcode kShiftedAdds[] = {Opcode::kSLshl1AddU32, Opcode::kSLshl2AddU32,
                                     Opcode::kSLshl3AddU32, Opcode::kSLshl4AddU32};
  switch (fusion.op) {
    case Opcode::kVBfeU32: return e_.Salu(Opcode::kSBfeU32, {s[0], Imm(s[1].id | s[2].id << 16)});
    case Opcode::kVBfeI32: return e_.Salu(Opcode::kSBfeI32, {s[0], Imm(s[1].id | s[2].id << 16)});
    default: return e_.Salu(kShiftedAdds[s[1].id - 1], {s[0], s[2]});
  }
}

}  // namespace kiln::amd
