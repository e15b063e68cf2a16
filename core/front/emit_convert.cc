// Between types: widths of integers and floats, bits as another type, addresses as pointers.
#include "core/front/importer.h"
#include "core/front/refusal.h"

namespace kiln::front {

ValueId Importer::Convert(mir::Op op, ValueId v, mir::Type to) {
  return builder_.Convert(op, v, to);
}

ValueId Importer::FloatLike(ValueId like, float x) {
  return TypeOf(like) == mir::Type::kF16 ? Convert(mir::Op::kF2f, Float(x), mir::Type::kF16)
                                         : Float(x);
}

// Between integers of any widths.
ValueId Importer::ConvertInt(ValueId v, mir::Type to, bool is_signed) {
  const mir::Type from = TypeOf(v);
  if (from == to) return v;
  if (module_.IsConstant(v)) {
    const uint64_t bits = module_.value(v).bits;
    return builder_.IntOf(to, is_signed ? mir::SignExtend(from, bits) : static_cast<int64_t>(bits));
  }
  const bool wider = mir::BitsOf(to) > mir::BitsOf(from);
  return Convert(!wider ? mir::Op::kTrunc : is_signed ? mir::Op::kSext : mir::Op::kZext, v, to);
}

ValueId Importer::ConvertFloat(ValueId v, mir::Type to) {
  return TypeOf(v) == to ? v : Convert(mir::Op::kF2f, v, to);
}

// To a narrower type, towards zero whatever the rounding mode: what was rounded away from zero goes
// back by one unit, infinity to the largest number.
ValueId Importer::ConvertToZero(ValueId v, mir::Type to) {
  using mir::Op;
  const ValueId nearest = ConvertFloat(v, to);
  if (TypeOf(v) != mir::Type::kF32 || to != mir::Type::kF16) return nearest;
  const ValueId back = ConvertFloat(nearest, mir::Type::kF32);
  const ValueId beyond = Emit(Op::kFlt, {Emit(Op::kFabs, {v}), Emit(Op::kFabs, {back})});
  const ValueId bits = AsInt(nearest);
  const ValueId less = Emit(Op::kIsub, {bits, builder_.IntOf(mir::Type::kI16, 1)});
  return FromInt(Emit(Op::kSelect, {beyond, less, bits}), to);
}

// What the decoration FPRoundingMode of a conversion asks for.
bool Importer::RoundConversion(const SpirvInst& inst, bool* to_zero) {
  const uint32_t mode = spirv_.decorations[inst.result].rounding;
  *to_zero = mode == static_cast<uint32_t>(spv::FPRoundingMode::RTZ);
  const bool to_even = mode == static_cast<uint32_t>(spv::FPRoundingMode::RTE);
  if (mode == kNoValue || *to_zero || (to_even && !module_.round_to_zero)) return true;
  return Refuse("float_controls", "rounding of a conversion", inst.result);
}

// A constant that 32 bits do not hold, of either sign.
bool Importer::IsWideConstant(ValueId v) const {
  if (!module_.IsConstant(v) || TypeOf(v) != mir::Type::kI64) return false;
  const auto bits = static_cast<int64_t>(module_.value(v).bits);
  return bits < INT32_MIN || bits > int64_t{UINT32_MAX};
}

bool Importer::GetIndex(uint32_t id, ValueId* value) {
  Leaves leaves;
  uint32_t type = 0;
  if (!Get(id, &leaves, &type)) return false;
  if (leaves.size() != 1 || spirv_.Type(type)->kind != SpirvType::kInt) {
    return Malformed("operand is no integer", id);
  }
  const bool is_signed = spirv_.Type(type)->is_signed;
  *value = IsWideConstant(leaves[0]) ? Int(~0u) : ConvertInt(leaves[0], mir::Type::kI32, is_signed);
  return true;
}

ValueId Importer::AsInt(ValueId v) {
  return mir::IsFloat(TypeOf(v)) ? Emit(mir::Op::kBitcast, {v}) : v;
}

ValueId Importer::FromInt(ValueId v, mir::Type to) {
  return mir::IsFloat(to) ? Emit(mir::Op::kBitcast, {v}) : v;
}

bool Importer::EmitConvert(const SpirvInst& inst, bool* handled) {
  const bool widths = inst.op == spv::Op::OpUConvert || inst.op == spv::Op::OpSConvert ||
                      inst.op == spv::Op::OpFConvert;
  *handled = true;
  if (inst.op == spv::Op::OpBitcast) return EmitBitcast(inst);
  if (inst.op == spv::Op::OpConvertPtrToU || inst.op == spv::Op::OpConvertUToPtr) {
    return EmitPointerConversion(inst);
  }
  if (!widths) {
    *handled = false;
    return true;
  }
  Leaves operands;
  if (!Operands(inst, 3, 1, &operands)) return false;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  const bool floats = inst.op == spv::Op::OpFConvert;
  bool to_zero = false;
  if (floats && !RoundConversion(inst, &to_zero)) return false;
  Leaves leaves;
  for (size_t i = 0; i < operands.size(); ++i) {
    const mir::Type from = TypeOf(operands[i]);
    const bool fits = floats ? mir::IsFloat(from) && mir::IsFloat(types[i])
                             : mir::IsInt(from) && mir::IsInt(types[i]);
    if (!fits) return Malformed("conversion of another type", inst.result);
    leaves.push_back(floats ? (to_zero ? ConvertToZero(operands[i], types[i])
                                       : ConvertFloat(operands[i], types[i]))
                            : ConvertInt(operands[i], types[i], inst.op == spv::Op::OpSConvert));
  }
  return ok() && Define(inst, leaves);
}

// The bits of `from` in order, low ones first, as values of `part`, which has another width.
void Importer::Recut(absl::Span<const ValueId> from, mir::Type part, Leaves* out) {
  using mir::Op;
  const uint32_t old_bits = mir::BitsOf(TypeOf(from[0]));
  const uint32_t new_bits = mir::BitsOf(part);
  const mir::Type whole = mir::IntOfBits(new_bits);
  if (new_bits < old_bits) {
    for (ValueId v : from) {
      const ValueId bits = AsInt(v);
      for (uint32_t shift = 0; shift < old_bits; shift += new_bits) {
        const ValueId field = shift == 0 ? bits : Emit(Op::kUshr, {bits, Int(shift)});
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
      sum = k == 0 ? field : Emit(Op::kOr, {sum, Emit(Op::kShl, {field, Int(shift)})});
    }
    out->push_back(FromInt(sum, part));
  }
}

bool Importer::EmitBitcast(const SpirvInst& inst) {
  const SpirvType* to = spirv_.Type(inst.type);
  if (to->kind == SpirvType::kPointer && !to->IsPhysicalPointer()) {
    return Refuse("variable_pointers", "pointer made by OpBitcast", inst.result);
  }
  if (Supported(inst.type) == nullptr) return false;
  Leaves from;
  uint32_t from_type = 0;
  if (!Get(inst.operand(3), &from, &from_type)) return false;
  if (spirv_.Type(from_type)->IsValuePointer()) {
    return Refuse("variable_pointers", "bits of a pointer", inst.result);
  }
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  uint64_t bits[2] = {0, 0};
  for (ValueId v : from) bits[0] += mir::BitsOf(TypeOf(v));
  for (mir::Type t : types) bits[1] += mir::BitsOf(t);
  if (bits[0] != bits[1] || types.empty()) return Malformed("bitcast to another size", inst.result);
  if (TypeOf(from[0]) == mir::Type::kBool || types[0] == mir::Type::kBool) {
    return Malformed("bitcast of bools", inst.result);
  }
  Leaves leaves;
  if (types.size() != from.size()) {
    Recut(from, types[0], &leaves);
    return ok() && Define(inst, leaves);
  }
  for (size_t i = 0; i < from.size(); ++i) {
    if (mir::BitsOf(TypeOf(from[i])) != mir::BitsOf(types[i])) {
      return Malformed("bitcast of a composite", inst.result);
    }
    leaves.push_back(TypeOf(from[i]) == types[i] ? from[i] : Emit(mir::Op::kBitcast, {from[i]}));
  }
  return Define(inst, leaves);
}

// A pointer to physical memory is its address.
bool Importer::EmitPointerConversion(const SpirvInst& inst) {
  Leaves from;
  uint32_t type = 0;
  if (Supported(inst.type) == nullptr || !Get(inst.operand(3), &from, &type)) return false;
  const SpirvType& pointer =
      *spirv_.Type(inst.op == spv::Op::OpConvertUToPtr ? inst.type : type);
  if (!pointer.IsPhysicalPointer() || from.size() != 1 || !mir::IsInt(TypeOf(from[0]))) {
    return Malformed("conversion of what is no address", inst.result);
  }
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() != 1 || !mir::IsInt(types[0])) return Malformed("address", inst.result);
  return Define(inst, {ConvertInt(from[0], types[0], false)});
}

}  // namespace kiln::front
