// Failures as SARIF: see sarif.h.
#include "client/export/sarif.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/cli/paths.h"
#include "client/output/reason.h"
#include "client/output/result_json.h"
#include "core/base/version.h"

namespace kiln::client {
namespace {

using Json = nlohmann::ordered_json;
using kiln::v1::Reason;
using kiln::v1::TargetResult;

constexpr char kOverBudget[] = "over_budget";
// Targets and permutations that a result names; occurrenceCount counts all.
constexpr size_t kMaxSubjects = 20;

// The part of an error that is the same for several occurrences.
using Error = std::tuple<size_t /*rule*/, Diagnostic>;
struct BySourcePosition {
  bool operator()(const Error& a, const Error& b) const {
    const auto key = [](const Error& e) {
      const Diagnostic& d = std::get<1>(e);
      return std::tie(std::get<0>(e), d.path, d.line, d.column, d.end_column, d.text);
    };
    return key(a) < key(b);
  }
};

struct Occurrences {
  int64_t count = 0;
  std::set<std::string> targets;
  std::vector<std::string> subjects;
};

class Run {
 public:
  void Add(const ExportedResult& exported) {
    const TargetResult& result = exported.result;
    if (result.status() == TargetResult::OK) return;
    const size_t rule = RuleOf(result.cause(), CompleteReason(result));
    for (const Diagnostic& d : exported.diagnostics) AddError({rule, d}, exported);
  }

  void Add(const Overrun& overrun, const std::vector<ExportedResult>& results) {
    Reason reason;
    reason.set_sentence("A statistic is not within the bound that the budget has for it.");
    reason.set_remedy("Change the shader, or the rule of the budget that the message names.");
    Diagnostic d;
    d.text = absl::StrCat(OverrunText(overrun), " (rule ", overrun.rule + 1, ")");
    const size_t rule = RuleOf(kOverBudget, reason);
    if (overrun.result.has_value()) {
      const ExportedResult& exported = results[*overrun.result];
      d.path = exported.read.empty() ? exported.file : exported.read[0].path;
      AddError({rule, d}, exported);
    } else {
      AddError({rule, d}, {});
    }
  }

  Json ToJson(ExitCode code) const {
    Json results = Json::array();
    for (const auto& [error, occurrences] : errors_in_order_) {
      results.push_back(ResultOf(*error, *occurrences));
    }
    const bool complete = code == kExitOk || code == kExitSomeFailed;
    return {{"tool", {{"driver", {{"name", "kiln"}, {"version", kVersion}, {"rules", rules_}}}}},
            {"invocations", {{{"executionSuccessful", complete}, {"exitCode", int{code}}}}},
            {"columnKind", "unicodeCodePoints"},
            {"results", std::move(results)}};
  }

 private:
  size_t RuleOf(const std::string& cause, const Reason& reason) {
    const std::string id = cause.empty() ? "unknown" : ValidUtf8(cause);
    const auto [it, is_new] = rule_numbers_.emplace(id, rules_.size());
    if (!is_new) return it->second;
    Json rule = {{"id", id}};
    const std::string sentence = reason.sentence().empty()
                                     ? absl::StrJoin(absl::StrSplit(id, '_'), " ") + "."
                                     : reason.sentence();
    rule["shortDescription"] = {{"text", sentence}};
    rule["fullDescription"] = {{"text", sentence}};
    if (!reason.remedy().empty()) rule["help"] = {{"text", reason.remedy()}};
    rules_.push_back(std::move(rule));
    return it->second;
  }

  void AddError(const Error& error, const ExportedResult& exported) {
    const auto [it, is_new] = errors_.try_emplace(error);
    Occurrences& occurrences = it->second;
    if (is_new) errors_in_order_.emplace_back(&it->first, &occurrences);
    ++occurrences.count;
    if (!exported.result.target().empty()) occurrences.targets.insert(exported.result.target());
    const std::string subject = SubjectText(exported);
    if (!subject.empty() && occurrences.subjects.size() < kMaxSubjects &&
        (occurrences.subjects.empty() || occurrences.subjects.back() != subject)) {
      occurrences.subjects.push_back(subject);
    }
  }

  Json ResultOf(const Error& error, const Occurrences& occurrences) const {
    const auto& [rule, d] = error;
    Json result = {{"ruleId", rules_[rule]["id"]},
                   {"ruleIndex", rule},
                   {"level", "error"},
                   {"message", {{"text", d.text}}}};
    if (!d.path.empty()) {
      Json place = {{"artifactLocation", {{"uri", UriOf(d.path)}}}};
      if (d.line != 0) {
        Json region = {{"startLine", d.line}};
        if (d.column != 0) region["startColumn"] = d.column;
        if (d.end_column != 0) region["endColumn"] = d.end_column;
        place["region"] = std::move(region);
      }
      result["locations"] = Json::array({{{"physicalLocation", std::move(place)}}});
    }
    result["occurrenceCount"] = occurrences.count;
    result["properties"] = {{"targets", occurrences.targets}, {"subjects", occurrences.subjects}};
    return result;
  }

  Json rules_ = Json::array();
  std::map<std::string, size_t> rule_numbers_;
  std::map<Error, Occurrences, BySourcePosition> errors_;
  std::vector<std::pair<const Error*, const Occurrences*>> errors_in_order_;
};

}  // namespace

std::string UriOf(absl::string_view path) {
  std::string uri = IsAbsolute(path) ? "file://" : "";
  for (const char c : path) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                       absl::string_view("-._~/").find(c) != absl::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      absl::StrAppendFormat(&uri, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

std::string SarifText(const std::vector<ExportedResult>& results,
                      const std::vector<Overrun>& overruns, ExitCode code) {
  Run run;
  for (const ExportedResult& result : results) run.Add(result);
  for (const Overrun& overrun : overruns) run.Add(overrun, results);
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run.ToJson(code)})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kiln::client
