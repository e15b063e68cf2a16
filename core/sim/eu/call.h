// A message being executed: state shared by the units that execute messages.
#ifndef KILN_CORE_SIM_EU_CALL_H_
#define KILN_CORE_SIM_EU_CALL_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

struct Call {
  const Message& m;
  const MessageRegisters& regs;
  uint32_t enabled;
  const MemoryView& memory;
  Thread& thread;
  const Thread& source;  // before the message: the payload is read before results are written

  // Byte offset in the register file of payload register `index`.
  int Payload(int index) const {
    return 32 * (index < m.mlen ? regs.src0 + index : regs.src1 + index - m.mlen);
  }
  // The lane that accesses memory as number `i`.
  int Lane(int i) const { return memory.descending ? m.simd - 1 - i : i; }
  bool Enabled(int lane) const { return enabled >> lane & 1; }
  int Response(int index) const { return 32 * (regs.dst + index); }
  // Counts an access outside a buffer or image.
  void NoteOutside() const {
    if (memory.outside != nullptr) ++*memory.outside;
  }
};

// Returns the name of a message's surface, for errors.
inline std::string SurfaceName(const Message& m) {
  return m.surface == kSurfaceBindless ? absl::StrFormat("with handle 0x%05x000", m.handle)
                                       : absl::StrFormat("%d", m.surface);
}

// Returns the new value of memory for an integer atomic; `op` is the descriptor's operation code.
template <typename U, typename S>
U IntAtomic(int op, U old, U a, U b) {
  switch (op) {
    case 1: return old & a;
    case 2: return old | a;
    case 3: return old ^ a;
    case 4: return a;
    case 5: return old + 1;
    case 6:
    case 15: return old - 1;
    case 7: return old + a;
    case 8: return old - a;
    case 9: return a - old;
    case 10: return static_cast<S>(old) > static_cast<S>(a) ? old : a;
    case 11: return static_cast<S>(old) < static_cast<S>(a) ? old : a;
    case 12: return old > a ? old : a;
    case 13: return old < a ? old : a;
    case 14: return old == a ? b : old;  // a is the expected value, b the new one
    default: return old;
  }
}

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_CALL_H_
