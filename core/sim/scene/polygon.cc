// See polygon.h.
#include "core/sim/scene/polygon.h"

#include <algorithm>

namespace kiln::sim::scene {
namespace {

int64_t FloorPixel(int64_t units) { return units >> 8; }

}  // namespace

Polygon::Polygon(absl::Span<const ScreenPoint> corners) : corners_(corners.begin(), corners.end()) {
  const size_t n = corners_.size();
  for (size_t k = 1; k + 1 < n; ++k) {
    const ScreenPoint &o = corners_[0], &a = corners_[k], &b = corners_[k + 1];
    area_ += (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  }
  if (area_ < 0) std::reverse(corners_.begin(), corners_.end());
  for (size_t k = 0; k < n && area_ != 0; ++k) {
    const ScreenPoint &a = corners_[k], &b = corners_[(k + 1) % n];
    if (a.x == b.x && a.y == b.y) continue;
    const bool top = a.y == b.y && b.x > a.x, left = b.y < a.y;
    edges_.push_back({a.y - b.y, b.x - a.x, (b.y - a.y) * a.x - (b.x - a.x) * a.y, top || left});
  }
}

bool Polygon::Covers(const ScreenPoint& p) const {
  for (const Edge& e : edges_) {
    const int64_t value = e.a * p.x + e.b * p.y + e.c;
    if (value < 0 || (value == 0 && !e.owned)) return false;
  }
  return area_ != 0;
}

PixelRect Polygon::Bounds() const {
  if (area_ == 0) return {};
  ScreenPoint low = corners_[0], high = corners_[0];
  for (const ScreenPoint& c : corners_) {
    low = {std::min(low.x, c.x), std::min(low.y, c.y)};
    high = {std::max(high.x, c.x), std::max(high.y, c.y)};
  }
  return {static_cast<int32_t>(FloorPixel(low.x)), static_cast<int32_t>(FloorPixel(low.y)),
          static_cast<int32_t>(FloorPixel(high.x)) + 1,
          static_cast<int32_t>(FloorPixel(high.y)) + 1};
}

Overlap Polygon::OverlapOf(const PixelRect& rect) const {
  const int64_t x0 = rect.x0 * kUnit, x1 = rect.x1 * kUnit;
  const int64_t y0 = rect.y0 * kUnit, y1 = rect.y1 * kUnit;
  bool all = area_ != 0;
  for (const Edge& e : edges_) {
    const int64_t most = e.a * (e.a > 0 ? x1 : x0) + e.b * (e.b > 0 ? y1 : y0) + e.c;
    const int64_t least = e.a * (e.a > 0 ? x0 : x1) + e.b * (e.b > 0 ? y0 : y1) + e.c;
    if (most < 0) return Overlap::kNone;
    all &= least > 0;
  }
  return all ? Overlap::kAll : area_ != 0 ? Overlap::kPart : Overlap::kNone;
}

}  // namespace kiln::sim::scene
