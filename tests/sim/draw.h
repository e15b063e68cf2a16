// The `draw` of a job (tests/peer/README.md): triangles, their inputs and the size of the target.
#ifndef KILN_TESTS_SIM_DRAW_H_
#define KILN_TESTS_SIM_DRAW_H_

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/fragment.h"
#include "nlohmann/json.hpp"

namespace kiln {

// Rasterises the draw for a program. "jitter", which only the simulator knows, is a seed
// (FragmentInputs::jitter). Targets are those of the record's colour outputs and begin as 0;
// depth is kept if the draw asks for it or the program writes it. InvalidArgument names what is
// wrong or not supported: lines, points, vertex shaders, instances, clear values.
absl::StatusOr<sim::eu::FragmentInputs> ReadDraw(const nlohmann::json& draw,
                                                 const out::LaunchRecord& record);

}  // namespace kiln

#endif  // KILN_TESTS_SIM_DRAW_H_
