#include "core/front/ops/op_emitter.h"

namespace kiln::front {
namespace {

// Returns true if a source with this letter of a signature may have the type; '*' is a bitcast's.
bool Fits(char letter, mir::Type type) {
  switch (letter) {
    case 'b': return type == mir::Type::kBool;
    case 'u': return type == mir::Type::kI32;
    case 's': return type == mir::Type::kF32;
    case 'd': return type == mir::Type::kF64;
    case 'i': return mir::IsInt(type);
    case 'f': return mir::IsFloat(type);
    case 'n': return !mir::IsFloat(type);
    case 't': return true;
    default: return type != mir::Type::kBool;
  }
}

}  // namespace

ValueId OpEmitter::Emit(mir::Op op, absl::Span<const ValueId> sources, uint32_t imm0) const {
  const mir::OpInfo& info = mir::Info(op);
  const std::string_view signature = info.signature;
  const size_t equals = signature.find('=');
  bool fits = signature.size() - equals - 1 == sources.size();
  const std::string_view letters = signature.substr(equals + 1);
  for (size_t i = 0; fits && i < sources.size(); ++i) {
    fits = sources[i].valid() && Fits(letters[i], TypeOf(sources[i])) &&
           TypeOf(sources[i]) == TypeOf(sources[letters.find(letters[i])]) &&
           !(info.Has('L') && TypeOf(sources[i]) == mir::Type::kF64);
  }
  if (!fits) {
    Malformed("operand types of " + std::string(info.name), e_.builder.spirv_id());
    return e_.builder.Undef(mir::Type::kI32);
  }
  const uint16_t flags = FloatFlags(info, sources);
  if (flags != 0) e_.builder.set_flags(flags);
  const ValueId value = e_.builder.Emit(op, sources, imm0);
  if (flags != 0) e_.builder.set_flags(0);
  return value;
}

// Returns flags for arithmetic and comparisons. Ops that move or convert bits have no licences.
uint16_t OpEmitter::FloatFlags(const mir::OpInfo& info, absl::Span<const ValueId> sources) const {
  if (info.signature.find('f') == std::string_view::npos) return 0;
  uint16_t flags = 0;
  for (const ValueId v : sources) flags |= e_.float_limits.Of(TypeOf(v));
  if (e_.no_contraction && info.signature[0] == 'f') flags |= mir::kExact;
  return flags;
}

void OpEmitter::NeedTexelOffset(int32_t offset, uint32_t id) const {
  const bool below = offset < mir::kLeastTexelOffsetOfAll;
  if (!below && offset <= mir::kGreatestTexelOffsetOfAll) return;
  const mir::Need need = below ? mir::Need::kLeastTexelOffset : mir::Need::kGreatestTexelOffset;
  const mir::Needed needed{need, id, e_.errors.instruction(), offset};
  for (mir::Needed& n : module().needs) {
    if (n.need != need) continue;
    if (below ? offset < n.amount : offset > n.amount) n = needed;
    return;
  }
  module().needs.push_back(needed);
}

void OpEmitter::NeedDoubles(mir::DoubleUse use, uint32_t id) const {
  std::vector<mir::Needed>& needs = module().needs;
  if (module().Needs(mir::Need::kFloat64)) return;
  needs.insert(needs.begin(),
               {mir::Need::kFloat64, id, e_.errors.instruction(), static_cast<int32_t>(use)});
}

ValueId OpEmitter::FloatLike(ValueId like, double x) const {
  if (TypeOf(like) == mir::Type::kF64) return builder().Double(x);
  const ValueId single = Float(static_cast<float>(x));
  return ConvertFloat(single, TypeOf(like) == mir::Type::kF16 ? mir::Type::kF16 : mir::Type::kF32);
}

ValueId OpEmitter::Reciprocal(ValueId x) const {
  if (TypeOf(x) != mir::Type::kF64) return Emit(mir::Op::kFrcp, {x});
  return Emit(mir::Op::kFdiv, {FloatLike(x, 1), x});
}

ValueId OpEmitter::InverseSqrt(ValueId x) const {
  if (TypeOf(x) != mir::Type::kF64) return Emit(mir::Op::kFrsq, {x});
  return Reciprocal(Emit(mir::Op::kFsqrt, {x}));
}

bool OpEmitter::IsConstant(ValueId v, uint32_t* bits) const {
  if (!e_.module.IsConstant(v)) return false;
  *bits = static_cast<uint32_t>(e_.module.value(v).bits);
  return TypeOf(v) != mir::Type::kI64;
}

bool OpEmitter::IsWideConstant(ValueId v) const {
  if (!e_.module.IsConstant(v) || TypeOf(v) != mir::Type::kI64) return false;
  const auto bits = static_cast<int64_t>(e_.module.value(v).bits);
  return bits < INT32_MIN || bits > int64_t{UINT32_MAX};
}

ValueId OpEmitter::Convert(mir::Op op, ValueId v, mir::Type to) const {
  return e_.builder.Convert(op, v, to);
}

ValueId OpEmitter::ConvertInt(ValueId v, mir::Type to, bool is_signed) const {
  const mir::Type from = TypeOf(v);
  if (from == to) return v;
  if (e_.module.IsConstant(v)) {
    const uint64_t bits = e_.module.value(v).bits;
    return e_.builder.IntOf(to,
                            is_signed ? mir::SignExtend(from, bits) : static_cast<int64_t>(bits));
  }
  const bool wider = mir::BitsOf(to) > mir::BitsOf(from);
  return Convert(!wider ? mir::Op::kTrunc : is_signed ? mir::Op::kSext : mir::Op::kZext, v, to);
}

bool OpEmitter::WasNarrow(ValueId v, bool is_signed) const {
  if (e_.module.value(v).kind != mir::Value::Kind::kResult) return false;
  const mir::InstId id(e_.module.value(v).owner);
  const mir::Op op = e_.module.inst(id).op;
  if (op == mir::Op::kSext) return true;
  return op == mir::Op::kZext && (!is_signed || mir::BitsOf(TypeOf(e_.module.source(id, 0))) < 32);
}

ValueId OpEmitter::FitsIndex(ValueId v, bool is_signed) const {
  const ValueId low = ConvertInt(v, mir::Type::kI32, is_signed);
  return Emit(mir::Op::kIeq, {ConvertInt(low, mir::Type::kI64, is_signed), v});
}

ValueId OpEmitter::ToIndex(ValueId v, bool is_signed) const {
  if (IsWideConstant(v)) return Int(~0u);
  const ValueId low = ConvertInt(v, mir::Type::kI32, is_signed);
  if (TypeOf(v) != mir::Type::kI64 || e_.module.IsConstant(v) || WasNarrow(v, is_signed))
    return low;
  return Emit(mir::Op::kSelect, {FitsIndex(v, is_signed), low, Int(~0u)});
}

ValueId OpEmitter::ConvertFloat(ValueId v, mir::Type to) const {
  return TypeOf(v) == to ? v : Convert(mir::Op::kF2f, v, to);
}

ValueId OpEmitter::AsInt(ValueId v) const {
  return mir::IsFloat(TypeOf(v)) ? Emit(mir::Op::kBitcast, {v}) : v;
}

ValueId OpEmitter::FromInt(ValueId v, mir::Type to) const {
  return mir::IsFloat(to) ? Emit(mir::Op::kBitcast, {v}) : v;
}

void OpEmitter::Recut(absl::Span<const ValueId> from, mir::Type part, Leaves* out) const {
  const uint32_t old_bits = mir::BitsOf(TypeOf(from[0]));
  const uint32_t new_bits = mir::BitsOf(part);
  const mir::Type whole = mir::IntOfBits(new_bits);
  if (old_bits == 32 && part == mir::Type::kF64) {
    for (size_t i = 0; i + 2 <= from.size(); i += 2) {
      out->push_back(Emit(mir::Op::kPackF64, {AsInt(from[i]), AsInt(from[i + 1])}));
    }
    return;
  }
  if (new_bits == 32 && TypeOf(from[0]) == mir::Type::kF64) {
    for (ValueId v : from) {
      out->push_back(FromInt(Emit(mir::Op::kF64Low, {v}), part));
      out->push_back(FromInt(Emit(mir::Op::kF64High, {v}), part));
    }
    return;
  }
  if (new_bits < old_bits) {
    for (ValueId v : from) {
      const ValueId bits = AsInt(v);
      for (uint32_t shift = 0; shift < old_bits; shift += new_bits) {
        const ValueId field = shift == 0 ? bits : Emit(mir::Op::kUshr, {bits, Int(shift)});
        out->push_back(FromInt(ConvertInt(field, whole, false), part));
      }
    }
    return;
  }
  const size_t parts = new_bits / old_bits;
  for (size_t i = 0; i + parts <= from.size(); i += parts) {
    ValueId sum;
    for (size_t k = 0; k < parts; ++k) {
      const ValueId field = ConvertInt(AsInt(from[i + k]), whole, false);
      const auto shift = static_cast<uint32_t>(k) * old_bits;
      sum = k == 0 ? field : Emit(mir::Op::kOr, {sum, Emit(mir::Op::kShl, {field, Int(shift)})});
    }
    out->push_back(FromInt(sum, part));
  }
}

ValueId OpEmitter::ToMemory(ValueId v) const {
  if (TypeOf(v) != mir::Type::kBool) return v;
  return Emit(mir::Op::kSelect, {v, Int(1), Int(0)});
}

ValueId OpEmitter::FromMemory(ValueId v, mir::Type type) const {
  return type == mir::Type::kBool ? Emit(mir::Op::kIne, {v, Int(0)}) : v;
}

ValueId OpEmitter::SelectComponent(absl::Span<const ValueId> components, ValueId index) const {
  ValueId value = components[0];
  for (size_t i = 1; i < components.size(); ++i) {
    const ValueId is = Emit(mir::Op::kIeq, {index, Int(static_cast<uint32_t>(i))});
    value = Emit(mir::Op::kSelect, {is, components[i], value});
  }
  return UndefinedBeyond(index, static_cast<uint32_t>(components.size()), value);
}

ValueId OpEmitter::UndefinedWhere(ValueId condition, ValueId value) const {
  if (!e_.mark_undefined || !condition.valid() || !ok()) return value;
  return Emit(mir::Op::kSelect, {condition, e_.builder.Undef(TypeOf(value)), value});
}

ValueId OpEmitter::UndefinedBeyond(ValueId index, uint32_t count, ValueId value) const {
  if (!e_.mark_undefined) return value;
  uint32_t bits = 0;
  if (IsConstant(index, &bits) && bits < count) return value;
  return UndefinedWhere(Emit(mir::Op::kUge, {index, e_.builder.IntOf(TypeOf(index), count)}),
                        value);
}

}  // namespace kiln::front
