// The conditions of --fail-if: see fail_if.h.
#include "client/report/fail_if.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kiln::client::report {
namespace {

using Of = Condition::Of;

constexpr std::pair<absl::string_view, Of> kCounts[] = {{"lost", Of::kLost},
                                                        {"gained", Of::kGained},
                                                        {"only_before", Of::kOnlyBefore},
                                                        {"only_after", Of::kOnlyAfter},
                                                        {"loops_changed", Of::kLoopsChanged}};

using Kinds = absl::Span<const StatisticKind>;

std::string KnownMetrics(Kinds kinds) {
  std::string list;
  for (const StatisticKind& s : kinds) {
    if (s.better != Direction::kNeither) absl::StrAppend(&list, s.name, ", ");
  }
  absl::StrAppend(&list, kCompileTime);
  for (const auto& [name, of] : kCounts) absl::StrAppend(&list, ", ", name);
  return list;
}

bool IsStatistic(absl::string_view name, bool loops_changed, Kinds kinds) {
  for (const StatisticKind& s : kinds) {
    if (s.name == name) return s.better != Direction::kNeither && !(loops_changed && s.shape);
  }
  return !loops_changed && name == kCompileTime;
}

absl::Status ParseMetric(absl::string_view metric, Kinds kinds, Condition* c) {
  const absl::string_view whole = metric;
  for (const auto& [name, of] : kCounts) {
    if (metric != name) continue;
    c->of = of;
    return absl::OkStatus();
  }
  c->loops_changed = absl::ConsumePrefix(&metric, "loops_changed.");
  if (absl::ConsumeSuffix(&metric, ".hurt"))
    c->of = Of::kHurt;
  else if (absl::ConsumeSuffix(&metric, ".max"))
    c->of = Of::kMax;
  if (IsStatistic(metric, c->loops_changed, kinds)) {
    c->statistic = std::string(metric);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", whole, "' is not a statistic with a direction for the better; these are ",
                   KnownMetrics(kinds)));
}

absl::StatusOr<Condition> ParseCondition(absl::string_view text, Kinds kinds) {
  Condition c;
  c.text = std::string(text);
  const size_t greater = text.find('>');
  if (greater == absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not a condition such as instructions>0.5% or lost>0"));
  }
  absl::string_view number = text.substr(greater + 1);
  c.or_equal = absl::ConsumePrefix(&number, "=");
  c.percent = absl::ConsumeSuffix(&number, "%");
  if (!absl::SimpleAtod(absl::StripAsciiWhitespace(number), &c.bound) || c.bound != c.bound) {
    return absl::InvalidArgumentError(absl::StrCat("'", number, "' is not a number"));
  }
  absl::Status metric = ParseMetric(absl::StripAsciiWhitespace(text.substr(0, greater)), kinds, &c);
  if (!metric.ok()) return metric;
  const bool counts = c.of != Of::kTotal && c.of != Of::kMax;
  if (c.percent && counts) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "': a count of variants cannot be compared with a percentage"));
  }
  return c;
}

// Returns the change for the worse that the condition bounds; per cent as 1.5 for 1.5 %.
double Measure(const Condition& c, const StatisticReport& s) {
  const bool more_is_better = s.better == Direction::kHigher;
  const double sign = more_is_better ? -1 : 1;
  if (c.of == Condition::Of::kHurt) return static_cast<double>(s.hurt.count);
  if (c.of == Condition::Of::kMax) {
    if (s.hurt.count == 0) return 0;
    const Spread& spread = c.percent ? s.hurt.relative : s.hurt.absolute;
    return (more_is_better ? -spread.least : spread.most) * (c.percent ? 100 : 1);
  }
  const Change total = {"", s.total_before, s.total_after};
  return sign *
         (c.percent ? 100 * total.Relative() : static_cast<double>(s.total_after - s.total_before));
}

absl::StatusOr<double> Value(const Condition& c, const Report& report) {
  switch (c.of) {
    case Of::kLost: return static_cast<double>(report.Lost());
    case Of::kGained: return static_cast<double>(report.Gained());
    case Of::kOnlyBefore: return static_cast<double>(report.only_before);
    case Of::kOnlyAfter: return static_cast<double>(report.only_after);
    case Of::kLoopsChanged: return static_cast<double>(report.loops_changed.size());
    case Of::kTotal:
    case Of::kMax:
    case Of::kHurt: break;
  }
  const auto& statistics = c.loops_changed ? report.loops_changed_statistics : report.statistics;
  auto it = std::find_if(statistics.begin(), statistics.end(),
                         [&](const StatisticReport& s) { return s.name == c.statistic; });
  if (it != statistics.end()) return Measure(c, *it);
  // Without variants whose loops changed, none of them got worse; without any variant at all the
  // gate could not fail.
  if (c.loops_changed && report.loops_changed.empty() && report.compared != 0) return 0;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", c.text, "': no variant that both files have has the statistic ", c.statistic));
}

}  // namespace

absl::StatusOr<std::vector<Condition>> ParseFailIf(absl::string_view expression, Kinds kinds) {
  const std::string commas = absl::StrReplaceAll(expression, {{" or ", ","}});
  std::vector<Condition> conditions;
  for (absl::string_view part : absl::StrSplit(commas, ',')) {
    absl::StatusOr<Condition> c = ParseCondition(absl::StripAsciiWhitespace(part), kinds);
    if (!c.ok()) return c.status();
    conditions.push_back(*std::move(c));
  }
  return conditions;
}

absl::StatusOr<std::vector<std::string>> Failures(const std::vector<Condition>& conditions,
                                                  const Report& report) {
  std::vector<std::string> failures;
  for (const Condition& c : conditions) {
    absl::StatusOr<double> measured = Value(c, report);
    if (!measured.ok()) return measured.status();
    const double value = *measured;
    if (value > c.bound || (c.or_equal && value == c.bound)) {
      failures.push_back(
          absl::StrCat(c.text, " (", absl::StrFormat("%.6g", value), c.percent ? "%" : "", ")"));
    }
  }
  return failures;
}

}  // namespace kiln::client::report
