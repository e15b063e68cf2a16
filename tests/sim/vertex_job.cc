// See vertex_job.h.
#include "tests/sim/vertex_job.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace kiln {
namespace {

using nlohmann::json;
using sim::eu::VertexInput;
using sim::eu::VertexInputs;

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("vertices: ", what));
}

uint32_t FloatBits(const json& v) {
  if (!v.is_string()) return std::bit_cast<uint32_t>(v.get<float>());
  const auto text = v.get<std::string>();  // "nan", "0x7fc00001", ...
  if (text.starts_with("0x")) return static_cast<uint32_t>(std::stoul(text, nullptr, 16));
  return std::bit_cast<uint32_t>(std::stof(text));
}

absl::StatusOr<VertexInput> ReadInput(const json& in, uint64_t elements) {
  VertexInput input;
  input.location = in.value("location", 0u);
  const auto rate = in.value("rate", std::string("vertex"));
  if (rate != "vertex" && rate != "instance") return Wrong("\"rate\" is vertex or instance");
  input.per_instance = rate == "instance";
  if (in.contains("f32")) {
    input.missing_w = std::bit_cast<uint32_t>(1.0f);
    for (const json& v : in["f32"]) input.bits.push_back(FloatBits(v));
  } else if (in.contains("u32")) {
    for (const json& v : in["u32"]) input.bits.push_back(v.get<uint32_t>());
  } else if (in.contains("i32")) {
    for (const json& v : in["i32"]) input.bits.push_back(static_cast<uint32_t>(v.get<int32_t>()));
  } else {
    return Wrong("an input has no values");
  }
  const uint64_t components = in.value("components", input.bits.size() / elements);
  if (components < 1 || components > 4 || input.bits.size() % components != 0) {
    return Wrong(absl::StrCat("the input at location ", input.location, " has ", input.bits.size(),
                              " values of ", elements, " elements; say its \"components\""));
  }
  input.components = static_cast<uint32_t>(components);
  return input;
}

// What whoever starts a draw does for multiview: each instance comes once for each view.
absl::Status MultiplyInstances(const json& v, const out::VertexLaunch& launch, VertexInputs& draw) {
  if (v.value("view_mask", 0u) != launch.view_mask) {
    return Wrong(absl::StrCat("the program is for view mask ", launch.view_mask));
  }
  draw.instances *= launch.instance_multiplier;
  for (VertexInput& input : draw.inputs) input.step = launch.instance_multiplier;
  return absl::OkStatus();
}

absl::StatusOr<VertexInputs> Read(const json& v, const out::VertexLaunch& launch) {
  VertexInputs draw;
  draw.instances = v.value("instances", 1u);
  draw.first_instance = v.value("first_instance", 0u);
  uint64_t elements = 0;
  if (v.contains("indices")) {
    draw.indices = v["indices"].get<std::vector<uint32_t>>();
    draw.count = static_cast<uint32_t>(draw.indices.size());
    draw.first_vertex = v.value("vertex_offset", 0);
    if (draw.indices.empty()) return Wrong("no indices");
    elements = *std::max_element(draw.indices.begin(), draw.indices.end()) + uint64_t{1};
  } else {
    draw.count = v.value("count", 0u);
    draw.first_vertex = v.value("first_vertex", 0);
    elements = draw.count;
  }
  elements += static_cast<uint64_t>(int64_t{draw.first_vertex});
  const uint64_t instances = uint64_t{draw.first_instance} + draw.instances;
  for (const json& i : v.value("inputs", json::array())) {
    const bool per_instance = i.value("rate", std::string()) == "instance";
    const uint64_t count = per_instance ? instances : elements;
    if (count == 0) return Wrong("no vertices");
    absl::StatusOr<VertexInput> input = ReadInput(i, count);
    if (!input.ok()) return input.status();
    draw.inputs.push_back(*std::move(input));
  }
  if (absl::Status s = MultiplyInstances(v, launch, draw); !s.ok()) return s;
  return draw;
}

// The dwords of some components of every run.
class Values {
 public:
  explicit Values(const VertexInputs& draw) : draw_(draw) {}

  // `places`: slot and component, in order.
  json Take(json output, const std::vector<std::pair<uint32_t, uint32_t>>& places) const {
    std::string bytes, written;
    for (uint32_t run = 0; run < draw_.Runs(); ++run) {
      for (const auto& [slot, component] : places) {
        const size_t at = draw_.At(run, slot, component);
        bytes.append(reinterpret_cast<const char*>(&draw_.entries[at]), 4);
        written += draw_.written[at] ? '1' : '0';
      }
    }
    output["components"] = places.size();
    output["bytes"] = bytes.size();
    output["hex"] = absl::BytesToHexString(bytes);
    output["written"] = written;
    return output;
  }

 private:
  const VertexInputs& draw_;
};

const char* NameOf(out::VueValue v) {
  switch (v) {
    case out::VueValue::kShadingRate:
      return "shading_rate";
    case out::VueValue::kLayer:
      return "layer";
    case out::VueValue::kViewport:
      return "viewport";
    case out::VueValue::kPointSize:
      return "point_size";
    case out::VueValue::kClipDistance:
      return "clip_distance";
    case out::VueValue::kCullDistance:
      return "cull_distance";
  }
  return "";
}

}  // namespace

absl::StatusOr<json> TakeVertices(std::string* job) {
  json parsed = json::parse(*job, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object() || !parsed.contains("vertices")) return json();
  json vertices = parsed["vertices"];
  parsed.erase("vertices");
  *job = parsed.dump();
  if (!vertices.is_object()) return Wrong("an object is needed");
  return vertices;
}

absl::StatusOr<VertexInputs> ReadVertices(const json& vertices, const out::VertexLaunch& launch) {
  try {
    return Read(vertices, launch);
  } catch (const std::exception& e) {
    return Wrong(e.what());
  }
}

json VertexOutputs(const VertexInputs& draw, const out::VertexLaunch& launch) {
  const Values values(draw);
  json outputs = json::array();
  std::vector<std::pair<uint32_t, uint32_t>> clip, cull;
  for (const out::VueSlot& s : launch.vue) {
    const std::vector<std::pair<uint32_t, uint32_t>> whole = {
        {s.slot, 0}, {s.slot, 1}, {s.slot, 2}, {s.slot, 3}};
    switch (s.what) {
      case out::VueContent::kHeader:
        for (const out::VuePart& p : s.parts) {
          if (!p.from_shader) continue;
          outputs.push_back(values.Take({{"builtin", NameOf(p.what)}}, {{s.slot, p.component}}));
        }
        break;
      case out::VueContent::kDistances:
        for (const out::VuePart& p : s.parts) {
          (p.what == out::VueValue::kClipDistance ? clip : cull).push_back({s.slot, p.component});
        }
        break;
      case out::VueContent::kPosition:
        outputs.push_back(values.Take({{"builtin", "position"}}, whole));
        break;
      case out::VueContent::kBuiltin:
        outputs.push_back(values.Take({{"builtin", s.builtin}}, whole));
        break;
      case out::VueContent::kLocation:
        outputs.push_back(values.Take({{"location", s.location}, {"component", 0}}, whole));
        break;
    }
  }
  if (!clip.empty()) outputs.push_back(values.Take({{"builtin", "clip_distance"}}, clip));
  if (!cull.empty()) outputs.push_back(values.Take({{"builtin", "cull_distance"}}, cull));
  return outputs;
}

}  // namespace kiln
