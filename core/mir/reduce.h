// Facts about the operators of reductions and scans, for the compiler. (The interpreter has its
// own.)
#ifndef KILN_CORE_MIR_REDUCE_H_
#define KILN_CORE_MIR_REDUCE_H_

#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::mir {

// The operator's identity, as bits of the type.
constexpr uint64_t IdentityOf(ReduceOp op, Type type) {
  const uint64_t ones = MaskOf(type);
  const auto number = [type](uint64_t half, uint64_t single, uint64_t twice) {
    return type == Type::kF16 ? half : type == Type::kF32 ? single : twice;
  };
  switch (op) {
    case ReduceOp::kIadd:
    case ReduceOp::kUmax:
    case ReduceOp::kOr:
    case ReduceOp::kXor:
    case ReduceOp::kFadd: return 0;
    case ReduceOp::kImul: return 1;
    case ReduceOp::kImin: return ones >> 1;
    case ReduceOp::kImax: return (ones >> 1) + 1;
    case ReduceOp::kUmin:
    case ReduceOp::kAnd: return ones;
    case ReduceOp::kFmul: return number(0x3c00, 0x3f800000, 0x3ff0000000000000);  // 1
    case ReduceOp::kFmin: return number(0x7c00, 0x7f800000, 0x7ff0000000000000);  // infinity
    case ReduceOp::kFmax: return number(0xfc00, 0xff800000, 0xfff0000000000000);
  }
  return 0;
}

// Is x op x = x?
constexpr bool IsIdempotent(ReduceOp op) {
  switch (op) {
    case ReduceOp::kIadd:
    case ReduceOp::kImul:
    case ReduceOp::kXor:
    case ReduceOp::kFadd:
    case ReduceOp::kFmul: return false;
    default: return true;
  }
}

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_REDUCE_H_
