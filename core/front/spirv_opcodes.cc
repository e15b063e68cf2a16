// Operand counts of the opcodes that Kiln reads, and scalar evaluation for OpSpecConstantOp.
//
// The counts are the least that the SPIR-V specification's instruction layouts allow. The reader
// checks them once, so that later code may index operands up to the least count.
#include "core/front/spirv.h"

namespace kiln::front {

uint32_t MinWords(spv::Op op) {
  using spv::Op;
  switch (op) {
    case Op::OpCapability:
    case Op::OpLabel:
    case Op::OpBranch:
    case Op::OpReturnValue:
    case Op::OpTypeVoid:
    case Op::OpTypeBool:
    case Op::OpTypeSampler:
    case Op::OpDecorationGroup:
    case Op::OpGroupDecorate:
    case Op::OpGroupMemberDecorate:
    case Op::OpTypeStruct:
    case Op::OpExtension:
      return 2;
    case Op::OpMemoryModel:
    case Op::OpExecutionMode:
    case Op::OpExecutionModeId:
    case Op::OpDecorate:
    case Op::OpDecorateId:
    case Op::OpExtInstImport:
    case Op::OpString:
    case Op::OpTypeFloat:
    case Op::OpTypeRuntimeArray:
    case Op::OpTypeForwardPointer:
    case Op::OpTypeFunction:
    case Op::OpConstantTrue:
    case Op::OpConstantFalse:
    case Op::OpSpecConstantTrue:
    case Op::OpSpecConstantFalse:
    case Op::OpConstantNull:
    case Op::OpConstantComposite:
    case Op::OpSpecConstantComposite:
    case Op::OpUndef:
    case Op::OpFunctionParameter:
    case Op::OpStore:
    case Op::OpCopyMemory:
    case Op::OpPhi:
    case Op::OpSelectionMerge:
    case Op::OpSwitch:
    case Op::OpMemoryBarrier:
    case Op::OpCompositeConstruct:
    case Op::OpTypeSampledImage:
      return 3;
    case Op::OpEntryPoint:
    case Op::OpMemberDecorate:
    case Op::OpTypeInt:
    case Op::OpTypeVector:
    case Op::OpTypeMatrix:
    case Op::OpTypeArray:
    case Op::OpTypePointer:
    case Op::OpConstant:
    case Op::OpSpecConstant:
    case Op::OpSpecConstantOp:
    case Op::OpVariable:
    case Op::OpLoad:
    case Op::OpAccessChain:
    case Op::OpInBoundsAccessChain:
    case Op::OpFunctionCall:
    case Op::OpBranchConditional:
    case Op::OpLoopMerge:
    case Op::OpControlBarrier:
    case Op::OpCopyObject:
    case Op::OpCopyLogical:
    case Op::OpTranspose:
    case Op::OpConvertFToU:
    case Op::OpConvertFToS:
    case Op::OpConvertSToF:
    case Op::OpConvertUToF:
    case Op::OpUConvert:
    case Op::OpSConvert:
    case Op::OpFConvert:
    case Op::OpQuantizeToF16:
    case Op::OpBitcast:
    case Op::OpSNegate:
    case Op::OpFNegate:
    case Op::OpNot:
    case Op::OpLogicalNot:
    case Op::OpAny:
    case Op::OpAll:
    case Op::OpIsNan:
    case Op::OpIsInf:
    case Op::OpBitReverse:
    case Op::OpBitCount:
    case Op::OpCompositeExtract:
    case Op::OpImage:
    case Op::OpImageQuerySize:
    case Op::OpImageQueryLevels:
    case Op::OpImageQuerySamples:
    case Op::OpImageWrite:
      return 4;
    case Op::OpFunction:
    case Op::OpExtInst:
    case Op::OpVectorShuffle:
    case Op::OpCompositeInsert:
    case Op::OpVectorExtractDynamic:
    case Op::OpArrayLength:
    case Op::OpPtrEqual:
    case Op::OpPtrNotEqual:
    case Op::OpPtrDiff:
    case Op::OpAtomicStore:
    case Op::OpIAdd:
    case Op::OpFAdd:
    case Op::OpISub:
    case Op::OpFSub:
    case Op::OpIMul:
    case Op::OpFMul:
    case Op::OpUDiv:
    case Op::OpSDiv:
    case Op::OpFDiv:
    case Op::OpUMod:
    case Op::OpSRem:
    case Op::OpSMod:
    case Op::OpFRem:
    case Op::OpFMod:
    case Op::OpVectorTimesScalar:
    case Op::OpMatrixTimesScalar:
    case Op::OpVectorTimesMatrix:
    case Op::OpMatrixTimesVector:
    case Op::OpMatrixTimesMatrix:
    case Op::OpOuterProduct:
    case Op::OpDot:
    case Op::OpIAddCarry:
    case Op::OpISubBorrow:
    case Op::OpUMulExtended:
    case Op::OpSMulExtended:
    case Op::OpLogicalEqual:
    case Op::OpLogicalNotEqual:
    case Op::OpLogicalOr:
    case Op::OpLogicalAnd:
    case Op::OpIEqual:
    case Op::OpINotEqual:
    case Op::OpUGreaterThan:
    case Op::OpSGreaterThan:
    case Op::OpUGreaterThanEqual:
    case Op::OpSGreaterThanEqual:
    case Op::OpULessThan:
    case Op::OpSLessThan:
    case Op::OpULessThanEqual:
    case Op::OpSLessThanEqual:
    case Op::OpFOrdEqual:
    case Op::OpFUnordEqual:
    case Op::OpFOrdNotEqual:
    case Op::OpFUnordNotEqual:
    case Op::OpFOrdLessThan:
    case Op::OpFUnordLessThan:
    case Op::OpFOrdGreaterThan:
    case Op::OpFUnordGreaterThan:
    case Op::OpFOrdLessThanEqual:
    case Op::OpFUnordLessThanEqual:
    case Op::OpFOrdGreaterThanEqual:
    case Op::OpFUnordGreaterThanEqual:
    case Op::OpLessOrGreater:
    case Op::OpOrdered:
    case Op::OpUnordered:
    case Op::OpShiftRightLogical:
    case Op::OpShiftRightArithmetic:
    case Op::OpShiftLeftLogical:
    case Op::OpBitwiseOr:
    case Op::OpBitwiseXor:
    case Op::OpBitwiseAnd:
    case Op::OpSampledImage:
    case Op::OpImageSampleImplicitLod:
    case Op::OpImageSampleProjImplicitLod:
    case Op::OpImageFetch:
    case Op::OpImageRead:
    case Op::OpImageQuerySizeLod:
      return 5;
    case Op::OpVectorInsertDynamic:
    case Op::OpSelect:
    case Op::OpBitFieldSExtract:
    case Op::OpBitFieldUExtract:
    case Op::OpAtomicLoad:
    case Op::OpAtomicIIncrement:
    case Op::OpAtomicIDecrement:
    case Op::OpImageTexelPointer:
    case Op::OpImageSampleDrefImplicitLod:
    case Op::OpImageSampleProjDrefImplicitLod:
    case Op::OpImageGather:
    case Op::OpImageDrefGather:
      return 6;
    case Op::OpBitFieldInsert:
    case Op::OpAtomicExchange:
    case Op::OpAtomicIAdd:
    case Op::OpAtomicISub:
    case Op::OpAtomicSMin:
    case Op::OpAtomicUMin:
    case Op::OpAtomicSMax:
    case Op::OpAtomicUMax:
    case Op::OpAtomicAnd:
    case Op::OpAtomicOr:
    case Op::OpAtomicXor:
    case Op::OpImageSampleExplicitLod:
    case Op::OpImageSampleProjExplicitLod:
      return 7;
    case Op::OpImageSampleDrefExplicitLod:
    case Op::OpImageSampleProjDrefExplicitLod:
      return 8;
    case Op::OpAtomicCompareExchange:
    case Op::OpTypeImage:
      return 9;
    default: {
      bool has_result = false;
      bool has_type = false;
      spv::HasResultAndType(op, &has_result, &has_type);
      return 1 + has_result + has_type;
    }
  }
}

namespace {

// `sa`, `sb`: sign-extended.
bool Divide(spv::Op op, uint64_t a, uint64_t b, int64_t sa, int64_t sb, uint64_t* result) {
  if (b == 0) {  // undefined in SPIR-V; any value will do, but it must be the same everywhere
    *result = 0;
    return true;
  }
  if (sb == -1) {  // the least number by -1 overflows
    *result = op == spv::Op::OpSDiv ? 0 - a : 0;
    if (op == spv::Op::OpSDiv || op == spv::Op::OpSRem || op == spv::Op::OpSMod) return true;
  }
  switch (op) {
    case spv::Op::OpUDiv:
      *result = a / b;
      return true;
    case spv::Op::OpUMod:
      *result = a % b;
      return true;
    case spv::Op::OpSDiv:
      *result = static_cast<uint64_t>(sa / sb);
      return true;
    case spv::Op::OpSRem:
      *result = static_cast<uint64_t>(sa % sb);
      return true;
    case spv::Op::OpSMod:
      *result =
          static_cast<uint64_t>((sa % sb != 0 && (sa < 0) != (sb < 0)) ? sa % sb + sb : sa % sb);
      return true;
    default:
      return false;
  }
}

uint64_t Wrap(uint64_t x, uint32_t width) { return x & (~uint64_t{0} >> (64 - width)); }

int64_t Signed(uint64_t x, uint32_t width) {
  return static_cast<int64_t>(x << (64 - width)) >> (64 - width);
}

}  // namespace

bool EvaluateScalar(spv::Op op, uint32_t result_width, uint32_t width,
                    absl::Span<const uint64_t> operands, uint64_t* result) {
  using spv::Op;
  const uint64_t a = operands.empty() ? 0 : operands[0];
  const uint64_t b = operands.size() < 2 ? 0 : operands[1];
  const int64_t sa = Signed(a, width);
  const int64_t sb = Signed(b, width);
  const uint64_t shift = b & (width - 1);
  const auto set = [&](uint64_t value) {
    *result = Wrap(value, result_width);
    return true;
  };
  if (operands.size() == 1) {
    switch (op) {
      case Op::OpSNegate:
        return set(0 - a);
      case Op::OpNot:
        return set(~a);
      case Op::OpLogicalNot:
        return set(a == 0);
      case Op::OpSConvert:
        return set(static_cast<uint64_t>(sa));
      case Op::OpFConvert:
        return width == result_width && set(a);
      case Op::OpUConvert:
      case Op::OpBitcast:
        return set(a);
      default:
        return false;
    }
  }
  if (operands.size() == 3) return op == Op::OpSelect && set(a != 0 ? b : operands[2]);
  if (operands.size() != 2) return false;
  switch (op) {
    case Op::OpIAdd:
      return set(a + b);
    case Op::OpISub:
      return set(a - b);
    case Op::OpIMul:
      return set(a * b);
    case Op::OpShiftRightLogical:
      return set(a >> shift);
    case Op::OpShiftRightArithmetic:
      return set(static_cast<uint64_t>(sa >> shift));
    case Op::OpShiftLeftLogical:
      return set(a << shift);
    case Op::OpBitwiseOr:
      return set(a | b);
    case Op::OpBitwiseXor:
      return set(a ^ b);
    case Op::OpBitwiseAnd:
      return set(a & b);
    case Op::OpLogicalOr:
      return set((a | b) != 0);
    case Op::OpLogicalAnd:
      return set(a != 0 && b != 0);
    case Op::OpLogicalEqual:
      return set((a != 0) == (b != 0));
    case Op::OpLogicalNotEqual:
      return set((a != 0) != (b != 0));
    case Op::OpIEqual:
      return set(a == b);
    case Op::OpINotEqual:
      return set(a != b);
    case Op::OpULessThan:
      return set(a < b);
    case Op::OpSLessThan:
      return set(sa < sb);
    case Op::OpUGreaterThan:
      return set(a > b);
    case Op::OpSGreaterThan:
      return set(sa > sb);
    case Op::OpULessThanEqual:
      return set(a <= b);
    case Op::OpSLessThanEqual:
      return set(sa <= sb);
    case Op::OpUGreaterThanEqual:
      return set(a >= b);
    case Op::OpSGreaterThanEqual:
      return set(sa >= sb);
    default:
      return Divide(op, a, b, sa, sb, result) && set(*result);
  }
}

}  // namespace kiln::front
