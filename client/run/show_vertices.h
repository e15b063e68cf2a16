// Outputs of a draw's vertices, vertex by vertex, as numbers.
#ifndef KILN_CLIENT_RUN_SHOW_VERTICES_H_
#define KILN_CLIENT_RUN_SHOW_VERTICES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/vertex.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// Location -> type in which its outputs are shown: "f32", "u32" or "i32"; f32 by default.
using VertexTypes = std::map<uint32_t, std::string>;

// Reads "as" of a job's vertices, which ReadVertices (vertices.h) accepts: {"LOCATION": TYPE}.
// InvalidArgument names the error, also a location that the program does not write.
absl::StatusOr<VertexTypes> ReadVertexTypes(const nlohmann::json& vertices,
                                            const out::VertexLaunch& launch);

// Returns {"instance", "vertex", "outputs": [{"builtin" or "location", "values"}]} of each vertex
// of a draw that has been run, numbered by its index in the draw. Built-ins have their own types.
// Null: not written by the program; in a slot that it writes, components that the shader does not
// store may hold anything.
nlohmann::ordered_json VertexRows(const sim::scene::VertexInputs& draw, const VertexTypes& types);

// Returns the same as text, for the first `most` vertices; "-": not written by the program.
std::string VertexText(const sim::scene::VertexInputs& draw, const VertexTypes& types, size_t most);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_SHOW_VERTICES_H_
