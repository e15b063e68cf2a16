// A run of machine code in a target's simulator, as its callers see it.
//
// The parts that all simulators share are in core/sim/scene: options and results of a run (run.h),
// the client's data and results of draws (dispatch.h). A mode that only one of them has is a row of
// the back end's switches (Backend::simulation_switches), and is refused for every other target.
#ifndef KILN_CORE_TARGET_SIMULATION_H_
#define KILN_CORE_TARGET_SIMULATION_H_

#include <string>
#include <vector>

#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/run.h"

namespace kiln {

struct SimulationOptions : sim::scene::RunOptions {
  std::vector<std::string> switches;  // names
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_SIMULATION_H_
