// What imm0 and imm1 of an op mean: the one place printer, parser and verifier ask.
#ifndef KILN_CORE_MIR_IMMEDIATES_H_
#define KILN_CORE_MIR_IMMEDIATES_H_

#include <string_view>

#include "core/mir/mir.h"

namespace kiln::mir {

enum class First : uint8_t { kNone, kComponent, kResource, kPrivateArray, kMemoryClasses };
enum class Second : uint8_t { kNone, kAlignment, kAtomicOp };

struct Immediates {
  First first = First::kNone;    // of imm0
  Second second = Second::kNone; // of imm1
};

constexpr Immediates ImmediatesOf(Op op) {
  switch (op) {
    case Op::kWorkgroupId:
    case Op::kNumWorkgroups:
    case Op::kBaseWorkgroup:
      return {First::kComponent, Second::kNone};
    case Op::kLoadUbo:
    case Op::kLoadSsbo:
    case Op::kStoreSsbo:
      return {First::kResource, Second::kAlignment};
    case Op::kSsboSize:
      return {First::kResource, Second::kNone};
    case Op::kLoadPush:
    case Op::kLoadShared:
    case Op::kStoreShared:
    case Op::kLoadConstant:
      return {First::kNone, Second::kAlignment};
    case Op::kLoadPrivate:
    case Op::kStorePrivate:
      return {First::kPrivateArray, Second::kAlignment};
    case Op::kSsboAtomic:
      return {First::kResource, Second::kAtomicOp};
    case Op::kSharedAtomic:
      return {First::kNone, Second::kAtomicOp};
    case Op::kMemoryBarrier:
      return {First::kMemoryClasses, Second::kNone};
    default:
      return {};
  }
}

inline constexpr std::string_view kAtomicNames[] = {
    "add", "sub", "smin", "umin",     "smax",             "umax",      "and",       "or",
    "xor", "exchange",    "compare_exchange", "increment", "decrement", "load", "store",
};
inline constexpr uint32_t kNumAtomicOps = sizeof(kAtomicNames) / sizeof(kAtomicNames[0]);
static_assert(static_cast<uint32_t>(AtomicOp::kStore) + 1 == kNumAtomicOps);

// Values an atomic takes after the offset.
constexpr int AtomicOperands(AtomicOp op) {
  switch (op) {
    case AtomicOp::kCompareExchange: return 2;
    case AtomicOp::kIncrement:
    case AtomicOp::kDecrement:
    case AtomicOp::kLoad: return 0;
    default: return 1;
  }
}

inline constexpr std::string_view kTypeNames[] = {"bool", "i32", "f32"};

struct FlagName {
  uint8_t flag;
  std::string_view name;
};
inline constexpr FlagName kFlagNames[] = {
    {kNoContraction, "nocontract"},
    {kVolatile, "volatile"},
    {kCoherent, "coherent"},
    {kNonUniform, "nonuniform"},
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_IMMEDIATES_H_
