// The result of Prepare, which Compile reads; internal to this folder.
#ifndef KILN_CORE_DRIVER_PREPARED_H_
#define KILN_CORE_DRIVER_PREPARED_H_

#include "core/driver/compile.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"
#include "core/target/backend.h"

namespace kiln {

// The stage that has no pipeline state.
inline constexpr char kComputeStage[] = "compute";

class Prepared {
 public:
  mir::Module module;
  PreparedInfo info;
  // Prepare ended at PrepareOptions::passes.stop_after: there is nothing to compile
  bool stopped = false;
  bool settled = false;  // the neutral passes would change nothing more
  int64_t rewrites = 0;  // counted so far; Compile continues from here
};

// A target's own copy of the module, linked and lowered.
struct Lowered {
  mir::Module module;
  bool stopped = false;
  int64_t rewrites = 0;  // counted so far, including Prepare's
};
// Errors: refusals of what the target lacks (core/target/check_features.h).
absl::StatusOr<Lowered> Lower(const Prepared& prepared, const mid::Features& features,
                              const CompileOptions& options, Sink* sink, const Budget& budget);

// Compile for a back end that is given, which need not be in the table of targets.
absl::StatusOr<Compiled> CompileFor(const Prepared& prepared, const Backend& backend,
                                    const CompileOptions& options, Sink* sink,
                                    const Budget& budget);

// Prepare from MIR instead of SPIR-V, for tests and tools. Runs the same passes.
absl::StatusOr<std::shared_ptr<const Prepared>> PrepareMir(mir::Module module,
                                                           const PrepareOptions& options,
                                                           Sink* sink, const Budget& budget);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_PREPARED_H_
