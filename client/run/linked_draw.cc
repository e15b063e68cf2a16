// See linked_draw.h.
#include "client/run/linked_draw.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kiln::client::run {
namespace {

using sim::scene::StreamDistances;
using sim::scene::VertexInputs;
using sim::scene::VertexOutput;
using sim::scene::VertexStream;

// Takes values of all vertices out of a run.
class Link {
 public:
  explicit Link(const VertexInputs& run) : run_(run) {}

  absl::StatusOr<VertexStream> Take(const std::vector<VertexOutput>& outputs) {
    stream_.per_instance = run_.count;
    for (const VertexOutput& o : outputs) TakeOutput(o);
    if (stream_.positions.empty()) {
      return absl::InvalidArgumentError("draw: the vertex shader writes no position");
    }
    return std::move(stream_);
  }

 private:
  // Returns a component of an output; 0 if the program does not write it.
  uint32_t At(uint32_t run, const VertexOutput::Component& c) const {
    const size_t at = run_.At(run, c.slot, c.component);
    return c.has_contents && run_.written[at] != 0 ? run_.entries[at] : 0;
  }
  float FloatAt(uint32_t run, const VertexOutput::Component& c) const {
    return std::bit_cast<float>(At(run, c));
  }

  void TakeOutput(const VertexOutput& o) {
    if (o.builtin == "clip_distance") stream_.clip = Distances(o);
    if (o.builtin == "cull_distance") stream_.cull = Distances(o);
    sim::scene::StreamValues values{o.location, 0, 4, {}};
    for (uint32_t r = 0; r < run_.Runs(); ++r) {
      const std::vector<VertexOutput::Component>& c = o.components;
      if (o.builtin == "position") {
        stream_.positions.push_back(
            {FloatAt(r, c[0]), FloatAt(r, c[1]), FloatAt(r, c[2]), FloatAt(r, c[3])});
      } else if (o.builtin == "point_size") {
        stream_.point_sizes.push_back(FloatAt(r, c[0]));
      } else if (o.builtin == "layer") {
        stream_.layers.push_back(At(r, c[0]));
      } else if (o.builtin == "viewport") {
        stream_.viewports.push_back(At(r, c[0]));
      } else if (o.builtin.empty()) {
        for (const VertexOutput::Component& each : c) values.bits.push_back(At(r, each));
      }
    }
    if (o.builtin.empty()) stream_.values.push_back(std::move(values));
  }

  // Returns the distances of one kind, in the order of their numbers.
  StreamDistances Distances(const VertexOutput& o) const {
    StreamDistances distances;
    distances.each = static_cast<uint32_t>(o.components.size());
    for (uint32_t r = 0; r < run_.Runs(); ++r) {
      for (const VertexOutput::Component& c : o.components) {
        distances.values.push_back(FloatAt(r, c));
      }
    }
    return distances;
  }

  const VertexInputs& run_;
  VertexStream stream_;
};

}  // namespace

absl::StatusOr<VertexStream> LinkVertices(const VertexInputs& run) {
  return Link(run).Take(run.outputs);
}

}  // namespace kiln::client::run
