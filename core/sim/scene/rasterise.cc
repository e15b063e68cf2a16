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
constexpr double kGuardPixels = 32768;

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

  // Returns the depth times w of a vertex, of z and w of clip space.
  double Depth(double z, double w) const {
    return view_.min_depth * w + z * (static_cast<double>(view_.max_depth) - view_.min_depth);
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

// The samples that a primitive covers: the polygon, and tests of each sample.
struct Cover {
  const Polygon* polygon = nullptr;
  bool clips_to_viewport = false;
  const PrimitiveData* data = nullptr;
  std::array<double, 3> clip_depth{};  // z / w of clip space at the vertices, times their scale
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

  // ResourceExhausted: the draw has no room for the quads. DeadlineExceeded.
  absl::Status Run() {
    if (rect_.Empty()) return absl::OkStatus();
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
      const auto each = static_cast<uint64_t>(1 + in_.samples);
      const auto across = static_cast<uint64_t>((rect_.x1 - x0 + kTile - 1) / kTile);
      if (absl::Status s = in_.limit.Spend(across + tiles.size() * each); !s.ok()) return s;
      for (int32_t y = top; y < bottom && !full_; y += 2) {
        for (const auto& [tile, all] : tiles) {
          for (int32_t x = tile.x0; x < tile.x1; x += 2) AddQuad(x, y, all);
        }
      }
      if (full_) {
        return absl::ResourceExhaustedError(
            absl::StrFormat("more than %d quads of 2 x 2 pixels are covered", in_.max_quads));
      }
    }
    return absl::OkStatus();
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

  // Begins a primitive of three vertices, perhaps repeated. `whole`: all of them lie on the screen
  // or near it.
  Primitive Begin(const PrimitiveData& data, const std::array<ClipPosition, 3>& position,
                  bool whole, Cover& cover) {
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
      const double z = position[k][2], w = position[k][3];
      p.scale[k] = whole ? 1 : w;
      p.inverse_w[k] = whole ? 1 / w : 1;
      cover.clip_depth[k] = whole ? z / w : z;
      p.depth[k] = transform_.Depth(cover.clip_depth[k], p.scale[k]);
      cover.tests_depth |= !in_.raster.depth_clamp && (!whole || !Inside(cover.clip_depth[k]));
    }
    return p;
  }

  void Add(const Primitive& p, const Cover& cover) {
    in_.primitives.push_back(p);
    if (cover.polygon == nullptr || cover.polygon->area() == 0 || IsCulled(*cover.data)) return;
    if (!status_.ok()) return;
    status_ = Filler(cover, static_cast<uint32_t>(in_.primitives.size() - 1), in_).Run();
  }

  // Returns the status of the primitives so far, to be asked for after each: it counts their time.
  absl::Status Status() { return status_.ok() ? in_.limit.Spend(1) : status_; }

  FragmentInputs& in() { return in_; }

 private:
  FragmentInputs& in_;
  const Transform transform_;
  uint32_t next_ = 0;
  absl::Status status_;
};

