// See draw.h.
#include "tests/diff/draw.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/base/float_bits.h"
#include "core/mir/build.h"

namespace kiln::diff {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Interpolation;
using mir::Type;
using nlohmann::json;

constexpr int kMaxSize = 128;  // pixels per edge; a triangle's quads run as one group

struct Attribute {
  uint32_t location = 0, component = 0, components = 0;
  std::vector<uint32_t> bits;  // vertex by vertex
};

struct Target {
  uint32_t location = 0;
  uint32_t components = 0;  // a bit for each component that the program declares
  std::vector<uint32_t> texels;
};

struct Weights {
  std::array<double, 3> linear, perspective;
};

uint32_t Bits(double v) { return AsBits(static_cast<float>(v)); }

std::string Hex(const std::vector<uint32_t>& dwords) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(dwords.data()), dwords.size() * 4));
}

// ---- Triangles ----

class Triangle {
 public:
  Triangle(const std::array<std::array<float, 4>, 3>& clip, uint32_t width, uint32_t height) {
    for (int k = 0; k < 3; ++k) {
      w_[k] = clip[k][3];
      x_[k] = (clip[k][0] / w_[k] + 1) / 2 * width;
      y_[k] = (clip[k][1] / w_[k] + 1) / 2 * height;
      z_[k] = clip[k][2] / w_[k];
    }
    area_ = Edge(0, x_[2], y_[2]);
  }

  // The square around a point, given by two of its edges: from the upper left corner to the upper
  // right and to the lower left one.
  static Triangle OfPoint(const std::array<float, 4>& clip, double size, uint32_t width,
                          uint32_t height) {
    Triangle t({clip, clip, clip}, width, height);
    for (int k = 0; k < 3; ++k) {
      t.x_[k] += k == 1 ? size / 2 : -size / 2;
      t.y_[k] += k == 2 ? size / 2 : -size / 2;
    }
    t.area_ = t.Edge(0, t.x_[2], t.y_[2]);
    t.is_square_ = true;
    return t;
  }

  bool empty() const { return area_ == 0; }
  // In Vulkan's coordinates, y downwards, the area by the specification's formula is the negative
  // of this one; counter clockwise fronts have a positive one.
  bool front() const { return area_ < 0 || is_square_; }
  // PointCoord, of points.
  bool is_square() const { return is_square_; }

  // On an edge a pixel belongs to the triangle if the edge is a left or a top one.
  bool Covers(double x, double y) const {
    if (is_square_) return x >= x_[0] && x < x_[1] && y >= y_[0] && y < y_[2];
    for (int k = 0; k < 3; ++k) {
      const double sign = area_ > 0 ? 1 : -1;
      const double e = Edge(k, x, y) * sign;
      const double dx = (x_[(k + 1) % 3] - x_[k]) * sign, dy = (y_[(k + 1) % 3] - y_[k]) * sign;
      const bool owned = dy < 0 || (dy == 0 && dx > 0);
      if (e < 0 || (e == 0 && !owned)) return false;
    }
    return true;
  }

  Weights At(double x, double y) const {
    Weights r{};
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      r.linear[k] = Edge((k + 1) % 3, x, y) / area_;
      r.perspective[k] = r.linear[k] / w_[k];
      sum += r.perspective[k];
    }
    for (double& p : r.perspective) p /= sum;
    return r;
  }

  double Z(const Weights& b) const {
    return b.linear[0] * z_[0] + b.linear[1] * z_[1] + b.linear[2] * z_[2];
  }
  double InverseW(const Weights& b) const {
    return b.linear[0] / w_[0] + b.linear[1] / w_[1] + b.linear[2] / w_[2];
  }
  bool has_perspective() const { return w_[0] != w_[1] || w_[0] != w_[2]; }

 private:
  // Twice the signed area of edge k and a point.
  double Edge(int k, double x, double y) const {
    const int n = (k + 1) % 3;
    return (x_[n] - x_[k]) * (y - y_[k]) - (y_[n] - y_[k]) * (x - x_[k]);
  }

  std::array<double, 3> x_, y_, z_, w_;
  double area_ = 0;
  bool is_square_ = false;
};

// ---- The draw ----

