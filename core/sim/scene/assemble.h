// Primitive assembly: the vertices of each primitive of a draw.
#ifndef KILN_CORE_SIM_SCENE_ASSEMBLE_H_
#define KILN_CORE_SIM_SCENE_ASSEMBLE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kiln::sim::scene {

enum class Topology : uint8_t {
  kTriangleList,
  kTriangleStrip,
  kTriangleFan,
  kLineList,
  kLineStrip,
  kPointList,
  // Without a geometry shader adjacent vertices are not used.
  kLineListAdjacency,
  kLineStripAdjacency,
  kTriangleListAdjacency,
  kTriangleStripAdjacency,
};

// Returns the topology of a name: Vulkan's, in lower case, for example "triangle_list".
std::optional<Topology> TopologyNamed(std::string_view name);

// Returns the number of vertices of a primitive: 1, 2 or 3.
int VerticesOf(Topology topology);

// Returns the vertices of each primitive of a draw of `count` vertices, the provoking one first
// (Vulkan 1.3, "Primitive Topologies", first vertex convention); points and lines repeat the last
// one. Incomplete primitives are dropped.
std::vector<std::array<uint32_t, 3>> Assemble(Topology topology, uint32_t count);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_ASSEMBLE_H_
