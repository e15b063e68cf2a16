// See input_assembly.h.
#include "core/sim/rdna2/input_assembly.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kiln::sim::rdna2 {
namespace {

using Topology = InputAssembly::Topology;
using Places = std::array<uint32_t, 3>;

// Appends the primitives of the places [first, end) of an instance.
void AppendPrimitives(Topology topology, uint32_t first, uint32_t end, std::vector<Places>& to) {
  const uint32_t step = topology == Topology::kTriangleList ? 3 : 1;
  for (uint32_t v = first, n = 0; v + 2 < end; v += step, ++n) {
    if (topology == Topology::kTriangleFan) {
      to.push_back({v + 1, v + 2, first});
    } else if (topology == Topology::kTriangleStrip && n % 2 != 0) {
      to.push_back({v, v + 2, v + 1});
    } else {
      to.push_back({v, v + 1, v + 2});
    }
  }
}

// Returns the primitives of an instance of `count` vertices.
std::vector<Places> PrimitivesOf(const InputAssembly& how, uint32_t count) {
  std::vector<Places> primitives;
  uint32_t first = 0;
  for (const uint32_t restart : how.restarts) {
    const uint32_t end = std::clamp(restart, first, count);
    AppendPrimitives(how.topology, first, end, primitives);
    first = end;
  }
  AppendPrimitives(how.topology, first, count, primitives);
  return primitives;
}

class Assembler {
 public:
  Assembler(const scene::VertexInputs& draw, bool reuses, uint32_t max_vertices,
            uint32_t max_primitives)
      : draw_(draw),
        reuses_(reuses),
        max_vertices_(max_vertices),
        max_primitives_(max_primitives) {}

  // Ends the workgroup: the next primitive is in another one.
  void Break() { open_ = false; }

  void Add(uint32_t instance, const Places& places, uint32_t number) {
    if (!open_ || groups_.back().primitives.size() == max_primitives_ ||
        groups_.back().vertices.size() + NewVertices(instance, places) > max_vertices_) {
      groups_.emplace_back().instance = instance;
      known_.clear();
      open_ = true;
    }
    AssembledPrimitive p;
    p.number = number;
    for (size_t k = 0; k < 3; ++k) {
      p.runs[k] = instance * draw_.count + places[k];
      p.vertices[k] = VertexOf(KeyOf(instance, places[k]), p.runs[k]);
    }
    groups_.back().primitives.push_back(p);
  }

  std::vector<AssembledGroup> Take() { return std::move(groups_); }

 private:
  // An instance, and in it a vertex number, or with no reuse a place: a vertex of a workgroup.
  using Key = std::pair<uint32_t, uint32_t>;

  Key KeyOf(uint32_t instance, uint32_t place) const {
    if (!reuses_) return {instance, place};
    return {instance, scene::RunAt(draw_, instance * draw_.count + place).number};
  }

  size_t NewVertices(uint32_t instance, const Places& places) const {
    std::array<Key, 3> keys;
    for (size_t k = 0; k < 3; ++k) keys[k] = KeyOf(instance, places[k]);
    std::sort(keys.begin(), keys.end());
    const auto end = std::unique(keys.begin(), keys.end());
    return static_cast<size_t>(
        std::count_if(keys.begin(), end, [&](const Key& key) { return !known_.contains(key); }));
  }

  uint32_t VertexOf(const Key& key, uint32_t run) {
    std::vector<std::vector<uint32_t>>& vertices = groups_.back().vertices;
    const auto [it, is_new] = known_.try_emplace(key, static_cast<uint32_t>(vertices.size()));
    if (is_new) vertices.emplace_back();
    std::vector<uint32_t>& runs = vertices[it->second];
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) runs.push_back(run);
    return it->second;
  }

  const scene::VertexInputs& draw_;
  const bool reuses_;
  const size_t max_vertices_, max_primitives_;
  std::vector<AssembledGroup> groups_;
  std::map<Key, uint32_t> known_;  // vertices of the last workgroup
  bool open_ = false;
};

// Workgroups of consecutive vertices of one instance. Fewer than three form a degenerate primitive.
std::vector<AssembledGroup> EveryThree(const scene::VertexInputs& draw, uint32_t max_vertices,
                                       uint32_t max_primitives) {
  const uint32_t most = std::min(max_vertices, max_primitives + 2);
  std::vector<AssembledGroup> groups;
  for (uint32_t instance = 0; instance < draw.instances; ++instance) {
    uint32_t number = 0;
    for (uint32_t v = 0; v < draw.count; v += most) {
      AssembledGroup& g = groups.emplace_back();
      g.instance = instance;
      const uint32_t first = instance * draw.count + v, count = std::min(most, draw.count - v);
      for (uint32_t i = 0; i < count; ++i) g.vertices.push_back({first + i});
      const auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
        g.primitives.push_back({{a, b, c}, {first + a, first + b, first + c}, number++});
      };
      if (count < 3) add(0, count - 1, count - 1);
      for (uint32_t i = 0; i + 2 < count; ++i) add(i, i + 1, i + 2);
    }
  }
  return groups;
}

}  // namespace

std::vector<AssembledGroup> Assemble(const scene::VertexInputs& draw, const InputAssembly& how,
                                     uint32_t max_vertices, uint32_t max_primitives,
                                     uint32_t views) {
  if (how.topology == Topology::kEveryThree) {
    return EveryThree(draw, max_vertices, max_primitives);
  }
  const std::vector<Places> primitives = PrimitivesOf(how, draw.count);
  Assembler assembler(draw, how.reuses_vertices, max_vertices, max_primitives);
  for (uint32_t view = 0; view < views; ++view) {
    assembler.Break();
    for (uint32_t instance = view; instance < draw.instances; instance += views) {
      if (!how.joins_instances) assembler.Break();
      for (uint32_t n = 0; n < primitives.size(); ++n) assembler.Add(instance, primitives[n], n);
    }
  }
  return assembler.Take();
}

}  // namespace kiln::sim::rdna2