// Returns true if an operation of the module takes values of other pixels of the quad.
bool NeedsQuads(const mir::Module& m) {
  constexpr uint32_t kQuad = 4;
  bool needs = false;
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const mir::Inst& inst = m.inst(id);
    switch (inst.op) {
      case mir::Op::kDdx:
      case mir::Op::kDdy:
      case mir::Op::kSampleImplicit:
      case mir::Op::kImageLod:
      case mir::Op::kQuadBroadcast:
      case mir::Op::kQuadSwap: needs = true; break;
      case mir::Op::kReduce: needs |= inst.imm1 != 0 && inst.imm1 <= kQuad; break;
      default: break;
    }
  });
  return needs;
}

class Drawing {
 public:
  Drawing(const mir::Module& module, const json& draw, HelperPixels helpers)
      : m_(module),
        draw_(draw),
        helpers_run_(helpers == HelperPixels::kRun || NeedsQuads(module)) {}

  absl::Status Read();
  absl::Status Run(oracle::LaunchInputs& inputs, const oracle::InterpLimits& limits);
  absl::Status RunLayer(oracle::LaunchInputs& inputs, const oracle::InterpLimits& limits);
  Drawn Result() const;

 private:
  absl::Status ReadAttributes(size_t vertices);
  absl::Status ReadDistances();
  absl::Status CheckModule();
  void MakeTargets();
  void FindFragments(const Triangle& t);
  void Jitter();
  absl::Status FillInput(size_t i, uint32_t first, const Triangle& t,
                         oracle::StageData& stage) const;
  absl::Status FillBuiltIn(const Interface& v, uint32_t first, const Triangle& t,
                           std::vector<uint64_t>& values) const;
  uint32_t ChosenBy(const char* key, uint32_t vertex) const;
  absl::Status FillLocation(const Interface& v, uint32_t first,
                            std::vector<uint64_t>& values) const;
  absl::Status FillDistances(const Interface& v, uint32_t first,
                             std::vector<uint64_t>& values) const;
  void Keep(const Triangle& t, const oracle::StageData& stage);
  void KeepOutput(const Interface& v, const std::vector<uint64_t>& values, size_t lane,
                  size_t pixel);

  const mir::Module& m_;
  const json& draw_;
  const bool helpers_run_;
  uint32_t width_ = 0, height_ = 0;
  uint32_t view_mask_ = 0;  // each view goes to the layer of its number; 0: there is one layer
  uint32_t vertices_ = 3;   // of a primitive
  // layers lie one below the other in render targets; layer_ is drawn to
  uint32_t layers_ = 1, layer_ = 0;
  std::vector<std::array<float, 4>> positions_;
  std::vector<Attribute> attributes_;
  std::vector<float> clip_distances_, cull_distances_;  // vertex by vertex
  std::vector<Target> targets_;
  std::vector<uint32_t> depth_;
  std::string stencil_;  // empty: not written
  oracle::InterpStatistics statistics_;
  // Fragments of the current primitive, one lane each.
  std::vector<std::array<uint32_t, 2>> pixels_;
  std::vector<bool> covered_;
  std::vector<Weights> weights_;
};

absl::Status Drawing::Read() {
  for (const char* key : {"vertex_shader", "instances", "clear", "samples"}) {
    if (draw_.contains(key)) return absl::UnimplementedError(absl::StrCat("draw: ", key));
  }
  const std::string topology = draw_.value("topology", "triangle_list");
  if (topology != "triangle_list" && topology != "point_list") {
    return absl::UnimplementedError("draw: topology");
  }
  vertices_ = topology == "point_list" ? 1 : 3;
  width_ = draw_.value("width", 8u);
  height_ = draw_.value("height", 8u);
  if (std::max(width_, height_) > kMaxSize) return absl::UnimplementedError("draw: size");
  positions_ = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  if (draw_.contains("positions")) {
    positions_ = draw_["positions"].get<std::vector<std::array<float, 4>>>();
  }
  if (positions_.empty() || positions_.size() % vertices_ != 0) {
    return absl::InvalidArgumentError("draw: positions are no triangles");
  }
  for (const auto& p : positions_) {
    if (!(p[3] > 0) || p[2] < 0 || p[2] > p[3]) return absl::UnimplementedError("draw: clipping");
  }
  view_mask_ = draw_.value("view_mask", 0u);
  if (view_mask_ != 0 && draw_.contains("layers")) {
    return absl::InvalidArgumentError("draw: a view is a layer, which no vertex chooses");
  }
  layers_ = std::max(1u, static_cast<uint32_t>(std::bit_width(view_mask_)));
  MakeTargets();
  if (absl::Status s = ReadAttributes(positions_.size()); !s.ok()) return s;
  if (absl::Status s = ReadDistances(); !s.ok()) return s;
  return CheckModule();
}

