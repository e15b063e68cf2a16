// See vertices.h.
#include "client/run/vertices.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/run/job_data.h"
#include "client/run/vertices_form.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using sim::scene::VertexInput;
using sim::scene::VertexInputs;
using sim::scene::VertexOutput;

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("vertices: ", what));
}

// Returns the values of a type of 32 bits.
absl::StatusOr<std::vector<uint32_t>> Bits(const char* type, const json& values) {
  const absl::StatusOr<std::string> bytes = DataBytes(json::object({{type, values}}), "", {});
  if (!bytes.ok()) return Wrong(std::string(bytes.status().message()));
  std::vector<uint32_t> bits(bytes->size() / sizeof(uint32_t));
  std::memcpy(bits.data(), bytes->data(), bits.size() * sizeof(uint32_t));
  return bits;
}

// Takes an input of which the draw takes `elements`. More elements may be given if "components"
// states how to count them.
absl::StatusOr<VertexInput> ReadInput(const json& in, uint64_t elements) {
  VertexInput input;
  input.location = in.value("location", 0u);
  input.per_instance = in.value("rate", std::string()) == "instance";
  const char* type = in.contains("f32") ? "f32" : in.contains("u32") ? "u32" : "i32";
  if (type[0] == 'f') input.missing_w = std::bit_cast<uint32_t>(1.0f);
  absl::StatusOr<std::vector<uint32_t>> bits = Bits(type, in[type]);
  if (!bits.ok()) return bits.status();
  input.bits = *std::move(bits);
  const uint64_t components = in.value("components", input.bits.size() / elements);
  if (components < 1 || components > 4 || input.bits.size() % components != 0 ||
      input.bits.size() / components < elements ||
      (!in.contains("components") && input.bits.size() % elements != 0)) {
    return Wrong(absl::StrCat("the input at location ", input.location, " has ", input.bits.size(),
                              " values of ", elements, " elements; give its \"components\""));
  }
  input.components = static_cast<uint32_t>(components);
  return input;
}

// Expands instances for multiview as a driver does: once per view.
absl::Status MultiplyInstances(const json& v, const out::VertexLaunch& launch, VertexInputs& draw) {
  if (v.value("view_mask", 0u) != launch.view_mask) {
    return Wrong(absl::StrCat("\"view_mask\" is not the program's, ", launch.view_mask));
  }
  draw.instances *= launch.instance_multiplier;
  for (VertexInput& input : draw.inputs) input.step = launch.instance_multiplier;
  return absl::OkStatus();
}

// Returns the dwords of an output of every run.
json ValuesOf(const VertexInputs& draw, const VertexOutput& output) {
  json result = output.builtin.empty() ? json{{"location", output.location}, {"component", 0}}
                                       : json{{"builtin", output.builtin}};
  std::string bytes, written;
  for (uint32_t run = 0; run < draw.Runs(); ++run) {
    for (const VertexOutput::Component& c : output.components) {
      const size_t at = draw.At(run, c.slot, c.component);
      bytes.append(reinterpret_cast<const char*>(&draw.entries[at]), 4);
      written += draw.written[at] ? '1' : '0';
    }
  }
  result["components"] = output.components.size();
  result["bytes"] = bytes.size();
  result["hex"] = absl::BytesToHexString(bytes);
  result["written"] = written;
  return result;
}

}  // namespace

absl::StatusOr<VertexInputs> ReadVertices(const json& v, const out::VertexLaunch& launch) {
  if (absl::Status s = CheckVerticesForm(v); !s.ok()) return s;
  VertexInputs draw;
  draw.instances = v.value("instances", 1u);
  draw.first_instance = v.value("first_instance", 0u);
  int64_t lowest = 0, elements = 0;  // the first one drawn, one more than the last one
  if (v.contains("indices")) {
    absl::StatusOr<std::vector<uint32_t>> indices = Bits("u32", v["indices"]);
    if (!indices.ok()) return indices.status();
    draw.indices = *std::move(indices);
    draw.count = static_cast<uint32_t>(draw.indices.size());
    draw.first_vertex = v.value("vertex_offset", 0);
    if (draw.indices.empty()) return Wrong("no indices");
    lowest = *std::min_element(draw.indices.begin(), draw.indices.end());
    elements = *std::max_element(draw.indices.begin(), draw.indices.end()) + int64_t{1};
  } else {
    draw.count = v.value("count", 0u);
    draw.first_vertex = v.value("first_vertex", 0);
    elements = draw.count;
  }
  lowest += draw.first_vertex;
  elements += draw.first_vertex;
  const uint64_t instances = uint64_t{draw.first_instance} + draw.instances;
  for (const json& i : v.value("inputs", json::array())) {
    const bool per_instance = i.value("rate", std::string()) == "instance";
    if (!per_instance && lowest < 0) return Wrong(absl::StrCat("there is no vertex ", lowest));
    const uint64_t count = per_instance ? instances : static_cast<uint64_t>(elements);
    absl::StatusOr<VertexInput> input = ReadInput(i, count);
    if (!input.ok()) return input.status();
    draw.inputs.push_back(*std::move(input));
  }
  if (absl::Status s = MultiplyInstances(v, launch, draw); !s.ok()) return s;
  return draw;
}

json VertexOutputs(const VertexInputs& draw) {
  json outputs = json::array();
  for (const VertexOutput& output : draw.outputs) outputs.push_back(ValuesOf(draw, output));
  return outputs;
}

}  // namespace kiln::client::run
