// A rasteriser of triangles: which samples of which pixels they cover.
//
// Follows Vulkan 1.3, "Polygon Rasterization" (sample inside by edge functions, shared edges belong
// to one of the two triangles: top left rule) and "Controlling the Viewport": the viewport is the
// whole target, its depth 0 to 1. Vertices are snapped to 1/256 pixel, as the hardware does; the
// edge functions are exact.
#ifndef KILN_CORE_SIM_EU_RASTERISE_H_
#define KILN_CORE_SIM_EU_RASTERISE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/sim/eu/fragment.h"

namespace kiln::sim::eu {

struct Triangle {
  std::array<std::array<float, 4>, 3> position{};  // x, y, z, w of clip space
  std::vector<VertexValues> values;
  uint32_t layer = 0, viewport = 0;   // viewports are all the same
};

// Adds the triangles' primitives and quads to `inputs`, whose size and number of samples are set.
// Depth outside of 0 to 1 covers nothing. Clockwise triangles (y down) face the back.
// Unimplemented: a vertex that is not in front of the eye (w <= 0) or so far outside that snapping
// loses bits.
absl::Status Rasterise(absl::Span<const Triangle> triangles, FragmentInputs& inputs);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_RASTERISE_H_