// Returns the factors of x, y and w in the equation of the plane through two points and the eye.
Homogeneous PlaneThrough(const Homogeneous& a, const Homogeneous& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Returns six times the volume between a triangle and the eye: 0 if only its edge is seen.
double VolumeOf(absl::Span<const Homogeneous> v) {
  const Homogeneous plane = PlaneThrough(v[1], v[2]);
  return v[0][0] * plane[0] + v[0][1] * plane[1] + v[0][2] * plane[2];
}

// A primitive of two or three vertices on the screen.
struct Projected {
  bool whole = true;                 // all vertices are near: nothing is clipped
  std::array<Point, 3> corner{};     // the vertices, snapped, if the primitive is whole
  std::vector<ScreenPoint> outline;  // of the visible part; empty: none
};

Projected Project(absl::Span<const Homogeneous> at) {
  Projected r;
  r.whole = std::all_of(at.begin(), at.end(), IsNear);
  if (!r.whole && at.size() == 3 && VolumeOf(at) == 0) return r;
  r.outline = SnappedOutline(r.whole ? std::vector<Homogeneous>(at.begin(), at.end())
                                     : Clip(at, kGuardPixels));
  for (size_t k = 0; k < at.size() && r.whole; ++k) {
    r.corner[k] = {static_cast<double>(r.outline[k].x) / kUnit,
                   static_cast<double>(r.outline[k].y) / kUnit};
  }
  return r;
}

// Returns the largest depth of what clipping leaves of a polygon.
double LargestDepth(const Primitive& p, const Projected& on_screen) {
  double largest = 0;
  for (const double depth : p.depth) largest = std::max(largest, std::fabs(depth));
  if (on_screen.whole) return largest;
  largest = 0;
  for (const ScreenPoint& c : on_screen.outline) {
    const double x = static_cast<double>(c.x) / kUnit, y = static_cast<double>(c.y) / kUnit;
    largest = std::max<double>(largest, std::fabs(p.Depth({x, y})));
  }
  return std::min<double>(largest, std::max(p.depth_range[0], p.depth_range[1]));
}

// Returns the depth bias of a polygon (Vulkan 1.3, "Depth Bias"). Floats have a unit that depends
// on the largest depth.
double BiasOf(const Primitive& p, const Projected& on_screen, const RasterState& state) {
  if (!state.depth_bias) return 0;
  std::array<double, 2> slope{};
  for (size_t k = 0; k < 3; ++k) {
    slope[0] += p.weight[k][0] * p.depth[k];
    slope[1] += p.weight[k][1] * p.depth[k];
  }
  constexpr int kMantissaBits = 23;
  int exponent = 0;
  // LargestDepth = m 2^exponent, m from 1/2 to 1.
  std::frexp(LargestDepth(p, on_screen), &exponent);
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

// The same of corners that may lie behind the eye or at infinity, given in pixels times w: weights
// divided by w. Each edge of the triangle is a plane through the eye, on which one weight is 0.
std::array<std::array<double, 3>, 3> ClippedWeights(absl::Span<const Homogeneous> v) {
  const double volume = VolumeOf(v);
  std::array<std::array<double, 3>, 3> weight{};
  for (size_t k = 0; k < 3; ++k) {
    weight[k] = PlaneThrough(v[(k + 1) % 3], v[(k + 2) % 3]);
    for (double& factor : weight[k]) factor /= volume;
  }
  return weight;
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

// Returns the weights of the ends of a line, divided by their w, as functions of the position:
// along the axis in which the visible part, between `ends`, is longer. `a` and `b` are in pixels
// times w.
std::array<std::array<double, 3>, 2> LineWeights(const Homogeneous& a, const Homogeneous& b,
                                                 absl::Span<const ScreenPoint> ends) {
  const bool flat = std::abs(ends[1].x - ends[0].x) >= std::abs(ends[1].y - ends[0].y);
  const size_t axis = flat ? 0 : 1;
  const double area = b[axis] * a[2] - a[axis] * b[2];
  if (area == 0) return {{{0, 0, 1}, {0, 0, 0}}};  // seen from its end: it covers nothing
  std::array<std::array<double, 3>, 2> weight = {{{0, 0, b[axis] / area}, {0, 0, -a[axis] / area}}};
  weight[0][axis] = -b[2] / area;
  weight[1][axis] = a[2] / area;
  return weight;
}

// Returns the ends of the part of a line inside the view volume, -w <= x, y <= w, on the screen;
// empty: there is none. Unlike a triangle's, pixels that a wide line covers beside the viewport are
// drawn, so that they cannot be removed later (Vulkan 1.3, "Primitive Clipping").
std::vector<ScreenPoint> VisibleEnds(const ClipPosition& a, const ClipPosition& b,
                                     const Transform& transform) {
  const Homogeneous ends[] = {{a[0], a[1], a[3]}, {b[0], b[1], b[3]}};
  std::vector<Homogeneous> visible = Clip(ends, 1);
  for (Homogeneous& p : visible) p = transform.Pixels(p);
  return SnappedOutline(visible);
}

// Returns a vertex of a primitive as its weights need it: snapped, or in pixels times w.
Homogeneous CornerOf(const Projected& on_screen, absl::Span<const Homogeneous> at, size_t k) {
  if (!on_screen.whole) return at[k];
  return {on_screen.corner[k].x, on_screen.corner[k].y, 1};
}

// Draws the edges or corners of a triangle that lie in the view volume (Vulkan 1.3, "Polygon Mode":
// a polygon is clipped before). Edges along the planes that clip it are not drawn, as in lavapipe
// (Mesa 25.0.7, draw_pipe_clip.c, do_clip_tri). Weights are those of the triangle's vertices, so
// that flat inputs stay those of its provoking one.
void AddOutline(const Triangle& t, absl::Span<const Homogeneous> at, const Projected& on_screen,
                const Primitive& shape, const Cover& cover, Builder& builder) {
  const bool lines = builder.in().raster.polygon_mode == PolygonMode::kLine;
  for (size_t k = 0; k < 3; ++k) {
    const size_t next = lines ? (k + 1) % 3 : k;
    const std::vector<ScreenPoint> ends =
        VisibleEnds(t.position[k], t.position[next], builder.transform());
    if (ends.size() < 2) continue;
    Primitive p = shape;
    p.weight = {};
    if (lines) {
      const auto weights =
          LineWeights(CornerOf(on_screen, at, k), CornerOf(on_screen, at, next), ends);
      p.weight[k] = weights[0];
      p.weight[next] = weights[1];
      AddLine(ends[0], ends[1], p, cover, builder);
    } else {
      p.weight[k] = {0, 0, 1 / p.scale[k]};
      AddSquare(ends[0], 1, p, cover, builder);
    }
  }
}

void AddTriangle(const Triangle& t, Builder& builder) {
  const RasterState& state = builder.in().raster;
  std::array<Homogeneous, 3> at{};
  for (size_t k = 0; k < 3; ++k) at[k] = builder.transform().Pixels(t.position[k]);
  Cover cover;
  if (!IsFinite(t.position, at))
    return builder.Add(builder.Begin(t, t.position, false, cover), cover);
  const Projected on_screen = Project(at);
  Primitive p = builder.Begin(t, t.position, on_screen.whole, cover);
  const Polygon polygon(on_screen.outline);
  const bool clockwise = polygon.area() > 0;
  p.back_facing = clockwise != state.front_is_clockwise;
  if (polygon.area() != 0) {
    p.weight = on_screen.whole ? TriangleWeights(on_screen.corner) : ClippedWeights(at);
    p.depth_bias = BiasOf(p, on_screen, state);
  }
  const bool culled = p.back_facing ? state.cull_back : state.cull_front;
  if (state.polygon_mode != PolygonMode::kFill && polygon.area() != 0 && !culled) {
    return AddOutline(t, at, on_screen, p, cover, builder);
  }
  cover.clips_to_viewport = true;
  if (!culled) cover.polygon = &polygon;
  builder.Add(p, cover);
}

void AddLineSegment(const Line& line, Builder& builder) {
  const auto& [first, second] = line.position;
  std::array<Homogeneous, 2> at{};
  for (size_t k = 0; k < 2; ++k) at[k] = builder.transform().Pixels(line.position[k]);
  const bool finite = IsFinite(line.position, at);
  const Projected on_screen = finite ? Project(at) : Projected{false, {}, {}};
  Cover cover;
  Primitive p = builder.Begin(line, {first, second, second}, on_screen.whole, cover);
  p.vertices = 2;
  const std::vector<ScreenPoint> ends =
      finite ? VisibleEnds(first, second, builder.transform()) : std::vector<ScreenPoint>();
  if (ends.size() < 2) return builder.Add(p, cover);
  const auto weights = LineWeights(CornerOf(on_screen, at, 0), CornerOf(on_screen, at, 1), ends);
  p.weight[0] = weights[0];
  p.weight[1] = weights[1];
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
  const bool visible = IsFinite({point.position}, {at}) && IsNear(at);
  Cover cover;
  Primitive p =
      builder.Begin(point, {point.position, point.position, point.position}, visible, cover);
  p.vertices = 1;
  p.built_ins.push_back({"point_coord", 0, {0, k1, 0}});
  p.built_ins.push_back({"point_coord", 1, {0, 0, k1}});
  if (!visible) {
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
    if (absl::Status s = builder.Status(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RasteriseLines(absl::Span<const Line> lines, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  Builder builder(inputs);
  for (const Line& line : lines) {
    AddLineSegment(line, builder);
    if (absl::Status s = builder.Status(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status RasterisePoints(absl::Span<const PointSprite> points, FragmentInputs& inputs) {
  if (absl::Status s = CheckTarget(inputs); !s.ok()) return s;
  Builder builder(inputs);
  for (const PointSprite& point : points) {
    if (absl::Status s = AddPoint(point, builder); !s.ok()) return s;
    if (absl::Status s = builder.Status(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::scene
