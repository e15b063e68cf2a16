// See vertices.h.
#include "tests/diff/vertices.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/mir/build.h"

namespace kiln::diff {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Type;
using nlohmann::json;

constexpr uint32_t kMax = 1u << 16;  // invocations of the interpreter

// The attributes of a location, by vertex or by instance.
struct Attribute {
  uint32_t location = 0;
  bool per_instance = false;
  std::vector<uint32_t> bits;
  uint32_t components = 0;
};

class Vertices {
 public:
  Vertices(const mir::Module& module, const json& draw) : m_(module), draw_(draw) {}

  absl::Status Read();
  absl::Status Fill(oracle::StageData* stage) const;
  json Outputs(const oracle::StageData& stage) const;

 private:
  absl::Status ReadAttribute(const json& given);
  uint32_t Invocations() const {
    return static_cast<uint32_t>(numbers_.size()) * instances_ * Views();
  }
  uint32_t Views() const { return static_cast<uint32_t>(views_.size()); }
  absl::Status FillInput(const Interface& v, std::vector<uint64_t>* values) const;
  const Attribute* AttributeAt(uint32_t location) const;
  absl::Status BuiltInValue(BuiltIn builtin, uint32_t vertex, uint32_t instance, uint32_t view,
                            uint64_t* value) const;

