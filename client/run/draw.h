// The `draw` of a job: triangles or points, their inputs and the size of the render target.
//
//   {"width": 8, "height": 8, "samples": 1, "sample_shading": false,
//    "alpha_to_coverage": false, "positions": [[x, y, z, w], ...],
//    "topology": "triangle_list" | "triangle_strip" | "triangle_fan" | "line_list" |
//    "line_strip" | "point_list" | ..._with_adjacency, "point_size": 1, "clip_distances": [...],
//    "cull_distances": [...], "inputs": [{"location", "component", "f32" | "u32" | "i32": values,
//    all of a vertex together}], "layers": [0, ...], "viewports": [0, ...], "view_mask": 0}
//
// and the state that draw_state.h reads. Distances are given vertex by vertex. `layers` and
// `viewports` have a number for each vertex, of which the provoking one's counts. All viewports are
// the same, and render targets do not keep these layers apart: all of them are drawn to the same
// pixels. Views of multiview have separate layers.
//
// The format is that of tests/peer/README.md, so that lavapipe and the simulator draw the same job.
#ifndef KILN_CLIENT_RUN_DRAW_H_
#define KILN_CLIENT_RUN_DRAW_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/fragment.h"
#include "core/sim/scene/vertex_stream.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// Adds the inputs that the program reads and the draw does not have: for each location x and y of
// the position in the render target, from 0 at the left and top to 1, then 0 and 1; flat inputs are
// 0. The rasteriser supplies built-in attributes.
absl::Status AddMissingInputs(const out::LaunchRecord& record, nlohmann::json* draw);

// Rasterises the draw for a program; `folder` is that of the job's files. "jitter", which only the
// simulator knows, is a seed (FragmentInputs::jitter). With a "view_mask" each view is drawn to the
// layer of its number. InvalidArgument names wrong or unsupported values: vertex shaders,
// instances, views beyond number 15, state that the program was not compiled for, coverage by alpha
// that hardware computes. DeadlineExceeded: the time of `limit` is over, which the draw keeps.
absl::StatusOr<sim::scene::FragmentInputs> ReadDraw(const nlohmann::json& draw,
                                                    const out::LaunchRecord& record,
                                                    const std::string& folder = "",
                                                    const sim::scene::TimeLimit& limit = {});

// The same for the vertices that a vertex shader left; the draw must not have any.
absl::StatusOr<sim::scene::FragmentInputs> ReadLinkedDraw(const nlohmann::json& draw,
                                                          const sim::scene::VertexStream& vertices,
                                                          const out::LaunchRecord& record,
                                                          const std::string& folder,
                                                          const sim::scene::TimeLimit& limit = {});

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_DRAW_H_
