// The sampler of a job, read into the sampler type of any implementation.
#ifndef KILN_CLIENT_RUN_JOB_SAMPLER_H_
#define KILN_CLIENT_RUN_JOB_SAMPLER_H_

#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kiln::client::run {

// Returns InvalidArgument: "key": "value" is none of those known.
absl::Status IsNoneOf(const char* key, const std::string& value,
                      const std::vector<std::string>& known);

// Sets the meaning of a word, or of `fallback` if the key is absent.
template <typename T>
absl::Status Pick(const nlohmann::json& r, const char* key, const std::string& fallback,
                  const std::map<std::string, T>& known, T* value) {
  const std::string name = r.value(key, fallback);
  if (const auto at = known.find(name); at != known.end()) {
    *value = at->second;
    return absl::OkStatus();
  }
  std::vector<std::string> names;
  for (const auto& [known_name, meaning] : known) names.push_back(known_name);
  return IsNoneOf(key, name, names);
}

// Returns the names of the modes of u, v and w: one text, or a list of up to three whose last one
// counts for the others. InvalidArgument: another form.
absl::StatusOr<std::array<std::string, 3>> AddressNames(const nlohmann::json& r);

// Reads the filters within a level, `min_filter` by default as `filter`. A Sampler has either
// `mag_linear` and `min_linear`, or `linear`, for which both must be the same.
template <typename Sampler>
absl::Status TakeFilters(const nlohmann::json& r, Sampler* s) {
  static const std::map<std::string, bool> kFilters = {{"nearest", false}, {"linear", true}};
  bool mag = false, min = false;
  absl::Status status = Pick(r, "filter", "nearest", kFilters, &mag);
  if (status.ok()) {
    status = Pick(r, "min_filter", r.value("filter", "nearest"), kFilters, &min);
  }
  if (!status.ok()) return status;
  if constexpr (requires { s->mag_linear; }) {
    s->mag_linear = mag;
    s->min_linear = min;
    return absl::OkStatus();
  } else {
    s->linear = mag;
    if (mag == min) return absl::OkStatus();
    return absl::InvalidArgumentError("\"min_filter\" must be the same as \"filter\" here");
  }
}

// Reads the address modes. A Sampler's `address` is one mode of all coordinates, or three.
template <typename Sampler>
absl::Status TakeAddress(const nlohmann::json& r, Sampler* s) {
  constexpr bool kEach = requires { s->address[0]; };
  const absl::StatusOr<std::array<std::string, 3>> names = AddressNames(r);
  if (!names.ok()) return names.status();
  const auto take = [](const std::string& name, auto* mode) {
    using Address = std::remove_pointer_t<decltype(mode)>;
    std::map<std::string, Address> known = {{"clamp", Address::kClamp},
                                            {"repeat", Address::kRepeat},
                                            {"mirror", Address::kMirror},
                                            {"border", Address::kBorder}};
    if constexpr (requires { Address::kMirrorClamp; }) {
      known.emplace("mirror_clamp", Address::kMirrorClamp);
    }
    return Pick({{"address", name}}, "address", "clamp", known, mode);
  };
  if constexpr (kEach) {
    for (size_t k = 0; k < 3; ++k) {
      if (absl::Status status = take((*names)[k], &s->address[k]); !status.ok()) return status;
    }
    return absl::OkStatus();
  } else {
    if ((*names)[0] == (*names)[1] && (*names)[0] == (*names)[2]) {
      return take((*names)[0], &s->address);
    }
    return absl::InvalidArgumentError("\"address\" must be one mode here");
  }
}

// Reads all but the binding. A Sampler has fields of these names, and its enumerations these
// enumerators.
template <typename Sampler>
absl::Status TakeSampler(const nlohmann::json& r, Sampler* s) {
  using Border = decltype(s->border);
  using Compare = typename decltype(s->compare)::value_type;
  static const std::map<std::string, bool> kFilters = {{"nearest", false}, {"linear", true}};
  static const std::map<std::string, Border> kBorders = {
      {"transparent", Border::kTransparent}, {"black", Border::kBlack}, {"white", Border::kWhite}};
  static const std::map<std::string, Compare> kCompares = {
      {"never", Compare::kNever},
      {"less", Compare::kLess},
      {"equal", Compare::kEqual},
      {"less_equal", Compare::kLessEqual},
      {"greater", Compare::kGreater},
      {"not_equal", Compare::kNotEqual},
      {"greater_equal", Compare::kGreaterEqual},
      {"always", Compare::kAlways}};
  absl::Status status = TakeFilters(r, s);
  if (status.ok()) status = Pick(r, "mipmap", "nearest", kFilters, &s->linear_mips);
  if (status.ok()) status = TakeAddress(r, s);
  if (status.ok()) status = Pick(r, "border", "transparent", kBorders, &s->border);
  if (status.ok() && r.contains("compare")) {
    Compare f = Compare::kAlways;
    status = Pick(r, "compare", "always", kCompares, &f);
    s->compare = f;
  }
  if (!status.ok()) return status;
  s->min_lod = r.value("min_lod", 0.0f);
  s->max_lod = r.value("max_lod", 1000.0f);
  s->lod_bias = r.value("lod_bias", 0.0f);
  s->unnormalized = r.value("unnormalized", false);
  return absl::OkStatus();
}

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_JOB_SAMPLER_H_
