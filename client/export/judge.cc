// Results beside a budget: see judge.h.
#include "client/export/judge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/output/text_table.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using kiln::v1::Variant;

// Returns the variant's figure; nullopt: it has none, or an estimate of 0, for which there is no
// model.
std::optional<int64_t> FigureOf(const Variant& variant, const std::string& name, bool estimated) {
  for (const NamedValue& value : ReadStatistics(variant)) {
    if (value.name != name) continue;
    if (estimated && value.value == 0) return std::nullopt;
    return value.value;
  }
  return std::nullopt;
}

class Judging {
 public:
  Judging(const Budget& budget, const std::vector<ExportedResult>& results)
      : budget_(budget), results_(results), used_(budget.rules.size()), totals_(used_.size()) {
    for (size_t i = 0; i < budget.rules.size(); ++i) by_path_[budget.rules[i].path].push_back(i);
  }

  Verdict Run() {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].result.status() == TargetResult::OK) JudgeResult(i);
    }
    for (size_t rule = 0; rule < used_.size(); ++rule) {
      if (!used_[rule]) verdict_.unused.push_back(rule);
      JudgeTotals(rule);
    }
    return std::move(verdict_);
  }

 private:
  struct Bound {
    size_t rule;
    int64_t value;
  };
  struct Total {
    int64_t sum = 0;
    bool unknown = false;  // of some variant
  };

  // Returns the rules that the result fits, in their order. Takes a look-up for each folder that
  // the file is in, however many rules there are.
  std::vector<size_t> RulesOf(const ExportedResult& result) const {
    std::vector<size_t> rules;
    const auto add = [&](const std::string& path) {
      const auto found = by_path_.find(path);
      if (found == by_path_.end()) return;
      for (const size_t rule : found->second) {
        if (Fits(budget_.rules[rule], result)) rules.push_back(rule);
      }
    };
    const std::string file = NormalPath(result.file);
    add("");
    for (size_t end = file.find_first_of("/:"); end != std::string::npos;
         end = file.find_first_of("/:", end + 1)) {
      // A capture's name is a folder: "base.foz:graphics/HASH".
      const bool folder = file[end] == '/' || absl::EndsWith(file.substr(0, end), ".foz");
      if (end != 0 && folder) add(file.substr(0, end));
    }
    add(file);
    std::sort(rules.begin(), rules.end());
    return rules;
  }

  static bool Fits(const BudgetRule& rule, const ExportedResult& result) {
    const auto fits = [](const std::string& wanted, const std::string& has) {
      return wanted.empty() || wanted == has;
    };
    return fits(rule.target, result.result.target()) && fits(rule.stage, result.result.stage()) &&
           fits(rule.entry, result.result.entry_point()) && fits(rule.name, result.identity.name);
  }

  bool Declares(const std::string& target, const std::string& statistic) const {
    const auto found = budget_.declared.find(target);
    return found != budget_.declared.end() && found->second.count(statistic) != 0;
  }

  std::optional<int64_t> Figure(const std::string& target, const Variant& variant,
                                const std::string& statistic) const {
    return FigureOf(variant, statistic, budget_.declared.at(target).at(statistic));
  }

  void JudgeResult(size_t index) {
    const TargetResult& result = results_[index].result;
    const std::vector<size_t> rules = RulesOf(results_[index]);
    for (const size_t rule : rules) used_[rule] = true;
    for (const Variant& variant : result.variants()) {
      std::map<std::string, Bound> max, min;
      bool bounded = false;
      for (const size_t number : rules) {
        const BudgetRule& rule = budget_.rules[number];
        if (!rule.widths.empty() && std::find(rule.widths.begin(), rule.widths.end(),
                                              variant.width()) == rule.widths.end()) {
          continue;
        }
        for (const auto& [name, value] : rule.max) max.insert_or_assign(name, Bound{number, value});
        for (const auto& [name, value] : rule.min) min.insert_or_assign(name, Bound{number, value});
        AddToTotals(number, result.target(), variant);
        bounded = true;
      }
      verdict_.judged += bounded ? 1 : 0;
      JudgeVariant(index, variant, max, false);
      JudgeVariant(index, variant, min, true);
    }
  }

  void JudgeVariant(size_t index, const Variant& variant,
                    const std::map<std::string, Bound>& bounds, bool least) {
    const std::string& target = results_[index].result.target();
    for (const auto& [name, bound] : bounds) {
      if (!Declares(target, name)) continue;
      const std::optional<int64_t> value = Figure(target, variant, name);
      const bool holds =
          value.has_value() && (least ? *value >= bound.value : *value <= bound.value);
      if (holds) continue;
      verdict_.overruns.push_back(
          {bound.rule, index, target, variant.name(), name, value, bound.value, least});
    }
  }

  void AddToTotals(size_t rule, const std::string& target, const Variant& variant) {
    for (const auto& [name, bound] : budget_.rules[rule].total) {
      if (!Declares(target, name)) continue;
      Total& total = totals_[rule][name];
      const std::optional<int64_t> value = Figure(target, variant, name);
      total.unknown |= !value.has_value();
      if (__builtin_add_overflow(total.sum, value.value_or(0), &total.sum)) total.unknown = true;
    }
  }

  void JudgeTotals(size_t number) {
    for (const auto& [name, total] : totals_[number]) {
      const BudgetRule& rule = budget_.rules[number];
      const int64_t bound = rule.total.at(name);
      if (!total.unknown && total.sum <= bound) continue;
      const auto value = total.unknown ? std::nullopt : std::optional<int64_t>(total.sum);
      verdict_.overruns.push_back(
          {number, std::nullopt, rule.target, "", name, value, bound, false});
    }
  }

  const Budget& budget_;
  const std::vector<ExportedResult>& results_;
  std::map<std::string, std::vector<size_t>> by_path_;
  std::vector<bool> used_;
  std::vector<std::map<std::string, Total>> totals_;  // by rule and statistic
  Verdict verdict_;
};

