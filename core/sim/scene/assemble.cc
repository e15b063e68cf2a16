// See assemble.h.
#include "core/sim/scene/assemble.h"

namespace kiln::sim::scene {

std::optional<Topology> TopologyNamed(std::string_view name) {
  if (name == "triangle_list") return Topology::kTriangleList;
  if (name == "triangle_strip") return Topology::kTriangleStrip;
  if (name == "triangle_fan") return Topology::kTriangleFan;
  if (name == "point_list") return Topology::kPointList;
  return std::nullopt;
}

std::vector<std::array<uint32_t, 3>> Assemble(Topology topology, uint32_t count) {
  std::vector<std::array<uint32_t, 3>> primitives;
  switch (topology) {
    case Topology::kTriangleList:
      for (uint32_t i = 0; i + 2 < count; i += 3) primitives.push_back({i, i + 1, i + 2});
      break;
    case Topology::kTriangleStrip:
      for (uint32_t i = 0; i + 2 < count; ++i) {
        primitives.push_back({i, i + 1 + i % 2, i + 2 - i % 2});
      }
      break;
    case Topology::kTriangleFan:
      for (uint32_t i = 1; i + 1 < count; ++i) primitives.push_back({i, i + 1, 0});
      break;
    case Topology::kPointList:
      for (uint32_t i = 0; i < count; ++i) primitives.push_back({i, i, i});
      break;
  }
  return primitives;
}

}  // namespace kiln::sim::scene
