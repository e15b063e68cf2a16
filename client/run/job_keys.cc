// See job_keys.h.
#include "client/run/job_keys.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/flags.h"
#include "client/run/job_data.h"
#include "core/base/utf8.h"

namespace kiln::client::run {
namespace {

using json = nlohmann::json;
using Int32 = std::numeric_limits<int32_t>;

bool IsInt32(const json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= uint32_t{Int32::max()};
  return value.is_number_integer() && value.get<int64_t>() >= Int32::min();
}

absl::Status Needed(absl::string_view place, absl::string_view what, const json& value) {
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": must be ", what, ", not ", Quoted(value.dump())));
}

// `what` names the object in messages.
absl::Status CheckValue(absl::string_view what, const Key& key, const json& value) {
  const std::string place = absl::StrCat(what, ": \"", key.name, "\"");
  const auto check = [&](bool good, absl::string_view needed) {
    return good ? absl::OkStatus() : Needed(place, needed, value);
  };
  switch (key.form) {
    case Form::kAny: return absl::OkStatus();
    case Form::kCount: return CheckCount(value, key.least, key.most, place);
    case Form::kText: return CheckText(value, place);
    case Form::kInt32:
      return check(IsInt32(value),
                   absl::StrCat("a whole number from ", Int32::min(), " to ", Int32::max()));
    case Form::kNumber: return check(value.is_number(), "a number");
    case Form::kBool: return check(value.is_boolean(), "true or false");
    case Form::kList: return check(value.is_array(), "a list");
    case Form::kObject: return check(value.is_object(), "an object");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckKeys(const json& object, absl::Span<const Key> keys, absl::string_view what) {
  if (!object.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is not a JSON object"));
  }
  for (const auto& [name, value] : object.items()) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&, &name = name](const Key& k) { return name == k.name; });
    if (key != keys.end()) {
      if (absl::Status s = CheckValue(what, *key, value); !s.ok()) return s;
      continue;
    }
    std::vector<std::string> names;
    for (const Key& k : keys) names.emplace_back(k.name);
    const std::string shown = Quoted(name);
    return absl::InvalidArgumentError(absl::StrCat(what, ": unknown key \"", shown,
                                                   "\"; there are ", absl::StrJoin(names, ", "),
                                                   DidYouMean(shown, names)));
  }
  return absl::OkStatus();
}

}  // namespace kiln::client::run