absl::Status Drawing::ReadAttributes(size_t vertices) {
  for (const json& i : draw_.value("inputs", json::array())) {
    Attribute a{i.value("location", 0u), i.value("component", 0u), 0, {}};
    for (const json& v : i.value("f32", json::array())) a.bits.push_back(Bits(v.get<double>()));
    for (const json& v : i.value("u32", json::array())) a.bits.push_back(v.get<uint32_t>());
    for (const json& v : i.value("i32", json::array())) {
      a.bits.push_back(static_cast<uint32_t>(v.get<int32_t>()));
    }
    if (a.bits.empty() || a.bits.size() % vertices != 0) {
      return absl::InvalidArgumentError("draw: an input has no value for each vertex");
    }
    a.components = static_cast<uint32_t>(a.bits.size() / vertices);
    attributes_.push_back(std::move(a));
  }
  return absl::OkStatus();
}

// Reads both kinds of distances: as many per vertex as the draw's list holds for it. Unimplemented:
// distances that clip or cull something.
absl::Status Drawing::ReadDistances() {
  for (const BuiltIn kind : {BuiltIn::kClipDistance, BuiltIn::kCullDistance}) {
    const bool clips = kind == BuiltIn::kClipDistance;
    std::vector<float>& all = clips ? clip_distances_ : cull_distances_;
    all = draw_.value(clips ? "clip_distances" : "cull_distances", std::vector<float>());
    if (all.size() % positions_.size() != 0) {
      return absl::InvalidArgumentError("draw: distances are not of each vertex");
    }
    // Every clip distance must be >= 0, and each cull distance must be so for a vertex of each
    // primitive.
    const size_t each = all.size() / positions_.size();
    for (size_t first = 0; first < positions_.size(); first += clips ? 1 : vertices_) {
      for (size_t d = 0; d < each; ++d) {
        bool stays = false;
        for (size_t k = 0; k < (clips ? 1 : vertices_); ++k)
          stays |= all[(first + k) * each + d] >= 0;
        if (!stays) return absl::UnimplementedError("draw: clipping by distances");
      }
    }
  }
  return absl::OkStatus();
}

// Refuses modules that interpolate at an offset. The interpreter's inputs are linear over the
// pixel: that is exact at the centre, the position of the only sample and of the centroid of
// covered pixels, but elsewhere only without perspective.
absl::Status Drawing::CheckModule() {
  for (const mir::Inst& inst : m_.insts) {
    if (inst.op == mir::Op::kInterpolate &&
        mir::InterpolateAtOf(inst.imm1) == static_cast<uint32_t>(mir::InterpolateAt::kOffset)) {
      return absl::UnimplementedError("draw: interpolation at an offset");
    }
  }
  return absl::OkStatus();
}

void Drawing::MakeTargets() {
  for (const Interface& v : m_.outputs) {
    if (v.builtin != BuiltIn::kNone || v.index != 0) continue;
    for (uint32_t e = 0; e < v.elements; ++e) {
      const auto same = [&](const Target& t) { return t.location == v.location + e; };
      auto at = std::find_if(targets_.begin(), targets_.end(), same);
      if (at == targets_.end()) {
        targets_.push_back(
            {v.location + e, 0, std::vector<uint32_t>(size_t{4} * width_ * height_ * layers_)});
        at = targets_.end() - 1;
      }
      at->components |= ((1u << v.components) - 1) << v.component;
    }
  }
  depth_.assign(size_t{width_} * height_ * layers_, Bits(1));
  const auto is_stencil = [](const Interface& v) { return v.builtin == BuiltIn::kFragStencilRef; };
  if (std::any_of(m_.outputs.begin(), m_.outputs.end(), is_stencil)) {
    stencil_.assign(depth_.size(), '\0');
  }
}

