// See rasterise.h.
#include "core/sim/scene/rasterise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "core/sim/scene/clip.h"
#include "core/sim/scene/polygon.h"

namespace kiln::sim::scene {
namespace {

constexpr int32_t kTile = 16;  // pixels of an edge, even
constexpr double kLeastW = 1e-6, kGuardPixels = 32768;

// The largest and smallest depth that a sample may have in clip space is tested only if a vertex is
// not inside.
bool Inside(double z) { return z >= 0 && z <= 1; }

// The viewport transform: clip space to pixels.
class Transform {
 public:
  explicit Transform(const FragmentInputs& in)
      : view_(in.raster.viewport.value_or(
            Viewport{0, 0, static_cast<float>(in.width), static_cast<float>(in.height)})) {}

  // Returns x, y in pixels, times w, and w.
  Homogeneous Pixels(const Homogeneous& p) const {
    const double w = p[2];
    return {(p[0] + w) / 2 * view_.width + view_.x * w, (p[1] + w) / 2 * view_.height + view_.y * w,
            w};
  }
  Homogeneous Pixels(const ClipPosition& p) const { return Pixels(Homogeneous{p[0], p[1], p[3]}); }

  double Depth(double z) const {
    return view_.min_depth + z * (static_cast<double>(view_.max_depth) - view_.min_depth);
  }

  std::array<float, 2> DepthRange() const { return {view_.min_depth, view_.max_depth}; }

  // Returns the pixels of the viewport that lie in the render target.
  PixelRect Pixels(const FragmentInputs& in) const {
    const auto bound = [](double a, double b, uint32_t most, int32_t* low, int32_t* high) {
      const double edge = most;
      *low = static_cast<int32_t>(std::clamp(std::floor(std::min(a, b)), 0.0, edge));
      *high = static_cast<int32_t>(std::clamp(std::ceil(std::max(a, b)), 0.0, edge));
    };
    PixelRect r;
    bound(view_.x, static_cast<double>(view_.x) + view_.width, in.width, &r.x0, &r.x1);
    bound(view_.y, static_cast<double>(view_.y) + view_.height, in.height, &r.y0, &r.y1);
    return r;
  }

 private:
  Viewport view_;
};

ScreenPoint Snapped(double x, double y) { return {std::llrint(x * kUnit), std::llrint(y * kUnit)}; }

// Returns true if the point can be snapped as it is.
bool IsNear(const Homogeneous& p) {
  return p[2] > 0 && std::fabs(p[0]) * kUnit < kFarthest * p[2] &&
         std::fabs(p[1]) * kUnit < kFarthest * p[2];
}

// Snaps the corners of what is left of a shape. None are left if one of them cannot be snapped: at
// w = 0, or of coordinates whose differences a double does not hold.
std::vector<ScreenPoint> SnappedOutline(absl::Span<const Homogeneous> corners) {
  std::vector<ScreenPoint> outline;
  for (const Homogeneous& p : corners) {
    if (!IsNear(p)) return {};
    outline.push_back(Snapped(p[0] / p[2], p[1] / p[2]));
  }
  return outline;
}

// Returns true if depth and place of each vertex are finite numbers, in clip space and in pixels.
// Other shapes cover nothing.
bool IsFinite(absl::Span<const ClipPosition> position, absl::Span<const Homogeneous> pixels) {
  const auto finite = [](double v) { return std::isfinite(v); };
  return std::all_of(position.begin(), position.end(),
                     [&](const ClipPosition& p) { return std::isfinite(p[2]); }) &&
         std::all_of(pixels.begin(), pixels.end(),
                     [&](const Homogeneous& p) { return std::all_of(p.begin(), p.end(), finite); });
}

// Returns w, or a tiny number instead of 0.
double Divisor(double w) { return w != 0 ? w : 1e-30; }

// The samples that a primitive covers: the polygon, and tests of each sample.
struct Cover {
  const Polygon* polygon = nullptr;
  bool clips_to_viewport = false;
  const PrimitiveData* data = nullptr;
  std::array<double, 3> clip_depth{};  // z / w of clip space at the vertices
  bool tests_depth = false;
};

double WeightAt(const Primitive& p, size_t vertex, const Point& at) {
  const std::array<double, 3>& w = p.weight[vertex];
  return w[0] * at.x + w[1] * at.y + w[2];
}

// Returns true if neither a depth plane nor a distance excludes the sample.
bool Keeps(const Cover& cover, const Primitive& p, const Point& at) {
  if (cover.tests_depth) {
    double z = 0;
    for (size_t k = 0; k < 3; ++k) z += WeightAt(p, k, at) * cover.clip_depth[k];
    if (!Inside(static_cast<float>(z))) return false;
  }
  for (const std::array<float, 3>& distance : cover.data->clip_distances) {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      const double weight = WeightAt(p, k, at);
      if (weight != 0) sum += weight * p.inverse_w[k] * distance[k];
    }
    if (!(sum >= 0)) return false;
  }
  return true;
}

// Adds quads of covered pixels, row by row.
class Filler {
 public:
  Filler(const Cover& cover, uint32_t index, FragmentInputs& in)
      : cover_(cover),
        index_(index),
        in_(in),
        shape_(in.primitives[index]),
        places_(SamplePositions(in.samples)) {
    for (const Point& p : places_) inside_.push_back(Snapped(p.x, p.y));
    const PixelRect whole = {0, 0, static_cast<int32_t>(in.width), static_cast<int32_t>(in.height)};
    const PixelRect view = cover.clips_to_viewport ? Transform(in).Pixels(in) : whole;
    const PixelRect b = cover.polygon->Bounds();
    rect_ = {std::max(b.x0, view.x0), std::max(b.y0, view.y0), std::min(b.x1, view.x1),
             std::min(b.y1, view.y1)};
  }

