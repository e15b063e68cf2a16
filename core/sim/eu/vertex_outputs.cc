// See vertex_outputs.h.
#include "core/sim/eu/vertex_outputs.h"

#include <utility>

#include "core/sim/eu/vertex_launch.h"

namespace kiln::sim::eu {
namespace {

using scene::VertexOutput;

constexpr uint32_t kSlotComponents = 4;

const char* NameOf(out::VueValue v) {
  switch (v) {
    case out::VueValue::kShadingRate: return "shading_rate";
    case out::VueValue::kLayer: return "layer";
    case out::VueValue::kViewport: return "viewport";
    case out::VueValue::kPointSize: return "point_size";
    case out::VueValue::kClipDistance: return "clip_distance";
    case out::VueValue::kCullDistance: return "cull_distance";
  }
  return "";
}

VertexOutput Whole(const out::VueSlot& slot) {
  VertexOutput output;
  output.location = slot.location;
  if (slot.what == out::VueContent::kPosition) output.builtin = "position";
  if (slot.what == out::VueContent::kBuiltin) output.builtin = slot.builtin;
  for (uint32_t c = 0; c < kSlotComponents; ++c) output.components.push_back({slot.slot, c});
  return output;
}

// Adds the distances of a slot to the two lists of all distances. The masks tell which of them have
// contents (core/intel/ABI.md, "Vertices").
void AddDistances(const out::IntelVertex& launch, const out::VueSlot& slot, VertexOutput& clip,
                  VertexOutput& cull) {
  for (const out::VuePart& p : slot.parts) {
    const bool clips = p.what == out::VueValue::kClipDistance;
    const uint32_t number = kSlotComponents * (slot.slot - kDistanceSlot) + p.component;
    const uint32_t mask = clips ? launch.clip_distance_mask : launch.cull_distance_mask;
    (clips ? clip : cull)
        .components.push_back(
            {slot.slot, p.component, number < kDistances && (mask >> number & 1) != 0});
  }
}

}  // namespace

std::vector<VertexOutput> VertexOutputsOf(const out::LaunchRecord& record) {
  const out::IntelVertex& launch = out::IntelOf(record).vertex;
  std::vector<VertexOutput> outputs;
  VertexOutput clip, cull;
  clip.builtin = NameOf(out::VueValue::kClipDistance);
  cull.builtin = NameOf(out::VueValue::kCullDistance);
  for (const out::VueSlot& s : launch.vue) {
    switch (s.what) {
      case out::VueContent::kHeader:
        for (const out::VuePart& p : s.parts) {
          if (!p.from_shader) continue;
          VertexOutput& output = outputs.emplace_back();
          output.builtin = NameOf(p.what);
          output.components = {{s.slot, p.component}};
        }
        break;
      case out::VueContent::kDistances: AddDistances(launch, s, clip, cull); break;
      default: outputs.push_back(Whole(s));
    }
  }
  for (VertexOutput* distances : {&clip, &cull}) {
    if (!distances->components.empty()) outputs.push_back(std::move(*distances));
  }
  return outputs;
}

}  // namespace kiln::sim::eu
