#include "core/mid/analysis/known_bits.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::ValueId;

constexpr int kDepth = 5;

// The largest number of workgroups of a dispatch in one dimension: the smallest limit that Vulkan
// allows for maxComputeWorkGroupCount. Every target's ABI requires it of the launch
// (its ABI.md, "Limits").
constexpr uint32_t kMaxWorkgroups = 65535;

// All bits that are 0 in every number up to `bound`.
uint32_t ZerosAbove(uint64_t bound) {
  const int used = static_cast<int>(std::bit_width(bound));
  return used >= 32 ? 0 : ~0u << used;
}
uint32_t LowOnes(int n) { return n >= 32 ? ~0u : (1u << n) - 1; }

uint32_t Zeros(const Module& m, ValueId v, int depth);

// The bits of source n if it is a constant, or null.
const uint64_t* ConstantSource(const Module& m, InstId id, int n) {
  const ValueId v = m.source(id, n);
  return m.IsConstant(v) ? &m.value(v).bits : nullptr;
}

uint32_t ZerosOfShift(Op op, uint32_t x, uint32_t count) {
  switch (op) {
    case Op::kShl: return x << count | LowOnes(static_cast<int>(count));
    case Op::kUshr: return x >> count | ~(~0u >> count);
    default: return static_cast<uint32_t>(static_cast<int32_t>(x) >> count);
  }
}

uint32_t ZerosOfResult(const Module& m, InstId id, int depth) {
  const Inst& inst = m.inst(id);
  const auto z = [&](int n) { return Zeros(m, m.source(id, n), depth - 1); };
  switch (inst.op) {
    case Op::kAnd: return z(0) | z(1);
    case Op::kOr:
    case Op::kXor: return z(0) & z(1);
    case Op::kSelect: return z(1) & z(2);
    case Op::kShl:
    case Op::kUshr:
    case Op::kAshr: {
      const uint64_t* count = ConstantSource(m, id, 1);
      if (count != nullptr) return ZerosOfShift(inst.op, z(0), *count & 31);
      return inst.op == Op::kUshr ? ZerosAbove(~z(0)) : 0;
    }
    case Op::kIadd: {
      const uint32_t a = z(0), b = z(1);
      return LowOnes(std::min(std::countr_one(a), std::countr_one(b))) |
             ZerosAbove(uint64_t{~a} + ~b);
    }
    case Op::kImul: {
      const uint32_t a = z(0), b = z(1);
      const uint64_t high = uint64_t{~a} * ~b;
      return LowOnes(std::countr_one(a) + std::countr_one(b)) | ZerosAbove(high);
    }
    case Op::kUmin: return ZerosAbove(std::min(~z(0), ~z(1)));
    case Op::kUmax: return ZerosAbove(std::max(~z(0), ~z(1)));
    case Op::kUdiv: {
      const uint64_t* divisor = ConstantSource(m, id, 1);
      return divisor != nullptr && *divisor != 0 ? ZerosAbove(~z(0) / *divisor) : 0;
    }
    case Op::kUrem: {
      const uint64_t* divisor = ConstantSource(m, id, 1);
      if (divisor == nullptr || *divisor == 0) return 0;
      return ZerosAbove(std::min<uint64_t>(~z(0), *divisor - 1));
    }
    case Op::kUbitfieldExtract: {
      const uint64_t* count = ConstantSource(m, id, 2);
      return count != nullptr && *count < 32 ? ~LowOnes(static_cast<int>(*count)) : 0;
    }
    case Op::kZext: return ~static_cast<uint32_t>(mir::MaskOf(m.value(m.source(id, 0)).type));
    case Op::kBitCount: return ZerosAbove(32);
    case Op::kUaddCarry:
    case Op::kUsubBorrow: return ~1u;
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup: return ZerosAbove(kMaxWorkgroups);
    case Op::kLocalIndex:
      return ZerosAbove(uint64_t{m.local_size[0]} * m.local_size[1] * m.local_size[2] - 1);
    case Op::kSubgroupInvocation: return ZerosAbove(127);
    default: return 0;
  }
}