  // Returns false if the draw has no room for the quads.
  bool Run() {
    if (rect_.Empty()) return true;
    const int32_t x0 = rect_.x0 & ~1, y0 = rect_.y0 & ~1;
    std::vector<std::pair<PixelRect, bool>> tiles;
    for (int32_t top = y0; top < rect_.y1; top += kTile) {
      tiles.clear();
      const int32_t bottom = std::min(top + kTile, rect_.y1);
      for (int32_t left = x0; left < rect_.x1; left += kTile) {
        const PixelRect tile = {left, top, std::min(left + kTile, rect_.x1), bottom};
        const Overlap overlap = cover_.polygon->OverlapOf(tile);
        if (overlap != Overlap::kNone) tiles.emplace_back(tile, overlap == Overlap::kAll);
      }
      for (int32_t y = top; y < bottom && !full_; y += 2) {
        for (const auto& [tile, all] : tiles) {
          for (int32_t x = tile.x0; x < tile.x1; x += 2) AddQuad(x, y, all);
        }
      }
      if (full_) return false;
    }
    return true;
  }

 private:
  void AddQuad(int32_t x, int32_t y, bool all) {
    Quad quad{index_, static_cast<uint16_t>(x), static_cast<uint16_t>(y), {}};
    uint32_t any = 0;
    for (int32_t p = 0; p < kQuadPixels; ++p) {
      quad.coverage[static_cast<size_t>(p)] = Coverage(x + p % 2, y + p / 2, all);
      any |= quad.coverage[static_cast<size_t>(p)];
    }
    if (any == 0) return;
    if (in_.quads.size() < in_.max_quads) {
      in_.quads.push_back(quad);
    } else {
      full_ = true;
    }
  }

  uint32_t Coverage(int32_t x, int32_t y, bool all) const {
    if (x < rect_.x0 || x >= rect_.x1 || y < rect_.y0 || y >= rect_.y1) return 0;
    const bool tests = cover_.tests_depth || !cover_.data->clip_distances.empty();
    uint32_t covered = 0;
    for (size_t s = 0; s < places_.size(); ++s) {
      const ScreenPoint p = {x * kUnit + inside_[s].x, y * kUnit + inside_[s].y};
      if (!all && !cover_.polygon->Covers(p)) continue;
      if (tests && !Keeps(cover_, shape_, {x + places_[s].x, y + places_[s].y})) continue;
      covered |= 1u << s;
    }
    return covered;
  }

