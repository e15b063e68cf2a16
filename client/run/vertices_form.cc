// See vertices_form.h.
#include "client/run/vertices_form.h"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "client/run/job_keys.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;

constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kMaxSigned = std::numeric_limits<int32_t>::max();

constexpr Key kVertexKeys[] = {
    {"count", Form::kCount, kMax, 1},
    {"first_vertex", Form::kCount, kMaxSigned},
    {"indices", Form::kList},
    {"vertex_offset", Form::kInt32},
    {"instances", Form::kCount, kMax, 1},
    {"first_instance", Form::kCount, kMax},
    {"view_mask", Form::kCount, kMax},
    {"inputs", Form::kList},
    {"as", Form::kObject},
    {"out", Form::kAny},
};
constexpr Key kInputKeys[] = {
    {"location", Form::kCount, kMax},
    {"rate", Form::kText},
    {"components", Form::kCount, 4, 1},
    {"f32", Form::kAny},
    {"u32", Form::kAny},
    {"i32", Form::kAny},
};

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("vertices: ", what));
}

// Checks that exactly one of these keys is given. `what` is the error if none is.
absl::Status CheckOneOf(const json& object, absl::Span<const char* const> keys,
                        const std::string& what) {
  const char* there = nullptr;
  for (const char* key : keys) {
    if (!object.contains(key)) continue;
    if (there != nullptr)
      return Wrong(absl::StrCat("\"", there, "\" and \"", key, "\" exclude each other"));
    there = key;
  }
  return there != nullptr ? absl::OkStatus() : Wrong(what);
}

absl::Status CheckInput(const json& input, size_t number) {
  const std::string what = absl::StrCat("input ", number);
  absl::Status keys = CheckKeys(input, kInputKeys, "vertices: " + what);
  if (!keys.ok()) return keys;
  const std::string rate = input.value("rate", "vertex");
  if (rate != "vertex" && rate != "instance") return Wrong("\"rate\" must be vertex or instance");
  return CheckOneOf(input, {"f32", "u32", "i32"}, what + " has no values");
}

}  // namespace

absl::Status CheckVerticesForm(const json& vertices) {
  if (absl::Status s = CheckKeys(vertices, kVertexKeys, "vertices"); !s.ok()) return s;
  absl::Status one =
      CheckOneOf(vertices, {"count", "indices"}, "\"count\" or \"indices\" is missing");
  if (!one.ok()) return one;
  const bool indexed = vertices.contains("indices");
  if (vertices.contains(indexed ? "first_vertex" : "vertex_offset")) {
    return Wrong(indexed
                     ? "\"first_vertex\" and \"indices\" exclude each other; use \"vertex_offset\""
                     : "\"vertex_offset\" needs \"indices\"");
  }
  std::set<uint32_t> locations;
  size_t number = 0;
  for (const json& input : vertices.value("inputs", json::array())) {
    if (absl::Status s = CheckInput(input, number++); !s.ok()) return s;
    const auto location = input.value("location", 0u);
    if (!locations.insert(location).second) {
      return Wrong(absl::StrCat("location ", location, " is given twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::client::run
