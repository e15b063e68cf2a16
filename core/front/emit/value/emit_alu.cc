// Emits arithmetic, comparisons, conversions and bit operations, component by component.
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/grammar/opcode_rows.h"

namespace kiln::front {
namespace {

struct AluRow {
  spv::Op spirv;
  mir::Op mir;
  uint8_t operands;
  bool swap = false;    // exchange the operands
  bool negate = false;  // negate the resulting bool
};

// Unordered float comparisons are negations of ordered ones: a < b or unordered is not (a >= b).
constexpr AluRow kRows[] = {
    {spv::Op::OpConvertFToU, mir::Op::kF2u, 1},
    {spv::Op::OpConvertFToS, mir::Op::kF2i, 1},
    {spv::Op::OpConvertSToF, mir::Op::kI2f, 1},
    {spv::Op::OpConvertUToF, mir::Op::kU2f, 1},
    {spv::Op::OpSNegate, mir::Op::kIneg, 1},
    {spv::Op::OpFNegate, mir::Op::kFneg, 1},
    {spv::Op::OpNot, mir::Op::kNot, 1},
    {spv::Op::OpLogicalNot, mir::Op::kNot, 1},
    {spv::Op::OpBitReverse, mir::Op::kBitReverse, 1},
    {spv::Op::OpBitCount, mir::Op::kBitCount, 1},
    {spv::Op::OpIAdd, mir::Op::kIadd, 2},
    {spv::Op::OpFAdd, mir::Op::kFadd, 2},
    {spv::Op::OpISub, mir::Op::kIsub, 2},
    {spv::Op::OpFSub, mir::Op::kFsub, 2},
    {spv::Op::OpIMul, mir::Op::kImul, 2},
    {spv::Op::OpFMul, mir::Op::kFmul, 2},
    {spv::Op::OpUDiv, mir::Op::kUdiv, 2},
    {spv::Op::OpSDiv, mir::Op::kSdiv, 2},
    {spv::Op::OpFDiv, mir::Op::kFdiv, 2},
    {spv::Op::OpUMod, mir::Op::kUrem, 2},
    {spv::Op::OpSRem, mir::Op::kSrem, 2},
    {spv::Op::OpSMod, mir::Op::kSmod, 2},
    {spv::Op::OpFRem, mir::Op::kFrem, 2},
    {spv::Op::OpFMod, mir::Op::kFmod, 2},
    {spv::Op::OpShiftRightLogical, mir::Op::kUshr, 2},
    {spv::Op::OpShiftRightArithmetic, mir::Op::kAshr, 2},
    {spv::Op::OpShiftLeftLogical, mir::Op::kShl, 2},
    {spv::Op::OpBitwiseOr, mir::Op::kOr, 2},
    {spv::Op::OpBitwiseXor, mir::Op::kXor, 2},
    {spv::Op::OpBitwiseAnd, mir::Op::kAnd, 2},
    {spv::Op::OpLogicalOr, mir::Op::kOr, 2},
    {spv::Op::OpLogicalAnd, mir::Op::kAnd, 2},
    {spv::Op::OpLogicalEqual, mir::Op::kIeq, 2},
    {spv::Op::OpLogicalNotEqual, mir::Op::kIne, 2},
    {spv::Op::OpIEqual, mir::Op::kIeq, 2},
    {spv::Op::OpINotEqual, mir::Op::kIne, 2},
    {spv::Op::OpUGreaterThan, mir::Op::kUlt, 2, true},
    {spv::Op::OpSGreaterThan, mir::Op::kSlt, 2, true},
    {spv::Op::OpUGreaterThanEqual, mir::Op::kUge, 2},
    {spv::Op::OpSGreaterThanEqual, mir::Op::kSge, 2},
    {spv::Op::OpULessThan, mir::Op::kUlt, 2},
    {spv::Op::OpSLessThan, mir::Op::kSlt, 2},
    {spv::Op::OpULessThanEqual, mir::Op::kUge, 2, true},
    {spv::Op::OpSLessThanEqual, mir::Op::kSge, 2, true},
    {spv::Op::OpFOrdEqual, mir::Op::kFeq, 2},
    {spv::Op::OpFUnordNotEqual, mir::Op::kFne, 2},
    {spv::Op::OpFOrdLessThan, mir::Op::kFlt, 2},
    {spv::Op::OpFUnordLessThan, mir::Op::kFge, 2, false, true},
    {spv::Op::OpFOrdGreaterThan, mir::Op::kFlt, 2, true},
    {spv::Op::OpFUnordGreaterThan, mir::Op::kFge, 2, true, true},
    {spv::Op::OpFOrdLessThanEqual, mir::Op::kFge, 2, true},
    {spv::Op::OpFUnordLessThanEqual, mir::Op::kFlt, 2, true, true},
    {spv::Op::OpFOrdGreaterThanEqual, mir::Op::kFge, 2},
    {spv::Op::OpFUnordGreaterThanEqual, mir::Op::kFlt, 2, false, true},
};

// Returns true for opcodes that accept only bools where the MIR op would also accept integers.
bool WantsBool(spv::Op op) {
  return op == spv::Op::OpLogicalNot || op == spv::Op::OpLogicalOr || op == spv::Op::OpLogicalAnd ||
         op == spv::Op::OpLogicalEqual || op == spv::Op::OpLogicalNotEqual;
}

// Returns true for conversions between integers and floats.
bool Converts(mir::Op op) {
  return op == mir::Op::kF2i || op == mir::Op::kF2u || op == mir::Op::kI2f || op == mir::Op::kU2f;
}

const AluRow* Row(spv::Op op) { return RowOf<kRows, &AluRow::spirv>(op); }

class AluEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitAlu(const SpirvInst& inst, bool* handled);