  const Cover& cover_;
  const uint32_t index_;
  FragmentInputs& in_;
  const Primitive& shape_;
  const absl::Span<const Point> places_;
  std::vector<ScreenPoint> inside_;
  PixelRect rect_;
  bool full_ = false;
};

absl::Status CheckTarget(const FragmentInputs& inputs) {
  if (SamplePositions(inputs.samples).empty() || inputs.width > 16384 || inputs.height > 16384) {
    return absl::InvalidArgumentError("size or number of samples of the render target");
  }
  return absl::OkStatus();
}

// Culls by distances: all vertices outside of one (Vulkan 1.3, "Primitive Clipping").
bool IsCulled(const PrimitiveData& data) {
  return std::any_of(data.cull_distances.begin(), data.cull_distances.end(),
                     [](const auto& d) { return d[0] < 0 && d[1] < 0 && d[2] < 0; });
}

// The parts of a primitive that do not depend on its shape.
class Builder {
 public:
  explicit Builder(FragmentInputs& in) : in_(in), transform_(in) {
    for (const Primitive& p : in.primitives) next_ = std::max(next_, p.number + 1);
  }

  const Transform& transform() const { return transform_; }

  // Begins a primitive of three vertices, perhaps repeated.
  Primitive Begin(const PrimitiveData& data, const std::array<ClipPosition, 3>& position,
                  Cover& cover) {
    Primitive p;
    p.number = data.number.value_or(next_);
    next_ = p.number + 1;
    p.values = data.values;
    p.built_ins = data.built_ins;
    p.layer = data.layer;
    p.viewport = data.viewport;
    p.depth_range = transform_.DepthRange();
    cover.data = &data;
    for (size_t k = 0; k < 3; ++k) {
      const double w = Divisor(position[k][3]);
      p.inverse_w[k] = 1.0 / w;
      cover.clip_depth[k] = position[k][2] / w;
      p.depth[k] = transform_.Depth(cover.clip_depth[k]);
      cover.tests_depth |= !in_.raster.depth_clamp && (w < 0 || !Inside(cover.clip_depth[k]));
    }
    return p;
  }

  void Add(const Primitive& p, const Cover& cover) {
    in_.primitives.push_back(p);
    if (cover.polygon == nullptr || cover.polygon->area() == 0 || IsCulled(*cover.data)) return;
    full_ = full_ || !Filler(cover, static_cast<uint32_t>(in_.primitives.size() - 1), in_).Run();
  }

  // ResourceExhausted: the draw has no room for the quads of a primitive.
  absl::Status Room() const {
    if (!full_) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrFormat("more than %d quads of 2 x 2 pixels are covered", in_.max_quads));
  }

  FragmentInputs& in() { return in_; }

 private:
  FragmentInputs& in_;
  const Transform transform_;
  uint32_t next_ = 0;
  bool full_ = false;
};

// Returns the depth bias of a polygon (Vulkan 1.3, "Depth Bias"). Floats have a unit that depends
// on the largest depth.
double BiasOf(const Primitive& p, const RasterState& state) {
  if (!state.depth_bias) return 0;
  std::array<double, 2> slope{};
  double largest = 0;
  for (size_t k = 0; k < 3; ++k) {
    slope[0] += p.weight[k][0] * p.depth[k];
    slope[1] += p.weight[k][1] * p.depth[k];
    largest = std::max(largest, std::fabs(p.depth[k]));
  }
  constexpr int kMantissaBits = 23;
  int exponent = 0;
  std::frexp(largest, &exponent);  // largest = m 2^exponent, m from 1/2 to 1
  const double unit = state.depth_bits != 0 ? std::ldexp(1.0, -state.depth_bits)
                                            : std::ldexp(1.0, exponent - 1 - kMantissaBits);
  const DepthBias& bias = *state.depth_bias;
  const double sum =
      std::max(std::fabs(slope[0]), std::fabs(slope[1])) * bias.slope + unit * bias.constant;
  if (bias.clamp > 0) return std::min<double>(sum, bias.clamp);
  return bias.clamp < 0 ? std::max<double>(sum, bias.clamp) : sum;
}

// The weights of three corners as functions of the position in pixels.
std::array<std::array<double, 3>, 3> TriangleWeights(const std::array<Point, 3>& v) {
  std::array<std::array<double, 3>, 3> weight{};
  const double area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[1].y - v[0].y) * (v[2].x - v[0].x);
  for (size_t k = 0; k < 3; ++k) {
    const Point &a = v[(k + 1) % 3], &b = v[(k + 2) % 3];
    const double dx = b.x - a.x, dy = b.y - a.y;
    weight[k] = {-dy / area, dx / area, (dy * a.x - dx * a.y) / area};
  }
  return weight;
}

// One triangle on the screen.
struct Projected {
  std::array<Point, 3> corner{};     // where the vertices lie, snapped if they can be
  std::vector<ScreenPoint> outline;  // of the visible part; empty: none
  bool whole = true;                 // nothing was clipped
};

