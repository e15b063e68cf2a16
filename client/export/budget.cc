// A budget from JSON: see budget.h.
#include "client/export/budget.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/flags.h"
#include "client/cli/paths.h"
#include "client/cli/stage_name.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

using Json = nlohmann::json;
using kiln::v1::Capabilities;
using StatisticInfo = Capabilities::StatisticInfo;

constexpr std::array<const char*, 9> kKeys = {"path",   "target", "stage", "entry", "name",
                                              "widths", "max",    "min",   "total"};
constexpr size_t kMaxRules = 100'000;

absl::Status Wrong(absl::string_view key, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", Quoted(std::string(key)), "\" ", what));
}

absl::Status CheckKeys(const Json& object, absl::Span<const char* const> known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& [key, value] : object.items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    return Wrong(key, absl::StrCat("is not a key here; the keys are ", absl::StrJoin(names, ", "),
                                   DidYouMean(key, names)));
  }
  return absl::OkStatus();
}

absl::Status GetString(const Json& rule, const char* key, std::string* to) {
  const auto it = rule.find(key);
  if (it == rule.end()) return absl::OkStatus();
  if (!it->is_string() || it->get_ref<const std::string&>().empty()) {
    return Wrong(key, "must be text that is not empty");
  }
  *to = it->get<std::string>();
  return absl::OkStatus();
}

absl::Status GetWidths(const Json& rule, std::vector<uint32_t>* to) {
  const auto it = rule.find("widths");
  if (it == rule.end()) return absl::OkStatus();
  if (!it->is_array() || it->empty()) return Wrong("widths", "must be a list of widths");
  for (const Json& width : *it) {
    if (width != 8 && width != 16 && width != 32 && width != 64) {
      return Wrong("widths", "must be a list of widths, each 8, 16, 32 or 64");
    }
    to->push_back(width.get<uint32_t>());
  }
  return absl::OkStatus();
}

// The statistics that rules can bound: those of one target, or of all.
class Statistics {
 public:
  Statistics(const Capabilities& capabilities, const std::string& target) {
    for (const auto& info : capabilities.targets()) {
      if (!target.empty() && info.name() != target) continue;
      for (const StatisticInfo& row : info.statistics()) {
        if (seen_.insert(row.name()).second) rows_.push_back(&row);
      }
    }
  }

  // `key`: "max", "min" or "total". Says why a rule cannot bound the statistic so.
  absl::Status Check(const std::string& name, const std::string& key) const {
    for (const StatisticInfo* row : rows_) {
      if (row->name() != name) continue;
      const bool most = key != "min";
      if (most && row->better() == StatisticInfo::HIGHER) {
        return Wrong(name,
                     absl::StrCat("is better higher; bound it by \"min\", not by \"", key, "\""));
      }
      if (!most && row->better() == StatisticInfo::LOWER) {
        return Wrong(name, "is better lower; bound it by \"max\", not by \"min\"");
      }
      return absl::OkStatus();
    }
    const std::vector<std::string> names(seen_.begin(), seen_.end());
    return Wrong(name, absl::StrCat("is not a statistic of the target; `kiln targets --statistics` "
                                    "lists them",
                                    DidYouMean(name, names)));
  }

 private:
  std::vector<const StatisticInfo*> rows_;
  std::set<std::string> seen_;
};

absl::Status GetBounds(const Json& rule, const char* key, const Statistics& statistics,
                       Bounds* to) {
  const auto it = rule.find(key);
  if (it == rule.end()) return absl::OkStatus();
  if (!it->is_object() || it->empty()) return Wrong(key, "must be an object of statistics");
  for (const auto& [name, bound] : it->items()) {
    if (absl::Status s = statistics.Check(name, key); !s.ok()) return s;
    if (!bound.is_number_unsigned() || bound.get<uint64_t>() > (uint64_t{1} << 62)) {
      return Wrong(name, "must be bounded by a whole number that is not negative");
    }
    to->emplace(name, bound.get<int64_t>());
  }
  return absl::OkStatus();
}

