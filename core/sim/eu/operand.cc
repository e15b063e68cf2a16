// See operand.h.
#include "core/sim/eu/operand.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace kiln::sim::eu {
namespace {

using isa::Type;

template <typename T>
T Load(const Thread& thread, uint16_t offset) {
  T v;
  std::memcpy(&v, thread.regs.data() + offset, sizeof(T));
  return v;
}

template <typename T>
void LoadInts(const Thread& thread, const Offsets& at, int count, int64_t* out) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<int64_t>(Load<T>(thread, at.at[i]));
}

void Negate(const OperandPlan& plan, int count, bool bitwise, int64_t* v) {
  if (plan.absolute) {
    for (int i = 0; i < count; ++i) v[i] = v[i] < 0 ? -static_cast<uint64_t>(v[i]) : v[i];
  }
  if (!plan.negate) return;
  if (bitwise) {
    for (int i = 0; i < count; ++i) v[i] = ~v[i];
  } else {
    for (int i = 0; i < count; ++i) v[i] = static_cast<int64_t>(-static_cast<uint64_t>(v[i]));
  }
}

// Loads the float elements without modifiers.
bool LoadFloats(const Thread& thread, const OperandPlan& plan, int count, float* out) {
  const bool half = plan.type == Type::kHF;
  if (plan.access == Access::kAccumulator) {
    for (int i = 0; i < count; ++i) {
      const uint32_t bits = static_cast<uint32_t>(thread.acc[plan.base + plan.lane[i]]);
      out[i] = half ? scene::HalfToFloat(static_cast<uint16_t>(bits)) : std::bit_cast<float>(bits);
    }
    return true;
  }
  if (plan.access == Access::kNone) {
    std::fill(out, out + count, 0.0f);
    return true;
  }
  Offsets at;
  if (!Resolve(thread, plan, count, half ? 2 : 4, at)) return false;
  if (half) {
    for (int i = 0; i < count; ++i) out[i] = scene::HalfToFloat(Load<uint16_t>(thread, at.at[i]));
  } else {
    for (int i = 0; i < count; ++i) out[i] = Load<float>(thread, at.at[i]);
  }
  return true;
}

float Flush(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }

void FlushSources(const Thread& thread, Type type, int count, float* out) {
  if (type == Type::kF && !thread.KeepF32()) {
    for (int i = 0; i < count; ++i) out[i] = Flush(out[i]);
  }
  if (type == Type::kHF && !thread.KeepF16()) {
    for (int i = 0; i < count; ++i) {
      if (std::fabs(out[i]) < 0x1p-14f) out[i] = std::copysign(0.0f, out[i]);
    }
  }
}

void Modify(const OperandPlan& plan, int count, float* v) {
  if (plan.absolute) {
    for (int i = 0; i < count; ++i) v[i] = std::fabs(v[i]);
  }
  if (plan.negate) {
    for (int i = 0; i < count; ++i) v[i] = -v[i];
  }
}

}  // namespace

int64_t WrapTo(Type type, int64_t value) {
  switch (type) {
    case Type::kUB: return static_cast<uint8_t>(value);
    case Type::kB: return static_cast<int8_t>(value);
    case Type::kUW:
    case Type::kHF: return static_cast<uint16_t>(value);
    case Type::kW: return static_cast<int16_t>(value);
    case Type::kUD:
    case Type::kF: return static_cast<uint32_t>(value);
    case Type::kD: return static_cast<int32_t>(value);
    default: return value;
  }
}

int64_t ClampTo(Type type, int64_t value) {
  const auto within = [value](int64_t low, int64_t high) { return std::clamp(value, low, high); };
  switch (type) {
    case Type::kUB: return within(0, 0xff);
    case Type::kB: return within(-0x80, 0x7f);
    case Type::kUW: return within(0, 0xffff);
    case Type::kW: return within(-0x8000, 0x7fff);
    case Type::kUD: return within(0, 0xffffffff);
    case Type::kD: return within(-int64_t{0x80000000}, 0x7fffffff);
    default: return value;
  }
}

bool Resolve(const Thread& thread, const OperandPlan& plan, int count, int bytes, Offsets& out) {
  if (plan.access == Access::kRegister) {
    for (int i = 0; i < count; ++i) out.at[i] = plan.base + plan.lane[i];
    return true;
  }
  for (int i = 0; i < count; ++i) {
    const int row = plan.access == Access::kIndirectRows ? i / plan.row_width : 0;
    const int element = (plan.address + row) & 15;
    const int base = thread.Read16(kAddressOffset + 2 * element);
    const int at = base + plan.address_imm + plan.lane[i];
    if (at < 0 || at + bytes > kGrfCount * kGrfBytes) return false;
    out.at[i] = static_cast<uint16_t>(at);
  }
  return true;
}

bool FetchInts(const Thread& thread, const OperandPlan& plan, int count, bool bitwise,
               int64_t* out) {
  if (plan.access == Access::kImmediate) {
    for (int i = 0; i < count; ++i) out[i] = plan.imm[i & 7];
  } else if (plan.access == Access::kAccumulator) {
    for (int i = 0; i < count; ++i) {
      out[i] = WrapTo(plan.type, thread.acc[plan.base + plan.lane[i]]);
    }
  } else if (plan.access == Access::kNone) {
    std::fill(out, out + count, 0);
  } else {
    Offsets at;
    if (!Resolve(thread, plan, count, isa::ByteSize(plan.type), at)) return false;
    switch (plan.type) {
      case Type::kUB: LoadInts<uint8_t>(thread, at, count, out); break;
      case Type::kB: LoadInts<int8_t>(thread, at, count, out); break;
      case Type::kUW:
      case Type::kHF: LoadInts<uint16_t>(thread, at, count, out); break;
      case Type::kW: LoadInts<int16_t>(thread, at, count, out); break;
      case Type::kUD:
      case Type::kF: LoadInts<uint32_t>(thread, at, count, out); break;
      case Type::kD: LoadInts<int32_t>(thread, at, count, out); break;
      default: assert(false);  // refused (type_rules.h)
    }
  }
  if (plan.negate || plan.absolute) Negate(plan, count, bitwise, out);
  return true;
}

bool FetchFloats(const Thread& thread, const OperandPlan& plan, int count, bool flush, float* out) {
  if (plan.access == Access::kImmediate) {
    for (int i = 0; i < count; ++i) out[i] = plan.imm_float[i & 7];
  } else if (!LoadFloats(thread, plan, count, out)) {
    return false;
  }
  if (flush) FlushSources(thread, plan.type, count, out);
  if (plan.absolute || plan.negate) Modify(plan, count, out);
  return true;
}

}  // namespace kiln::sim::eu