// Projects two or three vertices.
Projected Project(absl::Span<const Homogeneous> at) {
  Projected r;
  r.whole = std::all_of(at.begin(), at.end(), IsNear);
  for (size_t k = 0; k < at.size(); ++k) {
    const double w = Divisor(at[k][2]);
    r.corner[k] = {at[k][0] / w, at[k][1] / w};
    if (!r.whole) continue;
    r.outline.push_back(Snapped(r.corner[k].x, r.corner[k].y));
    r.corner[k] = {static_cast<double>(r.outline[k].x) / kUnit,
                   static_cast<double>(r.outline[k].y) / kUnit};
  }
  if (r.whole) return r;
  r.outline = SnappedOutline(Clip(at, kLeastW, kGuardPixels));
  return r;
}

// Adds the parallelogram of a line from a to b (Vulkan 1.3, "Basic Line Segment Rasterization"): as
// wide as the line along the axis in which it is shorter. `p` has weights.
void AddLine(const ScreenPoint& a, const ScreenPoint& b, const Primitive& p, Cover cover,
             Builder& builder) {
  const int64_t width = std::llrint(builder.in().raster.line_width * kUnit);
  const int64_t low = width / 2, high = width - low;
  const bool flat = std::abs(b.x - a.x) >= std::abs(b.y - a.y);
  const auto moved = [flat](const ScreenPoint& c, int64_t by) {
    return flat ? ScreenPoint{c.x, c.y + by} : ScreenPoint{c.x + by, c.y};
  };
  const ScreenPoint corners[] = {moved(a, -low), moved(b, -low), moved(b, high), moved(a, high)};
  const Polygon polygon(corners);
  cover.polygon = &polygon;
  builder.Add(p, cover);
}

// Adds the square around a point. `p` has weights.
void AddSquare(const ScreenPoint& centre, float size, const Primitive& p, Cover cover,
               Builder& builder) {
  const int64_t edge = std::llrint(size * kUnit);
  const ScreenPoint c = {centre.x - edge / 2, centre.y - edge / 2};
  const ScreenPoint corners[] = {c, {c.x + edge, c.y}, {c.x + edge, c.y + edge}, {c.x, c.y + edge}};
  const Polygon polygon(corners);
  cover.polygon = &polygon;
  builder.Add(p, cover);
}

// The weight of the second end of a line as a function of the position: along the longer axis.
std::array<double, 3> LineWeight(const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  if (std::fabs(dx) >= std::fabs(dy)) {
    return dx == 0 ? std::array<double, 3>{} : std::array<double, 3>{1 / dx, 0, -a.x / dx};
  }
  return {0, 1 / dy, -a.y / dy};
}

std::array<double, 3> OneMinus(const std::array<double, 3>& w) { return {-w[0], -w[1], 1 - w[2]}; }

// Draws edges or corners of a triangle (Vulkan 1.3, "Polygon Mode"). Weights are those of the
// triangle's vertices, so that flat inputs stay those of its provoking one.
void AddOutline(const Projected& on_screen, const Primitive& shape, const Cover& cover,
                Builder& builder) {
  const bool lines = builder.in().raster.polygon_mode == PolygonMode::kLine;
  for (size_t k = 0; k < 3 && on_screen.whole; ++k) {
    const size_t next = (k + 1) % 3;
    Primitive p = shape;
    p.weight = {};
    if (!lines) {
      p.weight[k] = {0, 0, 1};
      AddSquare(on_screen.outline[k], 1, p, cover, builder);
      continue;
    }
    p.weight[next] = LineWeight(on_screen.corner[k], on_screen.corner[next]);
    p.weight[k] = OneMinus(p.weight[next]);
    AddLine(on_screen.outline[k], on_screen.outline[next], p, cover, builder);
  }
}

void AddTriangle(const Triangle& t, Builder& builder) {
  const RasterState& state = builder.in().raster;
  std::array<Homogeneous, 3> at{};
  for (size_t k = 0; k < 3; ++k) at[k] = builder.transform().Pixels(t.position[k]);
  Cover cover;
  Primitive p = builder.Begin(t, t.position, cover);
  if (!IsFinite(t.position, at)) return builder.Add(p, cover);
  const Projected on_screen = Project(at);
  const Polygon polygon(on_screen.outline);
  cover.clips_to_viewport = true;
  const bool clockwise = polygon.area() > 0;
  p.back_facing = clockwise != state.front_is_clockwise;
  if (polygon.area() != 0) {
    p.weight = TriangleWeights(on_screen.corner);
    p.depth_bias = BiasOf(p, state);
  }
  const bool culled = p.back_facing ? state.cull_back : state.cull_front;
  if (state.polygon_mode != PolygonMode::kFill && polygon.area() != 0 && !culled) {
    return AddOutline(on_screen, p, cover, builder);
  }
  if (!culled) cover.polygon = &polygon;
  builder.Add(p, cover);
}

