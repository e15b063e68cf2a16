#include "core/driver/simulate.h"

#include "core/driver/targets.h"
#include "core/driver/tools.h"

namespace kiln {

std::vector<Switch> SimulationSwitches() {
  return SwitchesOf(Backends(), &Backend::simulation_switches);
}

absl::Status CheckSimulation(Target target, const SimulationOptions& options) {
  return CheckSimulation(BackendOf(target), options);
}

absl::StatusOr<sim::scene::RunStats> Simulate(Target target, absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch) {
  return SimulateBy(BackendOf(target), code, record, options, dispatch);
}

}  // namespace kiln