  const mir::Module& m_;
  const json& draw_;
  std::vector<uint32_t> numbers_;  // VertexIndex of each vertex
  uint32_t base_vertex_ = 0;
  uint32_t instances_ = 1, first_instance_ = 0;
  std::vector<uint32_t> views_ = {0};
  std::vector<Attribute> attributes_;
};

absl::Status Vertices::Read() {
  instances_ = draw_.value("instances", 1u);
  first_instance_ = draw_.value("first_instance", 0u);
  if (const uint32_t mask = draw_.value("view_mask", 0u); mask != 0) {
    views_.clear();
    for (uint32_t view = 0; view < 32; ++view) {
      if ((mask >> view & 1) != 0) views_.push_back(view);
    }
  }
  if (draw_.contains("indices")) {
    base_vertex_ = static_cast<uint32_t>(draw_.value("vertex_offset", 0));
    for (const json& index : draw_["indices"]) {
      numbers_.push_back(index.get<uint32_t>() + base_vertex_);
    }
  } else {
    base_vertex_ = draw_.value("first_vertex", 0u);
    const uint32_t count = draw_.at("count").get<uint32_t>();
    for (uint32_t i = 0; i < std::min(count, kMax + 1); ++i) numbers_.push_back(base_vertex_ + i);
  }
  if (numbers_.empty() || instances_ == 0 ||
      uint64_t{instances_} * views_.size() * numbers_.size() > kMax) {
    return absl::InvalidArgumentError("vertices: none of them, or too many");
  }
  for (const json& given : draw_.value("inputs", json::array())) {
    if (absl::Status s = ReadAttribute(given); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// The list does not state the number of components: it is the list's length / the number of rows
// read.
absl::Status Vertices::ReadAttribute(const json& given) {
  Attribute a;
  a.location = given.value("location", 0u);
  a.per_instance = given.value("rate", std::string("vertex")) == "instance";
  for (const char* type : {"f32", "i32", "u32"}) {
    if (!given.contains(type)) continue;
    for (const json& x : given[type]) {
      a.bits.push_back(type[0] == 'f' ? std::bit_cast<uint32_t>(x.get<float>())
                                      : static_cast<uint32_t>(x.get<int64_t>()));
    }
  }
  const size_t read = a.per_instance
                          ? size_t{first_instance_} + instances_
                          : size_t{*std::max_element(numbers_.begin(), numbers_.end())} + 1;
  a.components = static_cast<uint32_t>(a.bits.size() / read);
  if (a.bits.size() != read * a.components || a.components < 1 || a.components > 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("vertices: ", a.bits.size(), " values at location ", a.location));
  }
  attributes_.push_back(std::move(a));
  return absl::OkStatus();
}

const Attribute* Vertices::AttributeAt(uint32_t location) const {
  const auto it = std::find_if(attributes_.begin(), attributes_.end(),
                               [&](const Attribute& a) { return a.location == location; });
  return it == attributes_.end() ? nullptr : &*it;
}

absl::Status Vertices::BuiltInValue(BuiltIn builtin, uint32_t vertex, uint32_t instance,
                                    uint32_t view, uint64_t* value) const {
  switch (builtin) {
    case BuiltIn::kVertexIndex: *value = numbers_[vertex]; break;
    case BuiltIn::kInstanceIndex: *value = first_instance_ + instance; break;
    case BuiltIn::kBaseVertex: *value = base_vertex_; break;
    case BuiltIn::kBaseInstance: *value = first_instance_; break;
    case BuiltIn::kDrawIndex: *value = 0; break;
    case BuiltIn::kViewIndex: *value = view; break;
    default: return absl::UnimplementedError("vertices: a built-in that they have not");
  }
  return absl::OkStatus();
}

absl::Status Vertices::FillInput(const Interface& v, std::vector<uint64_t>* values) const {
  const auto count = static_cast<uint32_t>(numbers_.size());
  const uint32_t invocations = Invocations();
  values->resize(size_t{v.elements} * v.components * invocations);
  if (v.builtin == BuiltIn::kNone && BitsOf(v.type) != 32) {
    return absl::UnimplementedError("vertices: an attribute of another width than 32 bits");
  }
  size_t at = 0;
  for (uint32_t place = 0; place < v.elements * v.components; ++place) {
    const uint32_t component = v.component + place % v.components;
    const Attribute* a = AttributeAt(v.location + place / v.components);
    if (v.builtin == BuiltIn::kNone && (a == nullptr || component >= a->components)) {
      return absl::InvalidArgumentError(
          absl::StrCat("vertices: nothing at location ", v.location + place / v.components));
    }
    for (uint32_t i = 0; i < invocations; ++i, ++at) {
      const uint32_t vertex = i % count, instance = i / count / Views();
      if (v.builtin != BuiltIn::kNone) {
        const uint32_t view = views_[i / count % Views()];
        absl::Status s = BuiltInValue(v.builtin, vertex, instance, view, &(*values)[at]);
        if (!s.ok()) return s;
        continue;
      }
      const size_t row = a->per_instance ? first_instance_ + instance : numbers_[vertex];
      (*values)[at] = a->bits[row * a->components + component];
    }
  }
  return absl::OkStatus();
}

absl::Status Vertices::Fill(oracle::StageData* stage) const {
  stage->invocations = Invocations();
  for (const Interface& v : m_.inputs) {
    stage->inputs.emplace_back();
    if (absl::Status s = FillInput(v, &stage->inputs.back()); !s.ok()) return s;
  }
  for (const Interface& v : m_.outputs) {
    if (BitsOf(v.type) != 32) {
      return absl::UnimplementedError("vertices: an output of another width than 32 bits");
    }
  }
  return absl::OkStatus();
}

const char* OutputName(BuiltIn builtin) {
  switch (builtin) {
    case BuiltIn::kPosition: return "position";
    case BuiltIn::kPointSize: return "point_size";
    case BuiltIn::kClipDistance: return "clip_distance";
    case BuiltIn::kCullDistance: return "cull_distance";
    case BuiltIn::kLayer: return "layer";
    case BuiltIn::kViewportIndex: return "viewport";
    default: return "";
  }
}

// Leaves out scalars that are never stored: they are undefined. A dynamic index may name any
// element.
json Vertices::Outputs(const oracle::StageData& stage) const {
  std::set<std::pair<uint32_t, uint32_t>> stored;  // output, index of the scalar in it
  mir::ForEachInst(m_, m_.body, [&](mir::InstId id) {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op != mir::Op::kStoreOutput) return;
    const Interface& v = m_.outputs[inst.imm0];
    const int addresses = v.array ? 1 : 0;
    const bool known = v.array && m_.IsConstant(m_.source(id, 0));
    for (uint32_t e = 0; e < v.elements; ++e) {
      if (known && m_.value(m_.source(id, 0)).bits != e) continue;
      for (int i = addresses; i < inst.num_sources; ++i) {
        stored.insert(
            {inst.imm0, e * v.components + inst.imm1 + static_cast<uint32_t>(i - addresses)});
      }
    }
  });
  json outputs = json::array();
  for (const auto& [output, place] : stored) {
    const Interface& v = m_.outputs[output];
    std::vector<uint32_t> dwords;
    for (uint32_t i = 0; i < Invocations(); ++i) {
      dwords.push_back(
          static_cast<uint32_t>(stage.outputs[output][size_t{place} * Invocations() + i]));
    }
    json one = {
        {"component", v.builtin != BuiltIn::kNone ? place : v.component + place % v.components},
        {"type", v.type == Type::kF32 ? "f32" : "u32"},
        {"hex", absl::BytesToHexString(absl::string_view(
                    reinterpret_cast<const char*>(dwords.data()), dwords.size() * 4))}};
    if (v.builtin != BuiltIn::kNone) {
      one["builtin"] = OutputName(v.builtin);
    } else {
      one["location"] = v.location + place / v.components;
    }
    outputs.push_back(std::move(one));
  }
  return outputs;
}

}  // namespace

absl::StatusOr<RanVertices> RunVertices(const mir::Module& module, const json& vertices,
                                        oracle::LaunchInputs& inputs,
                                        const oracle::InterpLimits& limits) {
  Vertices run(module, vertices);
  try {
    if (absl::Status s = run.Read(); !s.ok()) return s;
  } catch (const json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("vertices: ", e.what()));
  }
  if (absl::Status s = run.Fill(&inputs.stage); !s.ok()) return s;
  const absl::StatusOr<oracle::InterpStatistics> ran = oracle::Interpret(module, inputs, limits);
  if (!ran.ok()) return ran.status();
  return RanVertices{run.Outputs(inputs.stage), *ran};
}

}  // namespace kiln::diff
