// Quads of the interpreter: four consecutive lanes, 0 1 over 2 3 (Vulkan, "Quad").
#ifndef KILN_CORE_ORACLE_QUADS_H_
#define KILN_CORE_ORACLE_QUADS_H_

#include <cstddef>
#include <cstdint>

#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

// The lanes between which a derivative is taken: those of the lane's own row or column; a coarse
// derivative is that of the first lane for the whole quad. Source: Vulkan, "Derivative Operations".
struct QuadPair {
  size_t from, to;
};
constexpr QuadPair PairOf(size_t lane, bool down, bool coarse) {
  const size_t step = down ? 2 : 1;
  const size_t from = lane & ~(coarse ? size_t{3} : step);
  return {from, from + step};
}

// Returns true if all lanes of the quad are active; otherwise derivatives are undefined.
inline bool IsWholeQuad(size_t lane, const BitSet& active, uint32_t lanes) {
  const size_t first = lane & ~size_t{3};
  for (size_t i = first; i < first + 4; ++i) {
    if (i >= lanes || !active.test(i)) return false;
  }
  return true;
}

// Returns a - b of a float type, rounded as the launch requests.
uint64_t Difference(mir::Type type, uint64_t a, uint64_t b, Execution& execution);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_QUADS_H_
