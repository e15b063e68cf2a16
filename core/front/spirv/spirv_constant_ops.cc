#include "core/front/spirv/spirv_constant_ops.h"

#include <type_traits>

#include "core/mir/semantics.h"

namespace kiln::front {
namespace {

// `sa`, `sb`: sign-extended.
bool IsDivision(spv::Op op) {
  return op == spv::Op::OpUDiv || op == spv::Op::OpUMod || op == spv::Op::OpSDiv ||
         op == spv::Op::OpSRem || op == spv::Op::OpSMod;
}

bool Divide(spv::Op op, uint64_t a, uint64_t b, int64_t sa, int64_t sb, uint64_t* result) {
  if (!IsDivision(op)) return false;
  if (b == 0) {  // undefined in SPIR-V; any value is correct if it is always the same
    *result = 0;
    return true;
  }
  if (sb == -1) {  // the smallest number divided by -1 overflows
    *result = op == spv::Op::OpSDiv ? 0 - a : 0;
    if (op == spv::Op::OpSDiv || op == spv::Op::OpSRem || op == spv::Op::OpSMod) return true;
  }
  switch (op) {
    case spv::Op::OpUDiv: *result = a / b; return true;
    case spv::Op::OpUMod: *result = a % b; return true;
    case spv::Op::OpSDiv: *result = static_cast<uint64_t>(sa / sb); return true;
    case spv::Op::OpSRem: *result = static_cast<uint64_t>(sa % sb); return true;
    case spv::Op::OpSMod:
      *result =
          static_cast<uint64_t>((sa % sb != 0 && (sa < 0) != (sb < 0)) ? sa % sb + sb : sa % sb);
      return true;
    default: return false;
  }
}

uint64_t Wrap(uint64_t x, uint32_t width) { return x & (~uint64_t{0} >> (64 - width)); }

int64_t Signed(uint64_t x, uint32_t width) {
  return static_cast<int64_t>(x << (64 - width)) >> (64 - width);
}

// The smallest normal half is 2^-14; smaller values become zeros.
uint64_t QuantizeToF16(uint64_t bits) {
  constexpr uint32_t kLeast = 0x38800000, kSign = 0x80000000;
  const auto x = static_cast<uint32_t>(bits);
  if ((x & ~kSign) < kLeast) return x & kSign;
  return mir::semantics::HalfToFloat(mir::semantics::FloatToHalf(x));
}

}  // namespace

bool EvaluateFloat(spv::Op op, uint32_t result_width, uint32_t width, uint64_t bits,
                   uint64_t* result) {
  const auto x = static_cast<uint32_t>(bits);
  if (op == spv::Op::OpQuantizeToF16 && width == 32 && result_width == 32) {
    *result = QuantizeToF16(bits);
  } else if (op != spv::Op::OpFConvert) {
    return false;
  } else if (width == result_width) {
    *result = bits;
  } else if (width == 64 || result_width == 64) {
    mir::semantics::VisitExact(mir::Op::kF2f, mir::FloatOfBits(result_width),
                               mir::FloatOfBits(width), {}, [&](auto convert) {
                                 if constexpr (std::is_invocable_v<decltype(convert), uint64_t>) {
                                   *result = convert(bits);
                                 }
                               });
  } else if (width == 32 && result_width == 16) {
    *result = mir::semantics::FloatToHalf(x);
  } else if (width == 16 && result_width == 32) {
    *result = mir::semantics::HalfToFloat(x);
  } else {
    return false;
  }
  return true;
}

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
      case Op::OpSNegate: return set(0 - a);
      case Op::OpNot: return set(~a);
      case Op::OpLogicalNot: return set(a == 0);
      case Op::OpSConvert: return set(static_cast<uint64_t>(sa));
      case Op::OpUConvert:
      case Op::OpBitcast: return set(a);
      default: return false;
    }
  }
  if (operands.size() == 3) return op == Op::OpSelect && set(a != 0 ? b : operands[2]);
  if (operands.size() != 2) return false;
  switch (op) {
    case Op::OpIAdd: return set(a + b);
    case Op::OpISub: return set(a - b);
    case Op::OpIMul: return set(a * b);
    case Op::OpShiftRightLogical: return set(a >> shift);
    case Op::OpShiftRightArithmetic: return set(static_cast<uint64_t>(sa >> shift));
    case Op::OpShiftLeftLogical: return set(a << shift);
    case Op::OpBitwiseOr: return set(a | b);
    case Op::OpBitwiseXor: return set(a ^ b);
    case Op::OpBitwiseAnd: return set(a & b);
    case Op::OpLogicalOr: return set((a | b) != 0);
    case Op::OpLogicalAnd: return set(a != 0 && b != 0);
    case Op::OpLogicalEqual: return set((a != 0) == (b != 0));
    case Op::OpLogicalNotEqual: return set((a != 0) != (b != 0));
    case Op::OpIEqual: return set(a == b);
    case Op::OpINotEqual: return set(a != b);
    case Op::OpULessThan: return set(a < b);
    case Op::OpSLessThan: return set(sa < sb);
    case Op::OpUGreaterThan: return set(a > b);
    case Op::OpSGreaterThan: return set(sa > sb);
    case Op::OpULessThanEqual: return set(a <= b);
    case Op::OpSLessThanEqual: return set(sa <= sb);
    case Op::OpUGreaterThanEqual: return set(a >= b);
    case Op::OpSGreaterThanEqual: return set(sa >= sb);
    default: return Divide(op, a, b, sa, sb, result) && set(*result);
  }
}

}  // namespace kiln::front