// Returns the ends of the part of a line inside the view volume, -w <= x, y <= w, on the screen;
// empty: there is none. Unlike a triangle's, pixels that a wide line covers beside the viewport are
// drawn, so that they cannot be removed later (Vulkan 1.3, "Primitive Clipping").
std::vector<ScreenPoint> VisibleEnds(const Line& line, const Transform& transform) {
  std::array<Homogeneous, 2> ends{};
  for (size_t k = 0; k < 2; ++k) {
    const ClipPosition& p = line.position[k];
    ends[k] = {p[0], p[1], p[3]};
  }
  std::vector<Homogeneous> visible = Clip(ends, 0, 1);
  for (Homogeneous& p : visible) p = transform.Pixels(p);
  return SnappedOutline(visible);
}

void AddLineSegment(const Line& line, Builder& builder) {
  std::array<Homogeneous, 2> at{};
  for (size_t k = 0; k < 2; ++k) at[k] = builder.transform().Pixels(line.position[k]);
  Cover cover;
  Primitive p = builder.Begin(line, {line.position[0], line.position[1], line.position[1]}, cover);
  if (!IsFinite(line.position, at)) return builder.Add(p, cover);
  const std::vector<ScreenPoint> ends = VisibleEnds(line, builder.transform());
  if (ends.size() < 2) return builder.Add(p, cover);
  const Projected whole = Project(at);  // weights are those of the whole line
  p.weight[1] = LineWeight(whole.corner[0], whole.corner[1]);
  p.weight[0] = OneMinus(p.weight[1]);
  AddLine(ends[0], ends[1], p, cover, builder);
}

// The weights of the upper left, upper right and lower left corner of a point's square.
std::array<std::array<double, 3>, 3> SquareWeights(const ScreenPoint& centre, float size) {
  const int64_t edge = std::llrint(size * kUnit);
  const double each = size;
  const double x = static_cast<double>(centre.x - edge / 2) / kUnit / each;
  const double y = static_cast<double>(centre.y - edge / 2) / kUnit / each;
  return {{{-1 / each, -1 / each, 1 + x + y}, {1 / each, 0, -x}, {0, 1 / each, -y}}};
}

absl::Status AddPoint(const PointSprite& point, Builder& builder) {
  constexpr uint32_t k1 = std::bit_cast<uint32_t>(1.0f);
  if (!(point.size > 0) || point.size > 255) {
    return absl::InvalidArgumentError(absl::StrFormat("a point of %g pixels", point.size));
  }
  const Homogeneous at = builder.transform().Pixels(point.position);
  Cover cover;
  Primitive p = builder.Begin(point, {point.position, point.position, point.position}, cover);
  p.built_ins.push_back({"point_coord", 0, {0, k1, 0}});
  p.built_ins.push_back({"point_coord", 1, {0, 0, k1}});
  if (!IsNear(at) || !IsFinite({point.position}, {at})) {
    builder.Add(p, cover);
    return absl::OkStatus();
  }
  const ScreenPoint centre = Snapped(at[0] / at[2], at[1] / at[2]);
  p.weight = SquareWeights(centre, point.size);
  AddSquare(centre, point.size, p, cover, builder);
  return absl::OkStatus();
}

}  // namespace

absl::Status Rasterise(absl::Span<const Triangle> triangles, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  Builder builder(inputs);
  for (const Triangle& t : triangles) {
    AddTriangle(t, builder);
    if (absl::Status s = builder.Room(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RasteriseLines(absl::Span<const Line> lines, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  Builder builder(inputs);
  for (const Line& line : lines) {
    AddLineSegment(line, builder);
    if (absl::Status s = builder.Room(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RasterisePoints(absl::Span<const PointSprite> points, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  Builder builder(inputs);
  for (const PointSprite& point : points) {
    if (absl::Status s = AddPoint(point, builder); !s.ok()) return s;
    if (absl::Status s = builder.Room(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::scene
