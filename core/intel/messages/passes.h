// Passes on the messages of LIR in SSA form, one function a file.
#ifndef KILN_CORE_INTEL_MESSAGES_PASSES_H_
#define KILN_CORE_INTEL_MESSAGES_PASSES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/device/device.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// Leaves out parameters at the end of a sampler message that are the constant 0. Optional.
absl::StatusOr<bool> StripSamplerParameters(lir::Function& f, const Device& device,
                                            PassContext& context);

// Parameter lists become sends with one payload, in parts of the lanes where a message for all
// would be too long. Needed for correctness.
absl::StatusOr<bool> LowerSamplers(lir::Function& f, PassContext& context);

// Messages for 32 lanes become two for 16. Needed for correctness.
absl::StatusOr<bool> HalveMessages(lir::Function& f, PassContext& context);

// Values of 32 lanes that such messages take and give by halves are computed by halves.
absl::StatusOr<bool> HalveValues(lir::Function& f, const Device& device, PassContext& context);

// Cuts payloads in two, so that less must lie together. Optional.
absl::StatusOr<bool> SplitSends(lir::Function& f, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_PASSES_H_
