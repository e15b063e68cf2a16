// See rasterise.h.
#include "core/sim/scene/rasterise.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_format.h"

namespace kiln::sim::scene {
namespace {

// Fixed point: a pixel has kUnit units. Below kFarthest units, products of two differences are
// exact.
constexpr int64_t kUnit = 256;
constexpr double kFarthest = 1 << 28;

struct Vertex {
  int64_t x = 0, y = 0;  // units
};

// Twice the area of the triangle (a, b, p); positive if clockwise on the screen (y down).
int64_t Edge(const Vertex& a, const Vertex& b, const Vertex& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// Returns true if a point on the edge from a to b belongs to the triangle, whose vertices are
// clockwise.
bool OwnsEdge(const Vertex& a, const Vertex& b) {
  const bool top = a.y == b.y && b.x > a.x;
  return top || b.y < a.y;
}

// One triangle on the screen.
class Screen {
 public:
  Screen(const std::array<Vertex, 3>& v, int64_t area) : v_(v), area_(area) {}

  bool Covers(const Vertex& p) const {
    for (int k = 0; k < 3; ++k) {
      // Edges of a counterclockwise triangle are reversed.
      const Vertex &a = v_[(k + 1) % 3], &b = v_[(k + 2) % 3];
      const int64_t e = area_ > 0 ? Edge(a, b, p) : Edge(b, a, p);
      const bool owns = area_ > 0 ? OwnsEdge(a, b) : OwnsEdge(b, a);
      if (e < 0 || (e == 0 && !owns)) return false;
    }
    return true;
  }

  // The weight of vertex k as a function of the position in pixels.
  std::array<double, 3> Weight(int k) const {
    const Vertex &a = v_[(k + 1) % 3], &b = v_[(k + 2) % 3];
    const auto area = static_cast<double>(area_);
    const auto dx = static_cast<double>(b.x - a.x), dy = static_cast<double>(b.y - a.y);
    const auto at_0 = static_cast<double>((b.y - a.y) * a.x - (b.x - a.x) * a.y);
    return {-dy * kUnit / area, dx * kUnit / area, at_0 / area};
  }

 private:
  std::array<Vertex, 3> v_;
  int64_t area_;
};

// One point on the screen.
class Square {
 public:
  Square(const Vertex& centre, float size)
      : size_(size),
        edge_(std::llrint(size * kUnit)),
        corner_{centre.x - edge_ / 2, centre.y - edge_ / 2} {}

  bool Covers(const Vertex& p) const {
    const int64_t x = p.x - corner_.x, y = p.y - corner_.y;
    return x >= 0 && x < edge_ && y >= 0 && y < edge_;
  }

  // As for a triangle of the upper left, the upper right and the lower left corner.
  std::array<double, 3> Weight(int k) const {
    const double size = size_, x = static_cast<double>(corner_.x) / kUnit / size,
                 y = static_cast<double>(corner_.y) / kUnit / size;
    if (k == 1) return {1 / size, 0, -x};
    if (k == 2) return {0, 1 / size, -y};
    return {-1 / size, -1 / size, 1 + x + y};
  }

 private:
  double size_;
  int64_t edge_;
  Vertex corner_;
};

absl::Status OnScreen(const std::array<float, 4>& p, const FragmentInputs& inputs, Vertex* v) {
  const double w = p[3];
  if (!(w > 0)) {
    return absl::UnimplementedError(absl::StrFormat("a vertex with w = %g: no clipping", w));
  }
  const double x = (p[0] / w + 1) / 2 * inputs.width * kUnit;
  const double y = (p[1] / w + 1) / 2 * inputs.height * kUnit;
  if (!(std::fabs(x) < kFarthest) || !(std::fabs(y) < kFarthest)) {
    return absl::UnimplementedError("a vertex too far outside the render target");
  }
  *v = {std::llrint(x), std::llrint(y)};
  return absl::OkStatus();
}

// Returns the samples of a pixel that are covered and not clipped. A shape is a Screen or a Square.
template <typename Shape>
uint32_t Coverage(const Shape& shape, const Primitive& primitive, uint32_t x, uint32_t y,
                  absl::Span<const Point> places) {
  uint32_t covered = 0;
  for (size_t s = 0; s < places.size(); ++s) {
    const Point at = {x + places[s].x, y + places[s].y};
    const Vertex p = {std::llrint(at.x * kUnit), std::llrint(at.y * kUnit)};
    if (!shape.Covers(p)) continue;
    const float z = primitive.Depth(at);
    if (z >= 0 && z <= 1) covered |= 1u << s;
  }
  return covered;
}

template <typename Shape>
void AddQuads(const Shape& shape, uint32_t number, FragmentInputs& inputs) {
  const absl::Span<const Point> places = SamplePositions(inputs.samples);
  for (uint32_t y = 0; y < inputs.height; y += 2) {
    for (uint32_t x = 0; x < inputs.width; x += 2) {
      Quad quad{number, static_cast<uint16_t>(x), static_cast<uint16_t>(y), {}};
      uint32_t any = 0;
      for (uint32_t p = 0; p < kQuadPixels; ++p) {
        const uint32_t px = x + p % 2, py = y + p / 2;
        if (px >= inputs.width || py >= inputs.height) continue;
        quad.coverage[p] = Coverage(shape, inputs.primitives[number], px, py, places);
        any |= quad.coverage[p];
      }
      if (any != 0) inputs.quads.push_back(quad);
    }
  }
}

absl::Status CheckTarget(const FragmentInputs& inputs) {
  if (SamplePositions(inputs.samples).empty() || inputs.width > 16384 || inputs.height > 16384) {
    return absl::InvalidArgumentError("size or number of samples of the render target");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Rasterise(absl::Span<const Triangle> triangles, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  for (const Triangle& t : triangles) {
    std::array<Vertex, 3> v{};
    Primitive p;
    p.number = static_cast<uint32_t>(inputs.primitives.size());
    p.values = t.values;
    p.built_ins = t.built_ins;
    p.layer = t.layer;
    p.viewport = t.viewport;
    for (int k = 0; k < 3; ++k) {
      if (absl::Status s = OnScreen(t.position[k], inputs, &v[k]); !s.ok()) return s;
      p.inverse_w[k] = 1.0 / t.position[k][3];
      p.depth[k] = static_cast<double>(t.position[k][2]) / t.position[k][3];
    }
    const int64_t area = Edge(v[0], v[1], v[2]);
    const Screen screen(v, area);
    p.back_facing = area > 0;
    for (int k = 0; k < 3 && area != 0; ++k) p.weight[k] = screen.Weight(k);
    inputs.primitives.push_back(p);
    if (area != 0) AddQuads(screen, p.number, inputs);
  }
  return absl::OkStatus();
}

absl::Status RasterisePoints(absl::Span<const PointSprite> points, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  constexpr uint32_t k1 = std::bit_cast<uint32_t>(1.0f);
  for (const PointSprite& point : points) {
    if (!(point.size > 0) || point.size > 255) {
      return absl::InvalidArgumentError(absl::StrFormat("a point of %g pixels", point.size));
    }
    Vertex centre;
    if (absl::Status s = OnScreen(point.position, inputs, &centre); !s.ok()) return s;
    const Square square(centre, point.size);
    Primitive p;
    p.number = static_cast<uint32_t>(inputs.primitives.size());
    p.values = point.values;
    p.built_ins = point.built_ins;
    p.built_ins.push_back({"point_coord", 0, {0, k1, 0}});
    p.built_ins.push_back({"point_coord", 1, {0, 0, k1}});
    p.layer = point.layer;
    p.viewport = point.viewport;
    for (int k = 0; k < 3; ++k) {
      p.inverse_w[k] = 1.0 / point.position[3];
      p.depth[k] = static_cast<double>(point.position[2]) / point.position[3];
      p.weight[k] = square.Weight(k);
    }
    inputs.primitives.push_back(p);
    AddQuads(square, p.number, inputs);
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::scene
