// Exports of fragment programs, and what render targets, depth and stencil keep of them.
//
// Exports are collected; the one that is marked as the last ("done") says with its lanes which
// pixels are left ("vm"), and only then are the tests made and the attachments written. Number n of
// the colour targets is the n-th colour output with a format (Mesa 25.0.7, ac_nir_lower_ps_late.c;
// radv_cmd_buffer.c: holes are closed). Formats: SPI_SHADER_COL_FORMAT and SPI_SHADER_Z_FORMAT of
// Mesa's amd/registers/gfx103.json.
#ifndef KILN_CORE_SIM_RDNA2_EXPORT_FRAGMENT_H_
#define KILN_CORE_SIM_RDNA2_EXPORT_FRAGMENT_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/fragment_wave.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Takes an export. FailedPrecondition: after the last one, or the last one without "vm".
// InvalidArgument: it does not fit the formats or the rest of the state.
absl::Status ExportFragment(const Op& op, const WaveState& wave, FragmentWave& of);

// Ends a wave: one without outputs, which needs no export, writes what the tests let through.
// FailedPrecondition: it should have made its last export.
absl::Status FinishFragments(FragmentWave& of);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_EXPORT_FRAGMENT_H_
