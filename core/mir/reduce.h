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
  const bool half = type == Type::kF16;
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
    case ReduceOp::kFmul: return half ? 0x3c00u : 0x3f800000u;  // 1
    case ReduceOp::kFmin: return half ? 0x7c00u : 0x7f800000u;  // infinity
    case ReduceOp::kFmax: return half ? 0xfc00u : 0xff800000u;
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