uint32_t Zeros(const Module& m, ValueId v, int depth) {
  const mir::Value& value = m.value(v);
  if (value.type != mir::Type::kI32) return 0;
  if (value.kind == mir::Value::Kind::kConstant) return ~static_cast<uint32_t>(value.bits);
  if (value.kind != mir::Value::Kind::kResult || depth == 0) return 0;
  return ZerosOfResult(m, InstId(value.owner), depth);
}

}  // namespace

uint32_t KnownZeros(const Module& m, ValueId v) { return Zeros(m, v, kDepth); }

namespace {

constexpr uint32_t kSign = 0x80000000u;

KnownBits Constant(uint32_t x) { return {KnownBits::Kind::kConstant, x, Op::kUnreachable}; }
KnownBits First() { return {KnownBits::Kind::kFirst, 0, Op::kUnreachable}; }
KnownBits Other(Op op) { return {KnownBits::Kind::kOp, 0, op}; }

// The outcome of a < c, if it is known. `max`: the largest a.
KnownBits LessThan(uint32_t max, uint32_t c, bool outcome) {
  return max < c ? Constant(outcome) : KnownBits();
}

KnownBits SignedLess(uint32_t max, uint32_t c, bool outcome) {
  if (max & kSign) return {};
  if (c == 0 || (c & kSign)) return Constant(!outcome);
  return LessThan(max, c, outcome);
}

// An op whose second source is a constant.
KnownBits WithConstant(Op op, uint32_t max, uint32_t c) {
  switch (op) {
    case Op::kAnd:
      if ((max & c) == 0) return Constant(0);
      return (max & ~c) == 0 ? First() : KnownBits();
    case Op::kUlt: return LessThan(max, c, true);
    case Op::kUge: return LessThan(max, c, false);
    case Op::kSlt: return SignedLess(max, c, true);
    case Op::kSge: return SignedLess(max, c, false);
    case Op::kIeq: return (c & ~max) != 0 ? Constant(0) : KnownBits();
    case Op::kIne: return (c & ~max) != 0 ? Constant(1) : KnownBits();
    case Op::kUdiv: return max < c ? Constant(0) : KnownBits();
    case Op::kUrem: return max < c ? First() : KnownBits();
    case Op::kUmin: return max <= c ? First() : KnownBits();
    case Op::kUshr: return max >> (c & 31) == 0 ? Constant(0) : KnownBits();
    default: return {};
  }
}

}  // namespace

KnownBits SimplifyByKnownBits(const Module& m, Op op, ValueId a, ValueId b) {
  const auto positive = [&](ValueId v) { return (KnownZeros(m, v) & kSign) != 0; };
  switch (op) {
    case Op::kSdiv: return positive(a) && positive(b) ? Other(Op::kUdiv) : KnownBits();
    case Op::kSrem:
    case Op::kSmod: return positive(a) && positive(b) ? Other(Op::kUrem) : KnownBits();
    case Op::kAshr: return positive(a) ? Other(Op::kUshr) : KnownBits();
    case Op::kSmulHigh: return positive(a) && positive(b) ? Other(Op::kUmulHigh) : KnownBits();
    case Op::kUmulHigh:
      return (uint64_t{UpperBound(m, a)} * UpperBound(m, b)) >> 32 == 0 ? Constant(0) : KnownBits();
    case Op::kUaddCarry:
      return (uint64_t{UpperBound(m, a)} + UpperBound(m, b)) >> 32 == 0 ? Constant(0) : KnownBits();
    default: break;
  }
  if (!m.IsConstant(b)) return {};
  return WithConstant(op, UpperBound(m, a), static_cast<uint32_t>(m.value(b).bits));
}

}  // namespace kiln::mid
