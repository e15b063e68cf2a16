// Convex polygons on the screen in fixed point: which points they cover.
//
// Edges between two polygons belong to one of them: the top left rule (Vulkan 1.3, "Basic Polygon
// Rasterization", leaves the rule to the implementation, but no sample may be covered twice).
#ifndef KILN_CORE_SIM_SCENE_POLYGON_H_
#define KILN_CORE_SIM_SCENE_POLYGON_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace kiln::sim::scene {

// Units of a pixel. Products of two differences of coordinates below kFarthest units are exact.
inline constexpr int64_t kUnit = 256;
inline constexpr double kFarthest = 1 << 28;

// A point on the screen in units.
struct ScreenPoint {
  int64_t x = 0, y = 0;
};

// A rectangle of pixels, ends excluded.
struct PixelRect {
  int32_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  bool Empty() const { return x0 >= x1 || y0 >= y1; }
};

enum class Overlap : uint8_t { kNone, kPart, kAll };

class Polygon {
 public:
  // Takes the corners of a convex polygon in either order.
  explicit Polygon(absl::Span<const ScreenPoint> corners);

  // Returns twice the area as given: positive if clockwise (y down), 0 if it covers nothing.
  int64_t area() const { return area_; }

  bool Covers(const ScreenPoint& p) const;

  // Returns the pixels that the polygon may touch.
  PixelRect Bounds() const;

  // Returns how much of a rectangle of pixels lies inside; kPart if in doubt.
  Overlap OverlapOf(const PixelRect& rect) const;

 private:
  // e(p) = a p.x + b p.y + c is positive inside; points with e = 0 count if the edge is owned.
  struct Edge {
    int64_t a = 0, b = 0, c = 0;
    bool owned = false;
  };

  std::vector<ScreenPoint> corners_;  // clockwise
  std::vector<Edge> edges_;
  int64_t area_ = 0;
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_POLYGON_H_
