#include "client/run/job_sampler.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/flags.h"
#include "core/base/utf8.h"

namespace kiln::client::run {

absl::Status IsNoneOf(const char* key, const std::string& value,
                      const std::vector<std::string>& known) {
  const std::string shown = Quoted(value);
  return absl::InvalidArgumentError(absl::StrCat("\"", key, "\": \"", shown, "\" is not one of ",
                                                 absl::StrJoin(known, ", "),
                                                 DidYouMean(shown, known)));
}

absl::StatusOr<std::array<std::string, 3>> AddressNames(const nlohmann::json& r) {
  const nlohmann::json given = r.value("address", nlohmann::json("clamp"));
  const nlohmann::json list = given.is_array() ? given : nlohmann::json::array({given});
  bool good = !list.empty() && list.size() <= 3;
  for (const nlohmann::json& name : list) good = good && name.is_string();
  if (!good) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"address\": must be a mode, or a list of the modes of u, v and w, not ",
                     Quoted(given.dump())));
  }
  std::array<std::string, 3> names;
  for (size_t k = 0; k < names.size(); ++k) {
    names[k] = list[std::min(k, list.size() - 1)].get<std::string>();
  }
  return names;
}

}  // namespace kiln::client::run
