// The arithmetic of memory atomics, the same for buffers, images, global memory and LDS.
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_ATOMIC_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_ATOMIC_H_

#include <cstdint>
#include <optional>

#include "core/amd/isa/opcodes.h"

namespace kiln::sim::rdna2 {

enum class AtomicOp : uint8_t {
  kSwap,
  kCompareSwap,
  kAdd,
  kSub,
  kClampedSub,
  kSignedMin,
  kUnsignedMin,
  kSignedMax,
  kUnsignedMax,
  kAnd,
  kOr,
  kXor,
  kIncrement,
  kDecrement,
  kFloatCompareSwap,
  kFloatMin,
  kFloatMax,
  // Only LDS has these.
  kFloatAdd,
  kReverseSub,  // data - memory
  kMaskedOr,    // clears the bits of data, then sets those of compare
  kWrap,        // memory - data if that is not negative, else memory + compare
};

// Returns the operation of an atomic instruction on buffers, images, flat or global memory; nothing
// for other opcodes.
std::optional<AtomicOp> AtomicOpOf(amd::isa::Opcode op);

// Returns the new value of memory that holds `old`. `data` and `compare` are the operands; in
// registers `data` comes first. `bits` is 32 or 64; upper halves of 32-bit values are ignored and
// returned as 0. Source: AMD, "RDNA 2" ISA guide, 12.15 and 12.18.
uint64_t ApplyAtomic(AtomicOp op, int bits, uint64_t old, uint64_t data, uint64_t compare);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_ATOMIC_H_
