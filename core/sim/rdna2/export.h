// Exports: what a program gives to the fixed functions behind it.
//
// Targets, enabled channels, compressed forms: RDNA 2 ISA guide, chapter 11 and 13.11 (EXP).
// An export while no lane is on can hang the machine (Mesa 25.0.7, aco_lower_branches.cpp, which
// keeps branches around them), but for the one to the null target that ends a wave of fragments
// of which none is left.
#ifndef KILN_CORE_SIM_RDNA2_EXPORT_H_
#define KILN_CORE_SIM_RDNA2_EXPORT_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes EXP in a fragment or vertex program. FailedPrecondition: an export that the machine
// would not survive or take. InvalidArgument: one that does not fit the state, or in a compute
// program.
absl::Status ExecuteExport(const Op& op, const Context& context, const WaveState& wave);

// Returns the dwords that an export gives of a lane, as many as it has sources; 0 for the others.
std::array<uint32_t, 4> ExportedDwords(const Op& op, const WaveState& wave, int lane);

// Makes an error about an export.
absl::Status ExportError(absl::StatusCode code, const Op& op, const WaveState& wave,
                         absl::string_view what);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_EXPORT_H_
