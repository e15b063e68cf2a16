// Compiles a lowered module for gfx1030, at both sizes of waves.
#ifndef KILN_CORE_AMD_PIPELINE_COMPILE_H_
#define KILN_CORE_AMD_PIPELINE_COMPILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/amd/device/device.h"
#include "core/amd/select/scan_form.h"
#include "core/base/pass.h"
#include "core/base/sink.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"
#include "core/target/compile_options.h"
#include "core/target/compiled.h"

namespace kiln::amd {

extern const mid::Features kGfx1030Features;
mid::Features FeaturesOf(const Device& device);

// Returns the name of a program with so many lanes: "wave32".
std::string VariantName(uint32_t width);

// See Backend::compile. CompileOptions::scan is a name of kScanFormNames, or empty. In the
// container amdhsa the code of a variant is a code object of one kernel, which takes buffers and
// push constants as kernel arguments (core/amd/ABI.md): other resources are refused.
absl::StatusOr<Compiled> CompileModule(const mir::Module& module, const CompileOptions& options,
                                       Runner& runner, Sink* sink);

// The same for any device. `scan`: the form of every scan of the workgroup, which the device has;
// nothing: of each the one that the cost model finds fastest.
absl::StatusOr<Compiled> CompileWaves(const Device& device, std::optional<ScanForm> scan,
                                      const mir::Module& module, const CompileOptions& options,
                                      Runner& runner, Sink* sink);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_COMPILE_H_
