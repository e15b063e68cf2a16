// Emits conversions: widths of integers and floats, bits as another type, addresses as pointers.
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

class ConvertEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitConvert(const SpirvInst& inst, bool* handled);

 private:
  ValueId ConvertToZero(ValueId v, mir::Type to);
  bool RoundConversion(const SpirvInst& inst, mir::Type to, bool* to_zero);
  bool EmitBitcast(const SpirvInst& inst);
  bool EmitPointerConversion(const SpirvInst& inst);
};

}  // namespace

// Converts to a narrower type towards zero, whatever the rounding mode: a result rounded away from
// zero is decremented by one unit, infinity becomes the largest number.
ValueId ConvertEmitter::ConvertToZero(ValueId v, mir::Type to) {
  using mir::Op;
  const ValueId nearest = ConvertFloat(v, to);
  if (mir::BitsOf(TypeOf(v)) <= mir::BitsOf(to)) return nearest;
  const ValueId back = ConvertFloat(nearest, TypeOf(v));
  const ValueId beyond = Emit(Op::kFlt, {Emit(Op::kFabs, {v}), Emit(Op::kFabs, {back})});
  const ValueId bits = AsInt(nearest);
  const ValueId less = Emit(Op::kIsub, {bits, builder().IntOf(TypeOf(bits), 1)});
  return FromInt(Emit(Op::kSelect, {beyond, less, bits}), to);
}

// Reads a conversion's decoration FPRoundingMode. MIR's conversions have the rounding mode of their
// result's width; one towards zero is a sequence of ops, one to nearest even in a module that
// rounds results of the width towards zero has none.
bool ConvertEmitter::RoundConversion(const SpirvInst& inst, mir::Type to, bool* to_zero) {
  const uint32_t mode = spirv().decorations[inst.result].rounding;
  *to_zero = mode == static_cast<uint32_t>(spv::FPRoundingMode::RTZ);
  const bool to_even = mode == static_cast<uint32_t>(spv::FPRoundingMode::RTE);
  const bool towards_zero = mir::RoundsToZero(module(), mir::Op::kF2f, to);
  if (mode == kNoValue || *to_zero || (to_even && !towards_zero)) return true;
  return Refuse("float_controls", "conversion with a rounding mode", inst.result);
}

bool ConvertEmitter::EmitConvert(const SpirvInst& inst, bool* handled) {
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
  if (floats && !RoundConversion(inst, types[0], &to_zero)) return false;
  Leaves leaves;
  for (size_t i = 0; i < operands.size(); ++i) {
    const mir::Type from = TypeOf(operands[i]);
    const bool fits = floats ? mir::IsFloat(from) && mir::IsFloat(types[i])
                             : mir::IsInt(from) && mir::IsInt(types[i]);
    if (!fits) return Malformed("conversion to an incompatible type", inst.result);
    leaves.push_back(floats ? (to_zero ? ConvertToZero(operands[i], types[i])
                                       : ConvertFloat(operands[i], types[i]))
                            : ConvertInt(operands[i], types[i], inst.op == spv::Op::OpSConvert));
  }
  return ok() && Define(inst, leaves);
}

bool ConvertEmitter::EmitBitcast(const SpirvInst& inst) {
  const SpirvType* to = spirv().Type(inst.type);
  if (to->kind == SpirvType::kPointer && !to->IsPhysicalPointer()) {
    return Refuse("variable_pointers", "pointer made by OpBitcast", inst.result);
  }
  if (Supported(inst.type) == nullptr) return false;
  Leaves from;
  uint32_t from_type = 0;
  if (!Get(inst.operand(3), &from, &from_type)) return false;
  if (spirv().Type(from_type)->IsValuePointer()) {
    return Refuse("variable_pointers", "bits of a pointer", inst.result);
  }
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  uint64_t bits[2] = {0, 0};
  for (ValueId v : from) bits[0] += mir::BitsOf(TypeOf(v));
  for (mir::Type t : types) bits[1] += mir::BitsOf(t);
  if (bits[0] != bits[1] || types.empty())
    return Malformed("bitcast to a type of another size", inst.result);
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

// Emits conversions between pointers to physical memory and addresses, which are the same value.
bool ConvertEmitter::EmitPointerConversion(const SpirvInst& inst) {
  Leaves from;
  uint32_t type = 0;
  if (Supported(inst.type) == nullptr || !Get(inst.operand(3), &from, &type)) return false;
  const SpirvType& pointer = *spirv().Type(inst.op == spv::Op::OpConvertUToPtr ? inst.type : type);
  if (!pointer.IsPhysicalPointer() || from.size() != 1 || !mir::IsInt(TypeOf(from[0]))) {
    return Malformed("conversion between pointer and integer without a physical pointer",
                     inst.result);
  }
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() != 1 || !mir::IsInt(types[0]))
    return Malformed("physical pointer is not an integer", inst.result);
  return Define(inst, {ConvertInt(from[0], types[0], false)});
}

bool EmitConvert(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return ConvertEmitter(c).EmitConvert(inst, handled);
}

}  // namespace kiln::front
