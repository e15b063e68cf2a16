// The location of a memory access, and the surface that a message names. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_LOCATION_H_
#define KILN_CORE_INTEL_SELECT_LOCATION_H_

#include <cstdint>
#include <optional>

#include "core/lir/lir.h"

namespace kiln::intel {

struct SurfaceRef {
  uint32_t bti = 0;                    // binding table index, or one with a special meaning
  std::optional<lir::Operand> index;   // uniform, added to the message descriptor
  std::optional<lir::Operand> handle;  // uniform, of a bindless surface (bti 252)
  bool chosen = false;                 // a value selects this surface, or the sampler used with it
};

// Returns true if both name the same surface by the same operands.
inline bool SameSurface(const SurfaceRef& a, const SurfaceRef& b) {
  const auto same = [](const std::optional<lir::Operand>& x, const std::optional<lir::Operand>& y) {
    return x.has_value() == y.has_value() && (!x || (x->id == y->id && x->comp == y->comp));
  };
  return a.bti == b.bti && same(a.index, b.index) && same(a.handle, b.handle);
}

// The location of an access: a byte offset in a surface, or a 64-bit address.
struct Location {
  SurfaceRef surface;
  lir::Operand offset;               // dword; for an address the low half ...
  std::optional<lir::Operand> high;  // ... and its high half
  uint32_t alignment = 4;            // of the offset or address, in bytes
  bool constant_cache = true;  // block reads use it; false for memory that the program may change
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_LOCATION_H_
