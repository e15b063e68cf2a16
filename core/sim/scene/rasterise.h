// A rasteriser of triangles, lines and points: finds the covered samples of each pixel.
//
// Follows Vulkan 1.3: "Basic Polygon Rasterization" (a sample is inside by edge functions; an edge
// belongs to one of its two triangles), "Basic Line Segment Rasterization" (parallelograms, as
// without strictLines), "Basic Point Rasterization", "Polygon Mode", "Depth Bias", "Primitive
// Clipping" and "Controlling the Viewport". Vertices are snapped to 1/256 pixel, as hardware does;
// edge functions are exact. Samples whose depth in clip space is outside 0 to 1, or that a clip
// distance excludes, are not covered. A primitive of a coordinate that is not a finite number
// covers nothing. Cost: proportional to the tiles that primitives touch.
#ifndef KILN_CORE_SIM_SCENE_RASTERISE_H_
#define KILN_CORE_SIM_SCENE_RASTERISE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/sim/scene/fragment.h"

namespace kiln::sim::scene {

// The data that primitives of all kinds have. Values and distances are given for three vertices; a
// line has two of them, a point one, and repeats the last one.
struct PrimitiveData {
  std::vector<VertexValues> values;
  std::vector<BuiltInValues> built_ins = {};
  uint32_t layer = 0, viewport = 0;  // viewports are all the same
  std::optional<uint32_t> number;    // PrimitiveId; else its place in the draw
  // Distances at the vertices, as many as the program writes.
  std::vector<std::array<float, 3>> clip_distances = {}, cull_distances = {};
};

using ClipPosition = std::array<float, 4>;  // x, y, z, w of clip space

struct Triangle : PrimitiveData {
  std::array<ClipPosition, 3> position{};
};

struct Line : PrimitiveData {
  std::array<ClipPosition, 2> position{};
};

// The square of `size` pixels around a vertex.
struct PointSprite : PrimitiveData {
  ClipPosition position{};
  float size = 1;
};

// Adds the triangles' primitives and quads to `inputs`, whose size, number of samples and raster
// state are set; with another polygon mode their edges or corners. InvalidArgument: a size or
// number of samples that does not exist. ResourceExhausted: more quads than `inputs.max_quads`.
// DeadlineExceeded: the time of `inputs.limit` is over.
absl::Status Rasterise(absl::Span<const Triangle> triangles, FragmentInputs& inputs);

// The same for lines, which face the front. They are clipped to the view volume before they get
// their width.
absl::Status RasteriseLines(absl::Span<const Line> lines, FragmentInputs& inputs);

// The same for points, which face the front. Vertices of the primitive are the upper left corner of
// the square, the upper right and the lower left one, and PointCoord, 0 to 1 from the first to
// either of the others, is among its built-ins. A sample on the left or upper edge is covered. A
// point behind the eye or far outside of the viewport is dropped. InvalidArgument: a size that is
// not positive, or larger than 255.
absl::Status RasterisePoints(absl::Span<const PointSprite> points, FragmentInputs& inputs);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_RASTERISE_H_
