// Passes on the messages of LIR in SSA form; each is in a file of its own.
#ifndef KILN_CORE_INTEL_MESSAGES_PASSES_H_
#define KILN_CORE_INTEL_MESSAGES_PASSES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/device/device.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// Removes parameters at the end of a sampler message that are the constant 0. Optional.
absl::StatusOr<bool> StripSamplerParameters(lir::Function& f, const Device& device,
                                            PassContext& context);

// Lowers parameter lists to sends with one payload, for parts of the lanes if a message for all
// would be too long. Needed for correctness.
absl::StatusOr<bool> LowerSamplers(lir::Function& f, PassContext& context);

// Splits messages for 32 lanes into two for 16. Needed for correctness.
absl::StatusOr<bool> HalveMessages(lir::Function& f, PassContext& context);

// Computes by halves the values of 32 lanes that such messages take and return by halves. Optional.
absl::StatusOr<bool> HalveValues(lir::Function& f, const Device& device, PassContext& context);

// Cuts payloads in two, so that fewer registers must be consecutive. Optional.
absl::StatusOr<bool> SplitSends(lir::Function& f, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_PASSES_H_
