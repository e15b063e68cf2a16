// The `vertices` of a job, in the form of tests/peer/README.md, so that one job runs on lavapipe
// and here:
//
//   {"count": 3, "first_vertex": 0 | "indices": [...], "vertex_offset": 0, "instances": 1,
//    "first_instance": 0, "view_mask": 0, "inputs": [{"location", "rate": "vertex" | "instance", "f32" | "u32" |
//    "i32": values, all of a vertex together}]}
//
// "components" of an input, which only the simulator needs where the number of values does not tell
// it: how many there are of each element.
#ifndef KILN_TESTS_SIM_VERTEX_JOB_H_
#define KILN_TESTS_SIM_VERTEX_JOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/vertex.h"
#include "nlohmann/json.hpp"

namespace kiln {

// Takes `vertices` out of a job's text: the rest is what compute programs have too. Null where
// there are none, also where the text is no JSON object.
absl::StatusOr<nlohmann::json> TakeVertices(std::string* job);

// For a program with this record: as many instances as it needs for its views. InvalidArgument names
// what is wrong, another "view_mask" than the record's too. Keys that lavapipe's tool has for its own
// sake ("out") are ignored.
absl::StatusOr<sim::eu::VertexInputs> ReadVertices(const nlohmann::json& vertices,
                                                   const out::VertexLaunch& launch);

// The outputs as `run-peer exec` lists them: {"builtin" or "location" and "component",
// "components", "bytes", "hex"}, values in the order instance, vertex, component; locations with
// all four components. "written": a digit for each value, 1 or 0.
nlohmann::json VertexOutputs(const sim::eu::VertexInputs& draw, const out::VertexLaunch& launch);

}  // namespace kiln

#endif  // KILN_TESTS_SIM_VERTEX_JOB_H_
