// The labels that control may be going to when the code of a region ends.
#ifndef KILN_CORE_FRONT_EMIT_FLOW_H_
#define KILN_CORE_FRONT_EMIT_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Labels (local indices of blocks, or those below), each with the condition under which control is
// going there; invalid if it is the only one. Empty: the region has ended with a jump.
using Flow = absl::InlinedVector<std::pair<uint32_t, mir::ValueId>, 2>;

// The end of the function.
constexpr uint32_t kReturnLabel = 0xfffffffeu;
// The code after the `if` whose arm this is.
constexpr uint32_t kHereLabel = 0xfffffffdu;

// Returns the label's index in the flow; the size if it is absent.
inline size_t FindLabel(const Flow& flow, uint32_t label) {
  for (size_t i = 0; i < flow.size(); ++i) {
    if (flow[i].first == label) return i;
  }
  return flow.size();
}

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_FLOW_H_
