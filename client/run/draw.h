// The `draw` of a job: triangles, their inputs and the size of the target.
//
//   {"width": 8, "height": 8, "samples": 1, "sample_shading": false,
//    "alpha_to_coverage": false, "positions": [[x, y, z, w], ...],
//    "topology": "triangle_list" | "triangle_strip" | "triangle_fan", "depth": false,
//    "inputs": [{"location", "component", "f32" | "u32" | "i32": values, all of a vertex
//    together}], "layers": [0, ...], "viewports": [0, ...]}
//
// `layers` and `viewports` have a number for each vertex, of which the provoking one's counts. All
// viewports are the same, and targets are not kept by layer: what is drawn to one lands in all.
//
// The format is that of tests/peer/README.md, so that one job is drawn by lavapipe and here.
#ifndef KILN_CLIENT_RUN_DRAW_H_
#define KILN_CLIENT_RUN_DRAW_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/fragment.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// Takes the draw out of a job's text: the rest is what compute programs have too. Null where there
// is none, also where the text is no JSON object, of which ReadJob says what is wrong.
absl::StatusOr<nlohmann::json> TakeDraw(std::string* job);

// Gives the inputs that the program reads and the draw does not have: of each location x and y of
// the place in the target, from 0 at the left and top to 1, then 0 and 1; what is flat is 0.
// Built-in attributes are the rasteriser's.
absl::Status AddMissingInputs(const out::LaunchRecord& record, nlohmann::json* draw);

// Rasterises the draw for a program. "jitter", which only the simulator knows, is a seed
// (FragmentInputs::jitter). Targets are those of the record's colour outputs and begin as 0;
// depth is kept if the draw asks for it or the program writes it. InvalidArgument names what is
// wrong or not supported: lines, points, vertex shaders, instances, clear values, state that the
// program was not compiled for, coverage by alpha that hardware does.
absl::StatusOr<sim::eu::FragmentInputs> ReadDraw(const nlohmann::json& draw,
                                                 const out::LaunchRecord& record);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_DRAW_H_