 private:
  bool EmitFloatCompare(const SpirvInst& inst, bool* handled);
  bool EmitExtended(const SpirvInst& inst);
  bool EmitBitField(const SpirvInst& inst);
  bool EmitAnyAll(const SpirvInst& inst);
};

}  // namespace

bool AluEmitter::EmitAlu(const SpirvInst& inst, bool* handled) {
  *handled = true;
  const AluRow* row = Row(inst.op);
  if (row == nullptr) {
    switch (inst.op) {
      case spv::Op::OpIAddCarry:
      case spv::Op::OpISubBorrow:
      case spv::Op::OpUMulExtended:
      case spv::Op::OpSMulExtended: return EmitExtended(inst);
      case spv::Op::OpBitFieldInsert:
      case spv::Op::OpBitFieldSExtract:
      case spv::Op::OpBitFieldUExtract: return EmitBitField(inst);
      case spv::Op::OpAny:
      case spv::Op::OpAll: return EmitAnyAll(inst);
      default: return EmitFloatCompare(inst, handled);
    }
  }
  Leaves operands;
  if (!Operands(inst, 3, row->operands, &operands)) return false;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  const size_t n = operands.size() / row->operands;
  const bool shift =
      row->mir == mir::Op::kShl || row->mir == mir::Op::kUshr || row->mir == mir::Op::kAshr;
  Leaves leaves;
  for (size_t i = 0; i < n; ++i) {
    if ((TypeOf(operands[i]) == mir::Type::kBool) != WantsBool(inst.op)) {
      return Malformed("operand is not of the required type", inst.result);
    }
    ValueId value;
    if (Converts(row->mir)) {
      const bool to_int = row->mir == mir::Op::kF2i || row->mir == mir::Op::kF2u;
      if (mir::IsFloat(TypeOf(operands[i])) != to_int || mir::IsInt(types[i]) != to_int ||
          types[i] == mir::Type::kBool) {
        return Malformed("conversion to an incompatible type", inst.result);
      }
      value = Convert(row->mir, operands[i], types[i]);
    } else if (row->operands == 1) {
      value = Emit(row->mir, {operands[i]});
      // The bit count's result may be an integer of any width.
      if (inst.op == spv::Op::OpBitCount && ok()) value = ConvertInt(value, types[i], false);
    } else {
      const ValueId a = operands[row->swap ? n + i : i];
      ValueId b = operands[row->swap ? i : n + i];
      // Shift counts may have any width.
      if (shift && mir::IsInt(TypeOf(b))) b = ConvertInt(b, mir::Type::kI32, false);
      value = Emit(row->mir, {a, b});
    }
    if (row->negate) value = Emit(mir::Op::kNot, {value});
    leaves.push_back(value);
  }
  return ok() && Define(inst, leaves);
}

