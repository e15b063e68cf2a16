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
using sim::scene::VertexStream;

// Takes values of all vertices out of a run.
class Link {
 public:
  Link(const VertexInputs& run, const out::VertexLaunch& launch) : run_(run), launch_(launch) {}

  absl::StatusOr<VertexStream> Take() {
    stream_.per_instance = run_.count;
    for (const out::VueSlot& s : launch_.vue) TakeSlot(s);
    stream_.clip = Distances(out::VueValue::kClipDistance);
    stream_.cull = Distances(out::VueValue::kCullDistance);
    if (stream_.positions.empty()) {
      return absl::InvalidArgumentError("draw: the vertex shader writes no position");
    }
    return std::move(stream_);
  }

 private:
  uint32_t At(uint32_t run, uint32_t slot, uint32_t component) const {
    const size_t at = run_.At(run, slot, component);
    return run_.written[at] != 0 ? run_.entries[at] : 0;
  }
  float FloatAt(uint32_t run, uint32_t slot, uint32_t component) const {
    return std::bit_cast<float>(At(run, slot, component));
  }
  uint32_t Runs() const { return static_cast<uint32_t>(run_.Runs()); }

  void TakeSlot(const out::VueSlot& s) {
    if (s.what == out::VueContent::kPosition) {
      for (uint32_t r = 0; r < Runs(); ++r) {
        stream_.positions.push_back({FloatAt(r, s.slot, 0), FloatAt(r, s.slot, 1),
                                     FloatAt(r, s.slot, 2), FloatAt(r, s.slot, 3)});
      }
    } else if (s.what == out::VueContent::kHeader) {
      for (const out::VuePart& p : s.parts) {
        if (p.from_shader) TakeHeader(s.slot, p);
      }
    } else if (s.what == out::VueContent::kLocation) {
      sim::scene::StreamValues values{s.location, 0, 4, {}};
      for (uint32_t r = 0; r < Runs(); ++r) {
        for (uint32_t c = 0; c < 4; ++c) values.bits.push_back(At(r, s.slot, c));
      }
      stream_.values.push_back(std::move(values));
    }
  }

  void TakeHeader(uint32_t slot, const out::VuePart& p) {
    for (uint32_t r = 0; r < Runs(); ++r) {
      switch (p.what) {
        case out::VueValue::kPointSize:
          stream_.point_sizes.push_back(FloatAt(r, slot, p.component));
          break;
        case out::VueValue::kLayer: stream_.layers.push_back(At(r, slot, p.component)); break;
        case out::VueValue::kViewport: stream_.viewports.push_back(At(r, slot, p.component)); break;
        default: break;
      }
    }
  }

  // Returns the distances of one kind, in the order of their numbers.
  StreamDistances Distances(out::VueValue what) const {
    std::vector<std::pair<uint32_t, uint32_t>> places;  // slot, component
    for (const out::VueSlot& s : launch_.vue) {
      if (s.what != out::VueContent::kDistances) continue;
      for (const out::VuePart& p : s.parts) {
        if (p.what == what) places.emplace_back(s.slot, p.component);
      }
    }
    StreamDistances distances;
    distances.each = static_cast<uint32_t>(places.size());
    for (uint32_t r = 0; r < Runs(); ++r) {
      for (const auto& [slot, component] : places) {
        distances.values.push_back(FloatAt(r, slot, component));
      }
    }
    return distances;
  }

  const VertexInputs& run_;
  const out::VertexLaunch& launch_;
  VertexStream stream_;
};

}  // namespace

absl::StatusOr<VertexStream> LinkVertices(const VertexInputs& run,
                                          const out::VertexLaunch& launch) {
  return Link(run, launch).Take();
}

}  // namespace kiln::client::run