// Changes each weight in its last bits of single precision, by which rasterisers may differ.
void Drawing::Jitter() {
  std::minstd_rand random(draw_["jitter"].get<uint32_t>());
  const auto factor = [&] { return 1 + (random() % 2 == 0 ? -1 : 1) * std::ldexp(1.0, -21); };
  for (Weights& w : weights_) {
    for (double& v : w.linear) v *= factor();
    for (double& v : w.perspective) v *= factor();
  }
}

// Finds whole quads with a covered pixel; pixels beyond the render target's edge are helpers.
void Drawing::FindFragments(const Triangle& t) {
  pixels_.clear();
  covered_.clear();
  weights_.clear();
  for (uint32_t y = 0; y < height_; y += 2) {
    for (uint32_t x = 0; x < width_; x += 2) {
      std::array<bool, 4> inside{};
      for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t px = x + k % 2, py = y + k / 2;
        inside[k] = px < width_ && py < height_ && t.Covers(px + 0.5, py + 0.5);
      }
      if (std::none_of(inside.begin(), inside.end(), [](bool b) { return b; })) continue;
      for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t px = x + k % 2, py = y + k / 2;
        pixels_.push_back({px, py});
        covered_.push_back(inside[k]);
        weights_.push_back(t.At(px + 0.5, py + 0.5));
      }
    }
  }
  if (draw_.contains("jitter")) Jitter();
}

// Returns the layer or viewport that a vertex chooses.
uint32_t Drawing::ChosenBy(const char* key, uint32_t vertex) const {
  return draw_.contains(key) ? draw_[key].at(vertex).get<uint32_t>() : 0;
}

absl::Status Drawing::FillBuiltIn(const Interface& v, uint32_t first, const Triangle& t,
                                  std::vector<uint64_t>& values) const {
  const size_t lanes = pixels_.size();
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Weights& b = weights_[lane];
    switch (v.builtin) {
      case BuiltIn::kFragCoord: {
        const std::array<double, 4> all = {pixels_[lane][0] + 0.5, pixels_[lane][1] + 0.5, t.Z(b),
                                           t.InverseW(b)};
        for (uint32_t c = 0; c < v.components; ++c)
          values[c * lanes + lane] = Bits(all[v.component + c]);
        break;
      }
      case BuiltIn::kFrontFacing: values[lane] = t.front(); break;
      case BuiltIn::kPrimitiveId: values[lane] = first / vertices_; break;
      case BuiltIn::kPointCoord:
        if (!t.is_square()) return absl::UnimplementedError("draw: PointCoord of triangles");
        for (uint32_t c = 0; c < v.components; ++c) {
          values[c * lanes + lane] = Bits(b.linear[1 + v.component + c]);
        }
        break;
      case BuiltIn::kBaryCoord:
      case BuiltIn::kBaryCoordNoPerspective: {
        const auto& weights = v.builtin == BuiltIn::kBaryCoord ? b.perspective : b.linear;
        for (uint32_t c = 0; c < v.components; ++c) {
          const double of_point = c == 0 ? 1 : 0;
          values[c * lanes + lane] = Bits(t.is_square() ? of_point : weights[c]);
        }
        break;
      }
      case BuiltIn::kSampleId: values[lane] = 0; break;
      case BuiltIn::kLayer:
        values[lane] = view_mask_ != 0 ? layer_ : ChosenBy("layers", first);
        break;
      case BuiltIn::kViewIndex: values[lane] = layer_; break;
      case BuiltIn::kViewportIndex: values[lane] = ChosenBy("viewports", first); break;
      case BuiltIn::kSamplePosition: values[lane] = values[lanes + lane] = Bits(0.5); break;
      case BuiltIn::kSampleMask: values[lane] = covered_[lane]; break;
      default: return absl::UnimplementedError("draw: a built-in input");
    }
  }
  return absl::OkStatus();
}

