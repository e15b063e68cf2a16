#include "core/mir/interp_subgroup.h"

namespace kiln::mir {

uint32_t ScanIdentity(ReduceOp op, Type type) {
  switch (op) {
    case ReduceOp::kIadd:
    case ReduceOp::kUmax:
    case ReduceOp::kOr:
    case ReduceOp::kXor:
    case ReduceOp::kFadd: return 0;
    case ReduceOp::kImul: return 1;
    case ReduceOp::kImin: return 0x7fffffffu;
    case ReduceOp::kImax: return 0x80000000u;
    case ReduceOp::kUmin: return ~0u;
    case ReduceOp::kAnd: return type == Type::kBool ? 1 : ~0u;
    case ReduceOp::kFmul: return 0x3f800000u;   // 1
    case ReduceOp::kFmin: return 0x7f800000u;   // infinity
    case ReduceOp::kFmax: return 0xff800000u;
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

}  // namespace kiln::mir
