// The `vertices` of a job, in the form of tests/peer/README.md, so that lavapipe and the simulator
// run the same job:
//
//   {"count": 3, "first_vertex": 0 | "indices": [...], "vertex_offset": 0, "instances": 1,
//    "first_instance": 0, "view_mask": 0, "inputs": [{"location", "rate": "vertex" | "instance",
//    "f32" | "u32" | "i32": values, all of a vertex together}]}
//
// Values are those of elements 0 to the last one that the draw takes. "components" of an input,
// which only the simulator needs: the number of components of each element, if more elements are
// given. "as" is for show_vertices.h. Errors: any other key, except "out", which only lavapipe's
// tool uses; fractional or too large numbers; and a location that is given twice.
#ifndef KILN_CLIENT_RUN_VERTICES_H_
#define KILN_CLIENT_RUN_VERTICES_H_

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/vertex.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// Reads them for a program with this record, with as many instances as it needs for its views.
// InvalidArgument names the error, also another "view_mask" than the record's. The simulator bounds
// the number of vertices.
absl::StatusOr<sim::scene::VertexInputs> ReadVertices(const nlohmann::json& vertices,
                                                      const out::VertexLaunch& launch);

// Returns the outputs that a run left in the form of `run-peer exec`: {"builtin" or "location" and
// "component", "components", "bytes", "hex"}, values in the order instance, vertex, component;
// locations with all four components. "written": a digit for each value, 1 or 0.
nlohmann::json VertexOutputs(const sim::scene::VertexInputs& draw);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_VERTICES_H_
