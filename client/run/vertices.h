// The `vertices` of a job, in the form of tests/peer/README.md, so that one job runs on lavapipe
// and here:
//
//   {"count": 3, "first_vertex": 0 | "indices": [...], "vertex_offset": 0, "instances": 1,
//    "first_instance": 0, "view_mask": 0, "inputs": [{"location", "rate": "vertex" | "instance",
//    "f32" | "u32" | "i32": values, all of a vertex together}]}
//
// Values are those of elements 0 to the last one that the draw takes. "components" of an input,
// which only the simulator needs: how many there are of each element, where more elements are
// given. "as" is for show_vertices.h. Any other key is an error, but for "out", which lavapipe's
// tool has for its own sake; so are numbers that are broken or too large, and a location that is
// given twice.
#ifndef KILN_CLIENT_RUN_VERTICES_H_
#define KILN_CLIENT_RUN_VERTICES_H_

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/vertex.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// For a program with this record: as many instances as it needs for its views. InvalidArgument
// names what is wrong, another "view_mask" than the record's too. How many vertices there may be,
// the simulator says.
absl::StatusOr<sim::eu::VertexInputs> ReadVertices(const nlohmann::json& vertices,
                                                   const out::VertexLaunch& launch);

// The outputs as `run-peer exec` lists them: {"builtin" or "location" and "component",
// "components", "bytes", "hex"}, values in the order instance, vertex, component; locations with
// all four components. "written": a digit for each value, 1 or 0.
nlohmann::json VertexOutputs(const sim::eu::VertexInputs& draw, const out::VertexLaunch& launch);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_VERTICES_H_
