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
  return std::all_of(sources.begin(), sources.end(), [&](mir::ValueId v) {
    return !IsModifierAlone(v) && e_.IsScalar(e_.Src(v));
  });
}

absl::Status Arithmetic::VisitAlu(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  if (e_.BitsOf(result) > 32) return e_.Unexpected("a number of 64 bits");
  if (inst.num_sources == 0) return e_.Unexpected("operation not selected");
  if (fusions_.IsFused(id) || carries_.IsDone(id) || parts_.IsAbsorbed(id)) {
    return absl::OkStatus();
  }
  if (inst.op == mir::Op::kSelect) {
    e_.Set(result, bools_.Select(m_.source(id, 0), Source(id, 1), Source(id, 2)));
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
    e_.Set(result, Fused(*fusion));
    return absl::OkStatus();
  }
  if ((inst.op == mir::Op::kFneg || inst.op == mir::Op::kFabs) && IsOnlyModifier(e_, id)) {
    return absl::OkStatus();
  }
  for (auto group :
       {&Arithmetic::Integer, &Arithmetic::Word, &Arithmetic::Bits, &Arithmetic::DotProduct,
        &Arithmetic::Float, &Arithmetic::FloatFunction, &Arithmetic::HalfFunction}) {
    const Operand o = (this->*group)(id);
    if (!Exists(o)) continue;
    e_.Set(result, o);
    return absl::OkStatus();
  }
  const Operand o = conversions_.Conversion(id);
  if (!Exists(o)) return e_.Unexpected("operation not selected");
  e_.Set(result, o);
  return absl::OkStatus();
}

Operand Arithmetic::Fused(const Fusion& fusion) {
  Operand sources[3];
  for (int i = 0; i < 3; ++i) {
    const mir::ValueId v = fusion.sources[i];
    sources[i] = mir::IsFloat(m_.value(v).type) ? FloatSource(e_, v) : e_.Src(v);
  }
  return e_.Valu(fusion.op, {sources[0], sources[1], sources[2]});
}

}  // namespace kiln::amd
