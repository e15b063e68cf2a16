// Runs machine code of any compiler in the simulator of the EU.
//
// The row hands it to the driver; no pass may use it: the simulator judges what passes make.
#ifndef KILN_CORE_INTEL_PIPELINE_SIMULATE_H_
#define KILN_CORE_INTEL_PIPELINE_SIMULATE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/target/simulation.h"
#include "core/target/switches.h"

namespace kiln::intel {

inline constexpr Switch kSimulationSwitches[] = {
    {"fusion", "enter skipped blocks with all channels off, as fused execution units may"}};

// See Backend::simulate and core/sim/eu/simulator.h.
absl::StatusOr<sim::scene::RunStats> SimulateTgl(absl::Span<const uint8_t> code,
                                                 const out::LaunchRecord& record,
                                                 const SimulationOptions& options,
                                                 sim::scene::Dispatch& dispatch);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_SIMULATE_H_
