// What a draw's vertices left, vertex by vertex, as numbers.
#ifndef KILN_CLIENT_RUN_SHOW_VERTICES_H_
#define KILN_CLIENT_RUN_SHOW_VERTICES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/vertex.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// By location how its outputs are shown: "f32", "u32" or "i32"; f32 where nothing is said.
using VertexTypes = std::map<uint32_t, std::string>;

// "as" of a job's vertices, which ReadVertices (vertices.h) accepts: {"LOCATION": TYPE}.
// InvalidArgument names what is wrong, also a location that the program does not write.
absl::StatusOr<VertexTypes> ReadVertexTypes(const nlohmann::json& vertices,
                                            const out::VertexLaunch& launch);

// {"instance", "vertex", "outputs": [{"builtin" or "location", "values"}]} of each vertex, numbered
// by its place in the draw. Built-ins have types of their own. Null is what the program did not
// write; of a slot that it writes, components that the shader does not store may hold anything
// (core/intel/ABI.md, "Vertices").
nlohmann::ordered_json VertexRows(const sim::eu::VertexInputs& draw,
                                  const out::VertexLaunch& launch, const VertexTypes& types);

// The same as text, of the first `most` vertices; "-" is what the program did not write.
std::string VertexText(const sim::eu::VertexInputs& draw, const out::VertexLaunch& launch,
                       const VertexTypes& types, size_t most);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_SHOW_VERTICES_H_
