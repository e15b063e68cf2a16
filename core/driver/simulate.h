// Runs machine code of any compiler in its target's simulator, for the command line.
#ifndef KILN_CORE_DRIVER_SIMULATE_H_
#define KILN_CORE_DRIVER_SIMULATE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/compile.h"
#include "core/out/launch_record.h"
#include "core/target/simulation.h"
#include "core/target/switches.h"

namespace kiln {

// Returns the switches of all targets' simulators, in the order of the targets.
std::vector<Switch> SimulationSwitches();

// Returns Unimplemented, with the cause missing_tool, if the target has no simulator or not one of
// the switches.
absl::Status CheckSimulation(Target target, const SimulationOptions& options);

// Runs the whole dispatch or draw, whose data are changed even if it fails. Errors: those of
// CheckSimulation and of Backend::simulate (core/target/backend.h).
absl::StatusOr<sim::scene::RunStats> Simulate(Target target, absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_SIMULATE_H_
