// Primitive assembly: the vertices of each primitive of a draw.
#ifndef KILN_CORE_SIM_SCENE_ASSEMBLE_H_
#define KILN_CORE_SIM_SCENE_ASSEMBLE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kiln::sim::scene {

enum class Topology : uint8_t { kTriangleList, kTriangleStrip, kTriangleFan, kPointList };

// Returns the topology of a job's name for it, for example "triangle_list".
std::optional<Topology> TopologyNamed(std::string_view name);

// Returns the vertices of each primitive of a draw of `count` vertices, the provoking one first
// (Vulkan 1.3, "Drawing", first vertex convention); of points the one vertex three times.
// Incomplete primitives are dropped.
std::vector<std::array<uint32_t, 3>> Assemble(Topology topology, uint32_t count);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_ASSEMBLE_H_
