// What Prepare makes and Compile reads; internal to this folder.
#ifndef KILN_CORE_DRIVER_PREPARED_H_
#define KILN_CORE_DRIVER_PREPARED_H_

#include "core/driver/compile.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln {

// The stage that has no pipeline state.
inline constexpr char kComputeStage[] = "compute";

class Prepared {
 public:
  mir::Module module;
  PreparedInfo info;
  bool stopped = false;  // at PrepareOptions::passes.stop_after: there is nothing to compile
  int64_t rewrites = 0;  // counted so far; Compile counts on
};

// What a target has of it: its own copy, lowered.
struct Lowered {
  mir::Module module;
  bool stopped = false;
  int64_t rewrites = 0;  // counted so far, Prepare's included
};
absl::StatusOr<Lowered> Lower(const Prepared& prepared, const mid::Features& features,
                              const CompileOptions& options, Sink* sink, const Budget& budget);

// From MIR instead of SPIR-V: for tests and tools. Runs the same passes.
absl::StatusOr<std::shared_ptr<const Prepared>> PrepareMir(mir::Module module,
                                                           const PrepareOptions& options,
                                                           Sink* sink, const Budget& budget);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_PREPARED_H_
