#include "core/oracle/interp_subgroup.h"

namespace kiln::oracle {

using mir::Inst;
using mir::LaneMask;
using mir::Op;
using mir::ReduceOp;
using mir::Type;

uint64_t ScanIdentity(ReduceOp op, Type type) {
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
    case ReduceOp::kImax: return ones ^ (ones >> 1);
    case ReduceOp::kUmin:
    case ReduceOp::kAnd: return ones;
    case ReduceOp::kFmul: return number(0x3c00, 0x3f800000, 0x3ff0000000000000);  // 1
    case ReduceOp::kFmin: return number(0x7c00, 0x7f800000, 0x7ff0000000000000);  // infinity
    case ReduceOp::kFmax: return number(0xfc00, 0xff800000, 0xfff0000000000000);
  }
  assert(false);
  return 0;
}

std::array<uint32_t, 4> LaneMaskBits(LaneMask mask, uint32_t lane, uint32_t size) {
  std::array<uint32_t, 4> bits = {0, 0, 0, 0};
  for (uint32_t i = 0; i < size; ++i) {
    bool in = false;
    switch (mask) {
      case LaneMask::kEqual: in = i == lane; break;
      case LaneMask::kGreaterEqual: in = i >= lane; break;
      case LaneMask::kGreater: in = i > lane; break;
      case LaneMask::kLessEqual: in = i <= lane; break;
      case LaneMask::kLess: in = i < lane; break;
      case LaneMask::kAll: in = true; break;
    }
    if (in) bits[i / 32] |= 1u << (i % 32);
  }
  return bits;
}

uint32_t SourceLane(const Inst& inst, uint32_t lane, uint32_t index) {
  switch (inst.op) {
    case Op::kQuadBroadcast: return (lane & ~3u) + inst.imm0;
    case Op::kQuadSwap: return lane ^ inst.imm0;
    default: return index;
  }
}

}  // namespace kiln::oracle
