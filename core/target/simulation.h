// A run of machine code in a target's simulator, as its callers see it.
//
// The parts that all simulators share are in core/sim/scene: options and results of a run (run.h),
// the client's data and results of draws (dispatch.h). A mode that only one of them has is a row of
// the back end's switches (Backend::simulation_switches), and is refused for every other target.
#ifndef KILN_CORE_TARGET_SIMULATION_H_
#define KILN_CORE_TARGET_SIMULATION_H_

#include <string>
#include <vector>

#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/run.h"

namespace kiln {

struct SimulationOptions : sim::scene::RunOptions {
  // The record of the draw's vertex program, if there is one, in a run of its fragment program; not
  // owned. Targets whose inputs have their places by the two records together read both.
  const out::LaunchRecord* vertex_record = nullptr;
  std::vector<std::string> switches;  // names
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_SIMULATION_H_
