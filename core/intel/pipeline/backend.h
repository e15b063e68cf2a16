// The rows of Intel's devices in the driver's table of targets, and what they are made of.
#ifndef KILN_CORE_INTEL_PIPELINE_BACKEND_H_
#define KILN_CORE_INTEL_PIPELINE_BACKEND_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/base/sink.h"
#include "core/intel/device/device.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"
#include "core/target/backend.h"

namespace kiln::intel {

// Returns what passes over MIR may leave to a device.
mid::Features FeaturesOf(const Device& device);

// Compiles a module lowered for FeaturesOf(device) at all widths that it can have and that
// `options` ask for: Backend::compile for any device.
absl::StatusOr<Compiled> CompileWidths(const Device& device, const mir::Module& module,
                                       const CompileOptions& options, Runner& runner, Sink* sink);

extern const Backend kTglBackend;

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_BACKEND_H_