bool AluEmitter::EmitFloatCompare(const SpirvInst& inst, bool* handled) {
  using mir::Op;
  const auto unordered = [this](ValueId x) { return Emit(Op::kFne, {x, x}); };
  const auto less_or_greater = [this](ValueId a, ValueId b) {
    return Emit(Op::kOr, {Emit(Op::kFlt, {a, b}), Emit(Op::kFlt, {b, a})});
  };
  size_t count = 2;
  switch (inst.op) {
    case spv::Op::OpFOrdNotEqual:
    case spv::Op::OpFUnordEqual:
    case spv::Op::OpLessOrGreater:
    case spv::Op::OpOrdered:
    case spv::Op::OpUnordered: break;
    case spv::Op::OpIsNan:
    case spv::Op::OpIsInf:
    case spv::Op::OpQuantizeToF16: count = 1; break;
    default: *handled = false; return true;
  }
  Leaves operands;
  if (!Operands(inst, 3, count, &operands)) return false;
  const size_t n = operands.size() / count;
  Leaves leaves;
  for (size_t i = 0; i < n && ok(); ++i) {
    const ValueId a = operands[i];
    const ValueId b = operands[count == 2 ? n + i : i];
    ValueId value;
    if (inst.op == spv::Op::OpFOrdNotEqual || inst.op == spv::Op::OpLessOrGreater) {
      value = less_or_greater(a, b);
    } else if (inst.op == spv::Op::OpFUnordEqual) {
      value = Emit(Op::kNot, {less_or_greater(a, b)});
    } else if (inst.op == spv::Op::OpUnordered) {
      value = Emit(Op::kOr, {unordered(a), unordered(b)});
    } else if (inst.op == spv::Op::OpOrdered) {
      value = Emit(Op::kAnd, {Emit(Op::kFeq, {a, a}), Emit(Op::kFeq, {b, b})});
    } else if (inst.op == spv::Op::OpIsNan) {
      value = unordered(a);
    } else if (inst.op == spv::Op::OpIsInf) {
      const mir::Type type = TypeOf(a);
      if (!mir::IsFloat(type)) return Malformed("operand is not a float", inst.result);
      const uint64_t infinity = type == mir::Type::kF16   ? 0x7c00
                                : type == mir::Type::kF32 ? 0x7f800000
                                                          : 0x7ff0000000000000;
      value = Emit(Op::kFeq, {Emit(Op::kFabs, {a}), builder().Constant(type, infinity)});
    } else {
      // Below the smallest normal half, 2^-14, the result is a zero.
      const ValueId small = Emit(Op::kFlt, {Emit(Op::kFabs, {a}), Float(0x1p-14f)});
      const ValueId zero = FromInt(Emit(Op::kAnd, {AsInt(a), Int(0x80000000u)}), mir::Type::kF32);
      value = Emit(Op::kSelect, {small, zero, Emit(Op::kF16f, {Emit(Op::kF2f16, {a})})});
    }
    leaves.push_back(value);
  }
  return ok() && Define(inst, leaves);
}

// Results are a struct of two members: low and high words, or sum and carry.
bool AluEmitter::EmitExtended(const SpirvInst& inst) {
  using mir::Op;
  Leaves a;
  Leaves b;
  if (!Get(inst.operand(3), &a) || !Get(inst.operand(4), &b)) return false;
  if (a.size() != b.size())
    return Malformed("operands differ in number of components", inst.result);
  Op low = Op::kImul;
  Op high = Op::kUmulHigh;
  if (inst.op == spv::Op::OpSMulExtended) high = Op::kSmulHigh;
  if (inst.op == spv::Op::OpIAddCarry) {
    low = Op::kIadd;
    high = Op::kUaddCarry;
  } else if (inst.op == spv::Op::OpISubBorrow) {
    low = Op::kIsub;
    high = Op::kUsubBorrow;
  }
  Leaves leaves;
  for (size_t i = 0; i < a.size(); ++i) leaves.push_back(Emit(low, {a[i], b[i]}));
  for (size_t i = 0; i < a.size(); ++i) leaves.push_back(Emit(high, {a[i], b[i]}));
  return ok() && Define(inst, leaves);
}

// Offset and count are scalars for all components.
bool AluEmitter::EmitBitField(const SpirvInst& inst) {
  const bool insert = inst.op == spv::Op::OpBitFieldInsert;
  Leaves operands;
  if (!Operands(inst, 3, insert ? 2 : 1, &operands)) return false;
  const size_t n = insert ? operands.size() / 2 : operands.size();
  ValueId offset;
  ValueId count;
  if (!GetIndex(inst.operand(insert ? 5 : 4), &offset)) return false;
  if (!GetIndex(inst.operand(insert ? 6 : 5), &count)) return false;
  Leaves leaves;
  for (size_t i = 0; i < n; ++i) {
    if (insert) {
      leaves.push_back(
          Emit(mir::Op::kBitfieldInsert, {operands[i], operands[n + i], offset, count}));
    } else {
      leaves.push_back(Emit(inst.op == spv::Op::OpBitFieldSExtract ? mir::Op::kSbitfieldExtract
                                                                   : mir::Op::kUbitfieldExtract,
                            {operands[i], offset, count}));
    }
  }
  return ok() && Define(inst, leaves);
}

bool AluEmitter::EmitAnyAll(const SpirvInst& inst) {
  Leaves vector;
  if (!Get(inst.operand(3), &vector)) return false;
  if (vector.empty()) return Malformed("OpAny or OpAll without components", inst.result);
  ValueId value = vector[0];
  for (size_t i = 1; i < vector.size(); ++i) {
    value = Emit(inst.op == spv::Op::OpAny ? mir::Op::kOr : mir::Op::kAnd, {value, vector[i]});
  }
  return ok() && Define(inst, {value});
}

bool EmitAlu(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return AluEmitter(c).EmitAlu(inst, handled);
}

}  // namespace kiln::front
