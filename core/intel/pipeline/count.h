// The result of one width: its bytes, how to launch them, and what they cost.
#ifndef KILN_CORE_INTEL_PIPELINE_COUNT_H_
#define KILN_CORE_INTEL_PIPELINE_COUNT_H_

#include "absl/status/statusor.h"
#include "core/base/sink.h"
#include "core/intel/pipeline/widths.h"
#include "core/intel/pipeline/work.h"
#include "core/target/compiled.h"

namespace kiln::intel {

struct WidthResult {
  Variant variant;
  WidthCosts costs;
};

// Makes the result of a width. `module` is the one that all widths start from. Takes ownership of
// `w`, which has bytes, and releases its memory. `sink` may be null.
absl::StatusOr<WidthResult> MakeVariant(const mir::Module& module, const Abi& abi, Work w,
                                        Sink* sink);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_COUNT_H_
