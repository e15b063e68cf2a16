// A rasteriser of triangles and points: finds the covered samples of each pixel.
//
// Follows Vulkan 1.3, "Basic Point Rasterization" and "Polygon Rasterization" (sample inside by
// edge functions, shared edges belong to one of the two triangles: top left rule) and "Controlling
// the Viewport": the viewport is the whole render target, its depth 0 to 1. Vertices are snapped to
// 1/256 pixel, as the hardware does; the edge functions are exact.
#ifndef KILN_CORE_SIM_SCENE_RASTERISE_H_
#define KILN_CORE_SIM_SCENE_RASTERISE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/sim/scene/fragment.h"

namespace kiln::sim::scene {

struct Triangle {
  std::array<std::array<float, 4>, 3> position{};  // x, y, z, w of clip space
  std::vector<VertexValues> values;
  std::vector<BuiltInValues> built_ins = {};
  uint32_t layer = 0, viewport = 0;  // viewports are all the same
};

// The square of `size` pixels around a vertex. All inputs are the vertex's, three times in each of
// `values` and `built_ins`.
struct PointSprite {
  std::array<float, 4> position{};
  float size = 1;
  std::vector<VertexValues> values;
  std::vector<BuiltInValues> built_ins;
  uint32_t layer = 0, viewport = 0;
};

// Adds the triangles' primitives and quads to `inputs`, whose size and number of samples are set.
// Samples with a depth outside 0 to 1 are not covered. Clockwise triangles (y down) face the back.
// Unimplemented: a vertex that is not in front of the eye (w <= 0) or so far outside that snapping
// loses bits.
absl::Status Rasterise(absl::Span<const Triangle> triangles, FragmentInputs& inputs);

// The same for points, which face the front. Vertices of the primitive are the upper left corner of
// the square, the upper right and the lower left one, and PointCoord, 0 to 1 from the first to
// either of the others, is among its built-ins. A sample on the left or upper edge is covered.
// InvalidArgument: a size that is not positive, or larger than 255.
absl::Status RasterisePoints(absl::Span<const PointSprite> points, FragmentInputs& inputs);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_RASTERISE_H_
