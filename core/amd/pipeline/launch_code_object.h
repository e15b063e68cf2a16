// Launches the kernel of a code object on a client's data, as a HIP program would: fills the
// segment of arguments by their names (core/amd/ABI.md, "Kernels of ROCm") and the user SGPRs.
#ifndef KILN_CORE_AMD_PIPELINE_LAUNCH_CODE_OBJECT_H_
#define KILN_CORE_AMD_PIPELINE_LAUNCH_CODE_OBJECT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"

namespace kiln::amd {

struct CodeObjectLaunch {
  std::vector<uint8_t> code;
  out::LaunchRecord record;  // of `code` and of the dispatch as it was changed
};

// Changes the dispatch to what a simulator of raw code needs: the segment is one more buffer, which
// no descriptor names, the user SGPRs are the push constants, and the base is 0, since the kernel
// adds the client's itself. Errors: those of Backend::simulate; Unimplemented also for arguments of
// other names, for those that a runtime fills (hidden_), and for user SGPRs beside the addresses of
// arguments and scratch.
absl::StatusOr<CodeObjectLaunch> LaunchCodeObject(absl::Span<const uint8_t> file,
                                                  sim::scene::Dispatch& dispatch);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_LAUNCH_CODE_OBJECT_H_