absl::Status Drawing::FillLocation(const Interface& v, uint32_t first,
                                   std::vector<uint64_t>& values) const {
  if (mir::BitsOf(v.type) != 32) return absl::UnimplementedError("draw: an input not of 32 bits");
  const size_t lanes = pixels_.size();
  for (uint32_t n = 0; n < v.elements * v.components; ++n) {
    const uint32_t location = v.location + n / v.components;
    const uint32_t component = v.component + n % v.components;
    const auto holds = [&](const Attribute& a) {
      return a.location == location && a.component <= component &&
             component < a.component + a.components;
    };
    const auto a = std::find_if(attributes_.begin(), attributes_.end(), holds);
    if (a == attributes_.end()) return absl::InvalidArgumentError("draw: an input has no values");
    std::array<uint32_t, 3> vertex{};
    for (uint32_t k = 0; k < 3; ++k) {
      vertex[k] = a->bits[(first + k % vertices_) * a->components + component - a->component];
    }
    if (v.interpolation == Interpolation::kPerVertex) {
      const size_t each = size_t{v.elements} * v.components;
      for (size_t k = 0; k < mir::kVertices; ++k) {
        std::fill_n(values.begin() + static_cast<ptrdiff_t>((k * each + n) * lanes), lanes,
                    vertex[k]);
      }
      continue;
    }
    for (size_t lane = 0; lane < lanes; ++lane) {
      uint64_t& value = values[n * lanes + lane];
      value = vertex[0];
      if (v.type != Type::kF32 || v.interpolation == Interpolation::kFlat) continue;
      const auto& b = v.interpolation == Interpolation::kSmooth ? weights_[lane].perspective
                                                                : weights_[lane].linear;
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += b[k] * AsFloat(vertex[k]);
      value = Bits(sum);
    }
  }
  return absl::OkStatus();
}

// Fills the elements that the module reads from the draw's distances; with perspective, like
// locations.
absl::Status Drawing::FillDistances(const Interface& v, uint32_t first,
                                    std::vector<uint64_t>& values) const {
  const std::vector<float>& all =
      v.builtin == BuiltIn::kClipDistance ? clip_distances_ : cull_distances_;
  const size_t lanes = pixels_.size(), each = all.size() / positions_.size();
  for (uint32_t n = 0; n < v.elements; ++n) {
    if (n >= each) return absl::InvalidArgumentError("draw: a distance has no values");
    for (size_t lane = 0; lane < lanes; ++lane) {
      double sum = 0;
      for (uint32_t k = 0; k < 3; ++k) {
        sum += weights_[lane].perspective[k] * all[(first + k % vertices_) * each + n];
      }
      values[n * lanes + lane] = Bits(sum);
    }
  }
  return absl::OkStatus();
}

absl::Status Drawing::FillInput(size_t i, uint32_t first, const Triangle& t,
                                oracle::StageData& stage) const {
  const Interface& v = m_.inputs[i];
  std::vector<uint64_t>& values = stage.inputs[i];
  const uint32_t vertices = v.interpolation == Interpolation::kPerVertex ? mir::kVertices : 1;
  values.assign(size_t{vertices} * v.elements * v.components * pixels_.size(), 0);
  switch (v.builtin) {
    case BuiltIn::kNone: return FillLocation(v, first, values);
    case BuiltIn::kClipDistance:
    case BuiltIn::kCullDistance: return FillDistances(v, first, values);
    default: return FillBuiltIn(v, first, t, values);
  }
}

