// See assemble.h.
#include "core/sim/scene/assemble.h"

#include <utility>

namespace kiln::sim::scene {
namespace {

using Vertices = std::array<uint32_t, 3>;

constexpr std::pair<std::string_view, Topology> kNames[] = {
    {"triangle_list", Topology::kTriangleList},
    {"triangle_strip", Topology::kTriangleStrip},
    {"triangle_fan", Topology::kTriangleFan},
    {"line_list", Topology::kLineList},
    {"line_strip", Topology::kLineStrip},
    {"point_list", Topology::kPointList},
    {"line_list_with_adjacency", Topology::kLineListAdjacency},
    {"line_strip_with_adjacency", Topology::kLineStripAdjacency},
    {"triangle_list_with_adjacency", Topology::kTriangleListAdjacency},
    {"triangle_strip_with_adjacency", Topology::kTriangleStripAdjacency},
};

// A primitive takes `taken` vertices; the next one begins `step` vertices later.
struct Sequence {
  uint32_t taken, step;
};

Sequence SequenceOf(Topology topology) {
  switch (topology) {
    case Topology::kTriangleList: return {3, 3};
    case Topology::kTriangleStrip:
    case Topology::kTriangleFan: return {3, 1};
    case Topology::kLineList: return {2, 2};
    case Topology::kLineStrip: return {2, 1};
    case Topology::kPointList: return {1, 1};
    case Topology::kLineListAdjacency: return {4, 4};
    case Topology::kLineStripAdjacency: return {4, 1};
    case Topology::kTriangleListAdjacency: return {6, 6};
    case Topology::kTriangleStripAdjacency: return {6, 2};
  }
  return {1, 1};
}

// Returns the vertices of primitive `number`, whose first vertex is `i`.
Vertices VerticesAt(Topology topology, uint32_t i, uint32_t number) {
  const uint32_t odd = number % 2;
  switch (topology) {
    case Topology::kTriangleList: return {i, i + 1, i + 2};
    case Topology::kTriangleStrip: return {i, i + 1 + odd, i + 2 - odd};
    case Topology::kTriangleFan: return {i + 1, i + 2, 0};
    case Topology::kLineList:
    case Topology::kLineStrip: return {i, i + 1, i + 1};
    case Topology::kPointList: return {i, i, i};
    case Topology::kLineListAdjacency:
    case Topology::kLineStripAdjacency: return {i + 1, i + 2, i + 2};
    case Topology::kTriangleListAdjacency: return {i, i + 2, i + 4};
    case Topology::kTriangleStripAdjacency: return {i, i + 2 + 2 * odd, i + 4 - 2 * odd};
  }
  return {i, i, i};
}

}  // namespace

std::optional<Topology> TopologyNamed(std::string_view name) {
  for (const auto& [known, topology] : kNames) {
    if (known == name) return topology;
  }
  return std::nullopt;
}

int VerticesOf(Topology topology) {
  switch (topology) {
    case Topology::kPointList: return 1;
    case Topology::kLineList:
    case Topology::kLineStrip:
    case Topology::kLineListAdjacency:
    case Topology::kLineStripAdjacency: return 2;
    default: return 3;
  }
}

std::vector<std::array<uint32_t, 3>> Assemble(Topology topology, uint32_t count) {
  const Sequence s = SequenceOf(topology);
  std::vector<Vertices> primitives;
  for (uint32_t i = 0; uint64_t{i} + s.taken <= count; i += s.step) {
    primitives.push_back(VerticesAt(topology, i, static_cast<uint32_t>(primitives.size())));
  }
  return primitives;
}

}  // namespace kiln::sim::scene
