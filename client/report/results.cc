// Reading JSON lines: see results.h.
#include "client/report/results.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kiln::client::report {
namespace {

using Json = nlohmann::json;

// The longest accepted line: assembly and pass records of a large shader are a few megabytes.
constexpr size_t kMaxLineBytes = size_t{256} << 20;

std::string Text(const Json& line, const char* key) {
  auto it = line.find(key);
  return it != line.end() && it->is_string() ? it->get<std::string>() : std::string();
}

absl::Status ReadVariant(const Json& variant, absl::Span<const StatisticKind> kinds,
                         Result* result) {
  const std::string name = Text(variant, "name");
  if (name.empty()) return absl::InvalidArgumentError("a variant has no \"name\"");
  Numbers numbers;
  for (const StatisticKind& kind : kinds) {
    auto it = variant.find(kind.name);
    if (it == variant.end() || it->is_null()) {
      numbers.push_back(-1);
    } else if (!it->is_number_integer() || it->get<int64_t>() < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", kind.name, "\" of ", name, " is not a count"));
    } else {
      numbers.push_back(it->get<int64_t>());
    }
  }
  if (!result->variants.emplace(name, numbers).second) {
    return absl::InvalidArgumentError(absl::StrCat("variant ", name, " comes twice"));
  }
  return absl::OkStatus();
}

// Returns the text if it is a key of results: 64 digits of base 16.
std::string KeyText(const std::string& text) {
  constexpr size_t kDigits = 64;
  const bool is_key =
      text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_key ? text : "";
}

// Returns the set's line about the same result: the one with the same key, or the only one that may
// mean it.
std::map<ResultKey, Result>::iterator Earlier(ResultSet& set, const ResultKey& key) {
  auto same = set.results.find(key);
  if (same != set.results.end() || (key.SaysAll() && !set.vague)) return same;
  auto only = set.results.end();
  for (auto it = set.results.lower_bound({key.file, key.target});
       it != set.results.end() && it->first.file == key.file && it->first.target == key.target;
       ++it) {
    if (!it->first.MayBe(key)) continue;
    if (only != set.results.end()) return set.results.end();
    only = it;
  }
  return only;
}

// "A=1 B; 3=uint:64; subgroup 16": text, because it is only compared and shown.
Permutation PermutationOf(const Json& line) {
  Permutation permutation = {Text(line, "name"), ""};
  std::vector<std::string> parts;
  for (const char* key : {"defines", "spec"}) {
    auto list = line.find(key);
    if (list == line.end() || !list->is_array()) continue;
    std::vector<std::string> texts;
    for (const Json& element : *list) {
      if (element.is_string()) texts.push_back(element.get<std::string>());
    }
    if (!texts.empty()) parts.push_back(absl::StrJoin(texts, " "));
  }
  auto size = line.find("subgroup_size");
  if (size != line.end() && size->is_number_integer()) {
    parts.push_back(absl::StrCat("subgroup ", size->get<int64_t>()));
  }
  if (auto widths = line.find("widths"); widths != line.end() && widths->is_array()) {
    std::vector<std::string> numbers;
    for (const Json& width : *widths) {
      if (width.is_number_integer()) numbers.push_back(std::to_string(width.get<int64_t>()));
    }
    permutation.widths = absl::StrJoin(numbers, " ");
  }
  for (const auto& [key, words] : {std::pair("full_subgroups", "full subgroups"),
                                   std::pair("dispatch_base", "dispatch base")}) {
    if (line.value(key, Json()) == true) parts.push_back(words);
  }
  if (const std::string scan = Text(line, "scan"); !scan.empty()) {
    parts.push_back(absl::StrCat("scan ", scan));
  }
  auto group = line.find("ngg_group");
  if (group != line.end() && group->is_number_integer()) {
    parts.push_back(absl::StrCat("workgroups of ", group->get<int64_t>()));
  }
  if (auto state = line.find("state"); state != line.end() && state->is_object()) {
    parts.push_back(state->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (const std::string pair = Text(line, "pair"); !pair.empty()) {
    parts.push_back(absl::StrCat("with ", pair));
  }
  permutation.options = absl::StrJoin(parts, "; ");
  return permutation;
}

absl::Status ReadLine(const std::string& text, absl::Span<const StatisticKind> kinds,
                      ResultSet* set) {
  const Json line = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object()) return absl::InvalidArgumentError("the line is not a JSON object");
  ResultKey key = {Text(line, "file"), Text(line, "target"), Text(line, "entry"),
                   Text(line, "stage")};
  if (key.entry.empty()) key.entry = Text(line, "entry_point");
  if (line.contains("version")) key.permutation = PermutationOf(line);
  Result result;
  result.status = Text(line, "status");
  result.cause = Text(line, "cause");
  result.key = KeyText(Text(line, "key"));
  if (key.file.empty() || key.target.empty() || result.status.empty()) {
    return absl::InvalidArgumentError(
        "\"file\", \"target\" or \"status\" is missing: is this a file that kiln batch --jsonl "
        "wrote?");
  }
  auto compile_ms = line.find("compile_ms");
  if (compile_ms != line.end() && compile_ms->is_number() && compile_ms->get<double>() >= 0) {
    result.compile_us = std::llround(std::min(compile_ms->get<double>(), 1e12) * 1000);
  }
  auto variants = line.find("variants");
  if (variants != line.end()) {
    if (!variants->is_array()) return absl::InvalidArgumentError("\"variants\" is not an array");
    for (const Json& variant : *variants) {
      if (!variant.is_object()) return absl::InvalidArgumentError("a variant is not an object");
      if (absl::Status s = ReadVariant(variant, kinds, &result); !s.ok()) return s;
    }
  }
  if (auto earlier = Earlier(*set, key); earlier != set->results.end()) {
    set->results.erase(earlier);
    ++set->repeated;
  }
  set->vague |= !key.SaysAll();
  set->results.emplace(std::move(key), std::move(result));
  return absl::OkStatus();
}

}  // namespace

bool ResultKey::MayBeSameModule(const ResultKey& other) const {
  auto agree = [](const std::string& a, const std::string& b) {
    return a == b || a.empty() || b.empty();
  };
  return file == other.file && target == other.target && agree(entry, other.entry) &&
         agree(stage, other.stage);
}

bool ResultKey::MayBe(const ResultKey& other) const {
  return MayBeSameModule(other) && (!permutation.has_value() || !other.permutation.has_value() ||
                                    *permutation == *other.permutation);
}

absl::StatusOr<ResultSet> ReadResults(std::istream& in, absl::string_view name,
                                      absl::Span<const StatisticKind> kinds) {
  ResultSet set;
  std::string text;
  for (int64_t number = 1; std::getline(in, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    absl::Status s = text.size() > kMaxLineBytes
                         ? absl::InvalidArgumentError("the line is longer than 256 MiB")
                         : ReadLine(text, kinds, &set);
    if (!s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ":", number, ": ", s.message()));
    }
  }
  if (in.bad()) return absl::InternalError(absl::StrCat(name, ": cannot be read completely"));
  if (set.results.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": has no results"));
  }
  return set;
}

}  // namespace kiln::client::report
