// Runs code of the target `null`, compute only.
#ifndef KILN_TESTS_NULL_SIMULATE_H_
#define KILN_TESTS_NULL_SIMULATE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/target/simulation.h"

namespace kiln::null {

// See Backend::simulate.
absl::StatusOr<sim::scene::RunStats> Simulate(absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch);

}  // namespace kiln::null

#endif  // KILN_TESTS_NULL_SIMULATE_H_
