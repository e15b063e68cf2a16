// How an instruction of LDS, buffer or flat memory accesses memory, from its opcode: size, sign,
// halves, and the operation of atomics.
#ifndef KILN_CORE_SIM_RDNA2_ACCESS_H_
#define KILN_CORE_SIM_RDNA2_ACCESS_H_

#include <cstdint>
#include <optional>

#include "core/amd/isa/opcodes.h"
#include "core/sim/rdna2/access_log.h"
#include "core/sim/rdna2/resource/atomic.h"

namespace kiln::sim::rdna2 {

namespace isa = ::kiln::amd::isa;

enum class AccessKind : uint8_t { kOther, kLoad, kStore, kAtomic, kFormatLoad, kFormatStore };

struct Access {
  AccessKind kind = AccessKind::kOther;
  uint8_t bytes = 0;  // of a lane and address: 1, 2, 4, 8, 12, 16; of formats: channels
  bool sign = false;  // a byte or half is extended by its sign
  bool d16 = false;   // a byte or half loaded goes into half a register; formats: two to a register
  bool high = false;  // the upper half: into which a load goes, from which a store comes
  bool two = false;   // two addresses with an offset each (DS)
  bool stride64 = false;  // of which the offsets are multiplied by 64
  std::optional<AtomicOp> atomic;
};

// Returns the access of an opcode of DS, MUBUF, MTBUF or FLAT; kOther for those that access no
// memory or are of another kind (ds_bpermute_b32, buffer_gl0_inv, ...).
const Access& AccessOf(isa::Opcode op);

// Returns what a kind of access does to memory.
inline Use UseOf(AccessKind kind) {
  if (kind == AccessKind::kLoad || kind == AccessKind::kFormatLoad) return Use::kRead;
  return kind == AccessKind::kAtomic ? Use::kAtomic : Use::kWrite;
}

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_ACCESS_H_
