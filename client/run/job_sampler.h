// The sampler of a job, read into the sampler type of any implementation.
#ifndef KILN_CLIENT_RUN_JOB_SAMPLER_H_
#define KILN_CLIENT_RUN_JOB_SAMPLER_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"

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

// Reads all but the binding. A Sampler has fields of these names, and its enumerations these
// enumerators.
template <typename Sampler>
absl::Status TakeSampler(const nlohmann::json& r, Sampler* s) {
  using Address = decltype(s->address);
  using Border = decltype(s->border);
  using Compare = typename decltype(s->compare)::value_type;
  static const std::map<std::string, bool> kFilters = {{"nearest", false}, {"linear", true}};
  static const std::map<std::string, Address> kAddress = {{"clamp", Address::kClamp},
                                                          {"repeat", Address::kRepeat},
                                                          {"mirror", Address::kMirror},
                                                          {"border", Address::kBorder}};
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
  absl::Status status = Pick(r, "filter", "nearest", kFilters, &s->linear);
  if (status.ok()) status = Pick(r, "mipmap", "nearest", kFilters, &s->linear_mips);
  if (status.ok()) status = Pick(r, "address", "clamp", kAddress, &s->address);
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