absl::Status Drawing::Run(oracle::LaunchInputs& inputs, const oracle::InterpLimits& limits) {
  for (layer_ = 0; layer_ < layers_; ++layer_) {
    if (view_mask_ != 0 && (view_mask_ >> layer_ & 1) == 0) continue;
    if (absl::Status s = RunLayer(inputs, limits); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status Drawing::RunLayer(oracle::LaunchInputs& inputs, const oracle::InterpLimits& limits) {
  for (uint32_t first = 0; first < positions_.size(); first += vertices_) {
    const Triangle t =
        vertices_ == 1
            ? Triangle::OfPoint(positions_[first], draw_.value("point_size", 1.0), width_, height_)
            : Triangle({positions_[first], positions_[first + 1], positions_[first + 2]}, width_,
                       height_);
    if (t.empty()) continue;
    FindFragments(t);
    if (pixels_.empty()) continue;
    oracle::StageData& stage = inputs.stage;
    stage = oracle::StageData();
    stage.invocations = static_cast<uint32_t>(pixels_.size());
    for (bool c : covered_) {
      stage.helpers.push_back(!c);
      stage.off.push_back(!c && !helpers_run_);
    }
    stage.samples = {{0, 0}};
    stage.inputs.resize(m_.inputs.size());
    for (size_t i = 0; i < m_.inputs.size(); ++i) {
      if (absl::Status s = FillInput(i, first, t, stage); !s.ok()) return s;
    }
    const absl::StatusOr<oracle::InterpStatistics> run = oracle::Interpret(m_, inputs, limits);
    if (!run.ok()) return run.status();
    statistics_.lane_steps += run->lane_steps;
    statistics_.outside_accesses += run->outside_accesses;
    statistics_.outside_local_accesses += run->outside_local_accesses;
    statistics_.outside_addresses += run->outside_addresses;
    statistics_.misaligned_accesses += run->misaligned_accesses;
    statistics_.undefined_results += run->undefined_results;
    statistics_.outside_descriptors += run->outside_descriptors;
    statistics_.split_barriers += run->split_barriers;
    statistics_.races += run->races;
    Keep(t, stage);
  }
  return absl::OkStatus();
}

void Drawing::KeepOutput(const Interface& v, const std::vector<uint64_t>& values, size_t lane,
                         size_t pixel) {
  for (uint32_t n = 0; n < v.elements * v.components; ++n) {
    const uint32_t location = v.location + n / v.components;
    for (Target& t : targets_) {
      if (t.location != location) continue;
      t.texels[4 * pixel + v.component + n % v.components] =
          static_cast<uint32_t>(values[n * pixels_.size() + lane]);
    }
  }
}

void Drawing::Keep(const Triangle& t, const oracle::StageData& stage) {
  for (size_t lane = 0; lane < pixels_.size(); ++lane) {
    const size_t row = size_t{layer_} * height_ + pixels_[lane][1];
    const size_t pixel = row * width_ + pixels_[lane][0];
    float depth = static_cast<float>(t.Z(weights_[lane]));
    // Early tests keep the primitive's depth before the program runs, whatever it discards or
    // stores (Vulkan 1.3, "Early Fragment Tests").
    const bool early = m_.fragment.early_tests;
    if (early && covered_[lane]) depth_[pixel] = Bits(std::clamp(depth, 0.0f, 1.0f));
    if (!stage.live[lane]) continue;
    bool kept = true;
    for (size_t i = 0; i < m_.outputs.size(); ++i) {
      const Interface& v = m_.outputs[i];
      const auto value = static_cast<uint32_t>(stage.outputs[i][lane]);
      if (v.builtin == BuiltIn::kSampleMask) kept = value & 1;
      if (v.builtin == BuiltIn::kFragDepth) depth = AsFloat(value);
    }
    if (!kept) continue;
    // For NaN any depth may be kept; 1 here.
    if (!early) depth_[pixel] = Bits(std::isnan(depth) ? 1 : std::clamp(depth, 0.0f, 1.0f));
    for (size_t i = 0; i < m_.outputs.size(); ++i) {
      const Interface& v = m_.outputs[i];
      if (v.builtin == BuiltIn::kFragStencilRef) {
        stencil_[pixel] = static_cast<char>(stage.outputs[i][lane]);
      }
      if (v.builtin == BuiltIn::kNone && v.index == 0) KeepOutput(v, stage.outputs[i], lane, pixel);
    }
  }
}

Drawn Drawing::Result() const {
  Drawn drawn;
  drawn.colors = json::array();
  for (const Target& t : targets_) {
    drawn.colors.push_back(
        {{"location", t.location}, {"components", t.components}, {"hex", Hex(t.texels)}});
  }
  drawn.depth = {{"hex", Hex(depth_)}};
  if (!stencil_.empty()) drawn.stencil = {{"hex", absl::BytesToHexString(stencil_)}};
  drawn.statistics = statistics_;
  return drawn;
}

}  // namespace

absl::StatusOr<Drawn> Draw(const mir::Module& module, const json& draw,
                           oracle::LaunchInputs& inputs, const oracle::InterpLimits& limits,
                           HelperPixels helpers) {
  Drawing drawing(module, draw, helpers);
  try {
    if (absl::Status s = drawing.Read(); !s.ok()) return s;
    if (absl::Status s = drawing.Run(inputs, limits); !s.ok()) return s;
  } catch (const json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("draw: ", e.what()));
  }
  return drawing.Result();
}

}  // namespace kiln::diff
