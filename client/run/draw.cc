// See draw.h.
#include "client/run/draw.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/run/draw_form.h"
#include "client/run/draw_state.h"
#include "core/sim/scene/assemble.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using sim::scene::FragmentInputs;
using sim::scene::StreamDistances;
using sim::scene::StreamValues;
using sim::scene::Topology;
using sim::scene::VertexStream;

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

// Returns the inputs as values of all vertices.
absl::StatusOr<std::vector<StreamValues>> Inputs(const json& draw, uint32_t vertices) {
  std::vector<StreamValues> inputs;
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

absl::StatusOr<StreamDistances> Distances(const json& draw, const char* key, uint32_t vertices) {
  const auto values = draw.value(key, std::vector<float>());
  if (values.size() % vertices != 0) {
    return Wrong(absl::StrCat("\"", key, "\" does not have a value for each vertex"));
  }
  return StreamDistances{static_cast<uint32_t>(values.size()) / vertices, values};
}

// Returns a list with a number for each vertex; empty: none is given.
absl::StatusOr<std::vector<uint32_t>> Choices(const json& draw, const char* key,
                                              uint32_t vertices) {
  auto list = draw.value(key, std::vector<uint32_t>());
  if (list.empty() || list.size() == vertices) return list;
  return Wrong(absl::StrCat("\"", key, "\" does not have a number for each vertex"));
}

// Returns the vertices of a draw without vertex shader.
absl::StatusOr<VertexStream> StreamOf(const json& draw, Topology topology) {
  VertexStream stream;
  stream.positions = Positions(draw);
  const auto count = static_cast<uint32_t>(stream.positions.size());
  if (count == 0) return Wrong("no positions");
  stream.per_instance = count;
  absl::StatusOr<std::vector<StreamValues>> inputs = Inputs(draw, count);
  if (!inputs.ok()) return inputs.status();
  stream.values = *std::move(inputs);
  struct Part {
    const char* key;
    StreamDistances* distances;
  };
  for (const Part& p :
       {Part{"clip_distances", &stream.clip}, Part{"cull_distances", &stream.cull}}) {
    absl::StatusOr<StreamDistances> distances = Distances(draw, p.key, count);
    if (!distances.ok()) return distances.status();
    *p.distances = *std::move(distances);
  }
  absl::StatusOr<std::vector<uint32_t>> layers = Choices(draw, "layers", count);
  if (!layers.ok()) return layers.status();
  absl::StatusOr<std::vector<uint32_t>> viewports = Choices(draw, "viewports", count);
  if (!viewports.ok()) return viewports.status();
  stream.layers = *std::move(layers);
  stream.viewports = *std::move(viewports);
  if (draw.contains("point_size")) {
    if (topology != Topology::kPointList) return Wrong("\"point_size\" is for points");
    stream.point_sizes.assign(count, draw.value("point_size", 1.0f));
  }
  return stream;
}

absl::StatusOr<Topology> TopologyOf(const json& draw) {
  const std::string name = draw.value("topology", "triangle_list");
  const std::optional<Topology> topology = sim::scene::TopologyNamed(name);
  if (topology) return *topology;
  return Wrong(absl::StrCat("topology ", name, " is not supported"));
}

uint32_t ViewMask(const json& draw) { return draw.value("view_mask", 0u); }

// Draws the primitives once for each view, to its layer (multiview); layers reach up to the last
// view.
absl::Status DrawViews(const json& draw, FragmentInputs& in) {
  const uint32_t mask = ViewMask(draw);
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
  if (draw.value("alpha_to_coverage", false) && !launch.alpha_to_coverage) {
    return Wrong("\"alpha_to_coverage\", but the program was compiled without it");
  }
  return absl::OkStatus();
}

// Draws a stream, or, without one, the vertices that the draw itself gives.
absl::StatusOr<FragmentInputs> Read(const json& draw, const out::LaunchRecord& record,
                                    const std::string& folder, const sim::scene::TimeLimit& limit,
                                    const VertexStream* linked) {
  if (absl::Status s = CheckDrawForm(draw); !s.ok()) return s;
  FragmentInputs in;
  in.limit = limit;
  in.width = draw.value("width", 8u);
  in.height = draw.value("height", 8u);
  in.samples = draw.value("samples", 1u);
  if (absl::Status s = CheckState(draw, record.fragment, in.samples); !s.ok()) return s;
  in.jitter = draw.value("jitter", 0u);
  if (absl::Status s = ReadRasterState(draw, in); !s.ok()) return s;
  const absl::StatusOr<Topology> topology = TopologyOf(draw);
  if (!topology.ok()) return topology.status();
  const uint64_t views = std::max(1, std::popcount(ViewMask(draw)));
  in.max_primitives /= views;
  in.max_quads /= views;
  absl::Status added;
  if (linked != nullptr) {
    added = AddPrimitives(*linked, *topology, in);
  } else {
    const absl::StatusOr<VertexStream> stream = StreamOf(draw, *topology);
    if (!stream.ok()) return stream.status();
    added = AddPrimitives(*stream, *topology, in);
  }
  if (!added.ok()) return absl::Status(added.code(), absl::StrCat("draw: ", added.message()));
  if (absl::Status s = DrawViews(draw, in); !s.ok()) return s;
  if (absl::Status s = ReadAttachments(draw, record, folder, in); !s.ok()) return s;
  if (absl::Status s = limit.Check(); !s.ok()) return s;
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
    for (const out::FragmentInput& a : record.fragment.inputs) {
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

absl::StatusOr<FragmentInputs> ReadDraw(const json& draw, const out::LaunchRecord& record,
                                        const std::string& folder,
                                        const sim::scene::TimeLimit& limit) {
  try {
    return Read(draw, record, folder, limit, nullptr);
  } catch (const json::exception& e) {
    return Wrong(e.what());
  }
}

absl::StatusOr<FragmentInputs> ReadLinkedDraw(const json& draw, const VertexStream& vertices,
                                              const out::LaunchRecord& record,
                                              const std::string& folder,
                                              const sim::scene::TimeLimit& limit) {
  for (const char* key : {"positions", "inputs", "clip_distances", "cull_distances", "layers",
                          "viewports", "point_size", "view_mask"}) {
    if (!draw.contains(key)) continue;
    return Wrong(absl::StrCat("\"", key, "\": the vertex shader decides it"));
  }
  try {
    return Read(draw, record, folder, limit, &vertices);
  } catch (const json::exception& e) {
    return Wrong(e.what());
  }
}

}  // namespace kiln::client::run