std::string ValueText(const Overrun& overrun) {
  return overrun.value.has_value() ? absl::StrCat(*overrun.value) : "unknown";
}

// Returns "+20.0%", the distance from the bound.
std::string OverText(const Overrun& overrun) {
  if (!overrun.value.has_value()) return "-";
  const int64_t over = *overrun.value - overrun.bound;
  if (overrun.bound == 0) return absl::StrFormat("%+d", over);
  return absl::StrFormat("%+.1f%%",
                         100.0 * static_cast<double>(over) / static_cast<double>(overrun.bound));
}

std::string RuleText(const BudgetRule& rule) {
  std::vector<std::string> parts;
  for (const std::string& part : {rule.path, rule.target, rule.stage, rule.entry, rule.name}) {
    if (!part.empty()) parts.push_back(Printable(part));
  }
  return parts.empty() ? "all" : absl::StrJoin(parts, ", ");
}

}  // namespace

Verdict Judge(const Budget& budget, const std::vector<ExportedResult>& results) {
  return Judging(budget, results).Run();
}

std::string VerdictText(const Verdict& verdict, const Budget& budget,
                        const std::vector<ExportedResult>& results, const std::string& file) {
  std::string text;
  if (!verdict.overruns.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"over budget", "target", "variant", "statistic", "value", "bound", "over", "rule"}};
    for (const Overrun& o : verdict.overruns) {
      std::string what = absl::StrCat("total of ", RuleText(budget.rules[o.rule]));
      if (o.result.has_value()) {
        const ExportedResult& result = results[*o.result];
        what = absl::StrCat(Printable(result.file), " (", SubjectText(result), ")");
      }
      rows.push_back({what, o.target.empty() ? "-" : Printable(o.target),
                      o.variant.empty() ? "-" : Printable(o.variant), o.statistic, ValueText(o),
                      absl::StrCat(o.least ? ">= " : "<= ", o.bound), OverText(o),
                      absl::StrCat(o.rule + 1)});
    }
    text = absl::StrCat(Printable(file), ": ", verdict.overruns.size(), " over budget\n",
                        TextTable(rows));
  }
  for (const size_t rule : verdict.unused) {
    absl::StrAppend(&text, Printable(file), ": rule ", rule + 1, " (", RuleText(budget.rules[rule]),
                    ") fits no result that is ok\n");
  }
  return text;
}

std::string OverrunText(const Overrun& overrun) {
  return absl::StrCat(Printable(overrun.variant), overrun.variant.empty() ? "total of " : " ",
                      overrun.statistic, " ", ValueText(overrun), ", at ",
                      overrun.least ? "least " : "most ", overrun.bound);
}

}  // namespace kiln::client