absl::Status CheckTarget(const std::string& target, const Capabilities& capabilities) {
  std::vector<std::string> names;
  for (const auto& info : capabilities.targets()) names.push_back(info.name());
  if (target.empty() || std::find(names.begin(), names.end(), target) != names.end()) {
    return absl::OkStatus();
  }
  return Wrong("target",
               absl::StrCat("is ", Quoted(target), ", which is no target; the targets are ",
                            absl::StrJoin(names, ", "), DidYouMean(target, names)));
}

absl::StatusOr<BudgetRule> ReadRule(const Json& json, const Capabilities& capabilities) {
  if (!json.is_object()) return absl::InvalidArgumentError("is not a JSON object");
  BudgetRule rule;
  for (absl::Status s :
       {CheckKeys(json, kKeys), GetString(json, "path", &rule.path),
        GetString(json, "target", &rule.target), GetString(json, "stage", &rule.stage),
        GetString(json, "entry", &rule.entry), GetString(json, "name", &rule.name),
        GetWidths(json, &rule.widths), CheckTarget(rule.target, capabilities)}) {
    if (!s.ok()) return s;
  }
  if (!rule.stage.empty()) {
    const std::string stage = StageFromName(rule.stage);
    if (stage.empty()) {
      return Wrong("stage", absl::StrCat("is ", Quoted(rule.stage),
                                         ", which is no stage; the stages are ", StageNames()));
    }
    rule.stage = stage;
  }
  rule.path = NormalPath(rule.path);
  if (rule.path == ".") rule.path.clear();
  const Statistics statistics(capabilities, rule.target);
  for (absl::Status s : {GetBounds(json, "max", statistics, &rule.max),
                         GetBounds(json, "min", statistics, &rule.min),
                         GetBounds(json, "total", statistics, &rule.total)}) {
    if (!s.ok()) return s;
  }
  if (rule.max.empty() && rule.min.empty() && rule.total.empty()) {
    return absl::InvalidArgumentError("bounds nothing; give it \"max\", \"min\" or \"total\"");
  }
  return rule;
}

// Parses the text. `repeated`: a key that an object has twice, for which the parser would keep the
// later value without a word.
Json Parse(absl::string_view text, std::string* repeated) {
  std::vector<std::set<std::string>> seen;
  const auto look = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) seen.emplace_back();
    if (event == Json::parse_event_t::object_end) seen.pop_back();
    if (event == Json::parse_event_t::key && repeated->empty() &&
        !seen.back().insert(parsed.get_ref<const std::string&>()).second) {
      *repeated = parsed.get<std::string>();
    }
    return true;
  };
  return Json::parse(text.begin(), text.end(), look, false);
}

}  // namespace

absl::StatusOr<Budget> ParseBudget(absl::string_view text, const Capabilities& capabilities) {
  std::string repeated;
  const Json json = Parse(text, &repeated);
  if (!json.is_object()) return absl::InvalidArgumentError("is not a JSON object");
  if (!repeated.empty()) return Wrong(repeated, "is given twice in an object; give each key once");
  if (absl::Status s = CheckKeys(json, {"rules"}); !s.ok()) return s;
  const auto rules = json.find("rules");
  if (rules == json.end() || !rules->is_array() || rules->empty()) {
    return absl::InvalidArgumentError("\"rules\" must be a list that is not empty");
  }
  if (rules->size() > kMaxRules) {
    return absl::InvalidArgumentError(absl::StrCat("\"rules\" has ", rules->size(),
                                                   " rules; at most ", kMaxRules, " are accepted"));
  }
  Budget budget;
  for (const auto& info : capabilities.targets()) {
    auto& declared = budget.declared[info.name()];
    for (const StatisticInfo& row : info.statistics()) declared[row.name()] = row.estimated();
  }
  for (const Json& rule : *rules) {
    absl::StatusOr<BudgetRule> read = ReadRule(rule, capabilities);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("rule ", budget.rules.size() + 1, ": ", read.status().message()));
    }
    budget.rules.push_back(*std::move(read));
  }
  return budget;
}

}  // namespace kiln::client
