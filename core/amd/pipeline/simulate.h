// Runs machine code of any compiler in the simulator of gfx1030.
//
// The row hands it to the driver; no pass may use it: the simulator judges what passes make.
#ifndef KILN_CORE_AMD_PIPELINE_SIMULATE_H_
#define KILN_CORE_AMD_PIPELINE_SIMULATE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/target/simulation.h"

namespace kiln::amd {

// See Backend::simulate and core/sim/rdna2/simulator.h.
absl::StatusOr<sim::scene::RunStats> Simulate(absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_SIMULATE_H_
