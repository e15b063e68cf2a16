// How an instruction of LDS, buffer or flat memory accesses memory, from its opcode: size, sign,
// halves, and the operation of atomics.
#ifndef KILN_CORE_SIM_RDNA2_ACCESS_H_
#define KILN_CORE_SIM_RDNA2_ACCESS_H_

#include <cstdint>

#include "core/amd/isa/opcodes.h"
#include "core/sim/rdna2/mode.h"

namespace kiln::sim::rdna2 {

namespace isa = ::kiln::amd::isa;

enum class AccessKind : uint8_t { kOther, kLoad, kStore, kAtomic, kFormatLoad, kFormatStore };

enum class AtomicOp : uint8_t {
  kNone,
  kSwap,
  kCompareSwap,
  kAdd,
  kSub,
  kReverseSub,   // data - memory
  kClampedSub,   // at least 0
  kSignedMin,
  kUnsignedMin,
  kSignedMax,
  kUnsignedMax,
  kAnd,
  kOr,
  kXor,
  kIncrement,  // 0 from `data` on
  kDecrement,  // `data` below 0 and above `data`
  kMaskedOr,   // clears the bits of data, then sets those of the second
  kWrap,       // memory - data if that is not negative, else memory + second
  kFloatCompareSwap,
  kFloatMin,
  kFloatMax,
  kFloatAdd,
};

struct Access {
  AccessKind kind = AccessKind::kOther;
  uint8_t bytes = 0;  // of a lane and address: 1, 2, 4, 8, 12, 16; of formats: channels
  bool sign = false;  // a byte or half is extended by its sign
  bool d16 = false;   // a byte or half loaded goes into half a register; formats: two to a register
  bool high = false;  // the upper half: into which a load goes, from which a store comes
  bool two = false;   // two addresses with an offset each (DS)
  bool stride64 = false;  // of which the offsets are multiplied by 64
  AtomicOp atomic = AtomicOp::kNone;
};

// Returns the access of an opcode of DS, MUBUF, MTBUF or FLAT; kOther for those that access no
// memory or are of another kind (ds_bpermute_b32, buffer_gl0_inv, ...).
const Access& AccessOf(isa::Opcode op);

// Returns what an atomic leaves in memory. `bytes`: 4 or 8, the values have as many. `second`: what
// is written by the swaps that compare `data`, and a second operand of a few of DS. Sources: AMD,
// "RDNA 2" ISA guide, 30 November 2020, 12.15 to 12.17.
uint64_t Combine(AtomicOp op, int bytes, uint64_t memory, uint64_t data, uint64_t second,
                 const Mode& mode);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_ACCESS_H_
