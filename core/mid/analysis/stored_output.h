// Stores of a fragment's outputs, as instruction selection reads them.
#ifndef KILN_CORE_MID_ANALYSIS_STORED_OUTPUT_H_
#define KILN_CORE_MID_ANALYSIS_STORED_OUTPUT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"

namespace kiln::mid {

inline constexpr uint32_t kRenderTargets = 8;  // of blend state

struct StoredOutput {
  const mir::Interface* output = nullptr;  // of the module
  uint32_t element = 0;                    // of an array; 0 for what is none
  int first = 0;                           // source of the store: the first component stored

  // Returns the location of a colour.
  uint32_t location() const { return output->location + element; }
  // Returns the component that a source of the store is for.
  uint32_t ComponentOf(const mir::Inst& store, int source) const {
    return output->component + store.imm1 + static_cast<uint32_t>(source - first);
  }
};

// Returns the output that a store_output of a fragment writes. Errors: Unimplemented, by the cause
// "fragment_outputs", for a location that no render target has; Internal for what earlier passes
// should not have left: an element that is no constant, components that have not 32 bits.
absl::StatusOr<StoredOutput> StoredOutputOf(const mir::Module& m, mir::InstId store);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_STORED_OUTPUT_H_
