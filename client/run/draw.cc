// See draw.h.
#include "client/run/draw.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/run/draw_form.h"
#include "core/sim/scene/assemble.h"
#include "core/sim/scene/rasterise.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using sim::scene::BuiltInValues;
using sim::scene::FragmentInputs;
using sim::scene::PointSprite;
using sim::scene::Triangle;
using sim::scene::VertexValues;

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("draw: ", what));
}

using Position = std::array<float, 4>;

constexpr uint32_t kMaxViews = 16;  // maxMultiviewViewCount of drivers for this generation

// Returns the positions; by default one triangle that covers the render target.
std::vector<Position> Positions(const json& draw) {
  if (!draw.contains("positions")) return {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  return draw["positions"].get<std::vector<Position>>();
}

// Returns the values of all vertices, one after the other, as bits.
absl::StatusOr<std::vector<uint32_t>> Values(const json& input) {
  std::vector<uint32_t> bits;
  if (input.contains("f32")) {
    for (const json& v : input["f32"]) bits.push_back(std::bit_cast<uint32_t>(v.get<float>()));
  } else if (input.contains("u32")) {
    for (const json& v : input["u32"]) bits.push_back(v.get<uint32_t>());
  } else if (input.contains("i32")) {
    for (const json& v : input["i32"]) bits.push_back(static_cast<uint32_t>(v.get<int32_t>()));
  } else {
    return Wrong("an input has no values");
  }
  return bits;
}

struct Input {
  uint32_t location = 0, component = 0;
  uint32_t components = 0;
  std::vector<uint32_t> bits;
};

absl::StatusOr<std::vector<Input>> Inputs(const json& draw, uint32_t vertices) {
  std::vector<Input> inputs;
  for (const json& i : draw.value("inputs", json::array())) {
    absl::StatusOr<std::vector<uint32_t>> bits = Values(i);
    if (!bits.ok()) return bits.status();
    const auto count = static_cast<uint32_t>(bits->size());
    if (count == 0 || count % vertices != 0)
      return Wrong("an input does not have a value for each vertex");
    inputs.push_back(
        {i.value("location", 0u), i.value("component", 0u), count / vertices, *std::move(bits)});
  }
  return inputs;
}

std::vector<VertexValues> ValuesOf(const std::vector<Input>& inputs,
                                   const std::array<uint32_t, 3>& vertices) {
  std::vector<VertexValues> values;
  for (const Input& i : inputs) {
    for (uint32_t c = 0; c < i.components; ++c) {
      VertexValues v{i.location, i.component + c, {}};
      for (int k = 0; k < 3; ++k) v.bits[k] = i.bits[vertices[k] * i.components + c];
      values.push_back(v);
    }
  }
  return values;
}

// Returns the distances of a primitive, cull distances after clip distances, four per attribute.
absl::StatusOr<std::vector<BuiltInValues>> DistancesOf(const json& draw,
                                                       const std::array<uint32_t, 3>& vertices,
                                                       uint32_t count) {
  constexpr uint32_t kMax = 8, kPerAttribute = 4;
  std::vector<BuiltInValues> all;
  for (const char* key : {"clip_distances", "cull_distances"}) {
    const json& given = draw.value(key, json::array());
    const bool clips = std::string_view(key).starts_with("clip");
    if (given.size() % count != 0)
      return Wrong(absl::StrCat("\"", key, "\" does not have a value for each vertex"));
    const size_t each = given.size() / count;
    for (size_t d = 0; d < each; ++d) {
      const auto n = static_cast<uint32_t>(all.size());
      BuiltInValues v{absl::StrCat("clip_distance_", n / kPerAttribute), n % kPerAttribute, {}};
      bool outside = !clips;
      for (int k = 0; k < 3; ++k) {
        const auto distance = given[vertices[k] * each + d].get<float>();
        outside = clips ? outside || distance < 0 : outside && distance < 0;
        v.bits[k] = std::bit_cast<uint32_t>(distance);
      }
      if (outside)
        return Wrong(
            absl::StrCat("\"", key, "\" that clip or cull part of a primitive are not supported"));
      all.push_back(v);
    }
  }
  if (all.size() > kMax) return Wrong("more than eight distances");
  return all;
}

// Returns a vertex's choice of layer or viewport: 0 unless the draw gives one.
uint32_t ChosenBy(const json& draw, const char* key, uint32_t vertex) {
  return draw.contains(key) ? draw[key].at(vertex).get<uint32_t>() : 0;
}

// Draws the primitives once for each view, to its layer (multiview); layers reach up to the last
// view.
absl::Status DrawViews(const json& draw, FragmentInputs& in) {
  const uint32_t mask = draw.value("view_mask", 0u);
  if (mask == 0) return absl::OkStatus();
  if (draw.contains("layers"))
    return Wrong("\"layers\" and \"view_mask\" exclude each other: a view is a layer");
  if (mask >> kMaxViews != 0) return Wrong("\"view_mask\" has views beyond number 15");
  in.layers = static_cast<uint32_t>(std::bit_width(mask));
  const std::vector<sim::scene::Primitive> primitives = std::exchange(in.primitives, {});
  const std::vector<sim::scene::Quad> quads = std::exchange(in.quads, {});
  for (uint32_t view = 0; view < in.layers; ++view) {
    if ((mask >> view & 1) == 0) continue;
    const auto first = static_cast<uint32_t>(in.primitives.size());
    for (sim::scene::Primitive p : primitives) {
      p.layer = view;
      in.primitives.push_back(std::move(p));
    }
    for (sim::scene::Quad q : quads) {
      q.primitive += first;
      in.quads.push_back(q);
    }
  }
  return absl::OkStatus();
}

// Checks state that the code depends on.
absl::Status CheckState(const json& draw, const out::FragmentLaunch& launch, uint32_t samples) {
  if (samples != launch.samples) {
    return Wrong(absl::StrCat("\"samples\": ", samples, ", but the program was compiled for ",
                              launch.samples));
  }
  if (draw.value("sample_shading", false) && samples > 1 && !launch.per_sample) {
    return Wrong("\"sample_shading\", but the program was compiled to run once per pixel");
  }
  if (draw.value("alpha_to_coverage", false)) {
    if (!launch.alpha_to_coverage) {
      return Wrong("\"alpha_to_coverage\", but the program was compiled without it");
    }
    if (!launch.writes_sample_mask) {
      return Wrong("\"alpha_to_coverage\" done by the hardware is not supported");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<FragmentInputs> Read(const json& draw, const out::LaunchRecord& record) {
  if (absl::Status s = CheckDrawForm(draw); !s.ok()) return s;
  FragmentInputs in;
  in.width = draw.value("width", 8u);
  in.height = draw.value("height", 8u);
  in.samples = draw.value("samples", 1u);
  if (absl::Status s = CheckState(draw, record.fragment, in.samples); !s.ok()) return s;
  in.jitter = draw.value("jitter", 0u);
  const std::vector<Position> positions = Positions(draw);
  const auto count = static_cast<uint32_t>(positions.size());
  if (count == 0) return Wrong("no positions");
  const std::string topology = draw.value("topology", "triangle_list");
  const std::optional<sim::scene::Topology> known = sim::scene::TopologyNamed(topology);
  if (!known) return Wrong(absl::StrCat("topology ", topology, " is not supported"));
  absl::StatusOr<std::vector<Input>> inputs = Inputs(draw, count);
  if (!inputs.ok()) return inputs.status();
  std::vector<Triangle> triangles;
  std::vector<PointSprite> points;
  const bool are_points = *known == sim::scene::Topology::kPointList;
  if (!are_points && draw.contains("point_size")) return Wrong("\"point_size\" is for points");
  for (const std::array<uint32_t, 3>& v : sim::scene::Assemble(*known, count)) {
    absl::StatusOr<std::vector<BuiltInValues>> distances = DistancesOf(draw, v, count);
    if (!distances.ok()) return distances.status();
    const uint32_t layer = ChosenBy(draw, "layers", v[0]);
    const uint32_t viewport = ChosenBy(draw, "viewports", v[0]);
    if (are_points) {
      points.push_back({positions[v[0]], draw.value("point_size", 1.0f), ValuesOf(*inputs, v),
                        *std::move(distances), layer, viewport});
    } else {
      triangles.push_back({{positions[v[0]], positions[v[1]], positions[v[2]]},
                           ValuesOf(*inputs, v),
                           *std::move(distances),
                           layer,
                           viewport});
    }
  }
  if (absl::Status s = sim::scene::Rasterise(triangles, in); !s.ok()) return s;
  if (absl::Status s = sim::scene::RasterisePoints(points, in); !s.ok()) return s;
  if (absl::Status s = DrawViews(draw, in); !s.ok()) return s;
  const size_t samples = size_t{in.width} * in.height * in.layers * in.samples;
  for (const out::SurfaceEntry& e : record.binding_table) {
    if (e.kind != out::SurfaceKind::kColorOutput) continue;
    in.targets.push_back({e.location, std::vector<uint32_t>(4 * samples)});
  }
  const bool depth = record.fragment.depth != out::DepthOutput::kOff || draw.value("depth", false);
  if (depth) in.depth.assign(samples, 1.0f);
  if (record.fragment.writes_stencil) in.stencil.assign(samples, 0);
  if (record.fragment.writes_sample_mask) in.sample_mask.assign(samples / in.samples, 0);
  return in;
}

// Returns true if an input of the draw gives a value to this location.
bool HasLocation(const json& draw, uint32_t location) {
  for (const json& i : draw.value("inputs", json::array())) {
    if (i.value("location", 0u) == location) return true;
  }
  return false;
}

}  // namespace

absl::Status AddMissingInputs(const out::LaunchRecord& record, json* draw) {
  if (absl::Status s = CheckDrawForm(*draw); !s.ok()) return s;
  try {
    const std::vector<Position> positions = Positions(*draw);
    for (const out::SetupAttribute& a : record.fragment.attributes) {
      if (!a.builtin.empty() || HasLocation(*draw, a.location)) continue;
      json input = {{"location", a.location}};
      for (const Position& p : positions) {
        if (a.flat) {
          for (int c = 0; c < 4; ++c) input["u32"].push_back(0);
          continue;
        }
        for (const float v : {(p[0] / p[3] + 1) / 2, (p[1] / p[3] + 1) / 2, 0.0f, 1.0f}) {
          input["f32"].push_back(v);
        }
      }
      (*draw)["inputs"].push_back(std::move(input));
    }
  } catch (const json::exception& e) {
    return Wrong(e.what());
  }
  return absl::OkStatus();
}

absl::StatusOr<FragmentInputs> ReadDraw(const json& draw, const out::LaunchRecord& record) {
  try {
    return Read(draw, record);
  } catch (const json::exception& e) {
    return Wrong(e.what());
  }
}

}  // namespace kiln::client::run
