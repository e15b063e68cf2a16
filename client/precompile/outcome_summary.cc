// The summary of a run: see outcome_summary.h.
#include "client/precompile/outcome_summary.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "client/output/result_json.h"

namespace kiln::client {
namespace {

double PerSecond(int64_t count, absl::Duration elapsed) {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

absl::StatusOr<std::vector<OutcomeCount>> CountOutcomes(SqlDatabase* db) {
  auto query = db->Prepare(
      "SELECT outcome.target, status, cause, count(*) FROM outcome JOIN result ON result.id = "
      "outcome.result GROUP BY 1, 2, 3 ORDER BY 1, status <> 'ok', 4 DESC, 2, 3");
  if (!query.ok()) return query.status();
  std::vector<OutcomeCount> counts;
  query->Start();
  for (;;) {
    const absl::StatusOr<bool> row = query->Next();
    if (!row.ok()) return row.status();
    if (!*row) return counts;
    counts.push_back({query->Text(0), query->Text(1), query->Text(2), query->Int(3)});
    if (counts.back().status == "ok") counts.back().cause.clear();
  }
}

ExitCode RunSummary::exit_code() const {
  ExitCode code = kExitOk;
  for (const OutcomeCount& outcome : outcomes) {
    const ExitCode one = ExitCodeOf(StatusOfWord(outcome.status));
    if (one == kExitSomeFailed && allowed.count(outcome.cause) != 0) continue;
    code = Worse(code, one);
  }
  return code;
}

std::string RunSummary::Text(bool colour) const {
  std::string text = absl::StrFormat(
      "%d pipelines in %.1f s (%s): %d finished before, %d results compiled, %d from the daemon's "
      "cache, %d of equal stages\n",
      counts.pipelines, absl::ToDoubleSeconds(elapsed),
      RateText(PerSecond(counts.pipelines, elapsed)), counts.kept, counts.compiled, counts.cached,
      counts.shared);
  for (const OutcomeCount& outcome : outcomes) {
    const std::string padding(outcome.status.size() < 8 ? 8 - outcome.status.size() : 0, ' ');
    absl::StrAppend(&text, "  ", absl::StrFormat("%-8s ", Printable(outcome.target)),
                    StatusText(outcome.status, colour), padding, " ",
                    absl::StrFormat("%-28s %8d\n", Printable(outcome.cause), outcome.stages));
  }
  return text;
}

std::string RunSummary::ToJson() const {
  nlohmann::ordered_json json = {
      {"database", database},
      {"pipelines", counts.pipelines},
      {"finished_before", counts.kept},
      {"compiled", counts.compiled},
      {"cached", counts.cached},
      {"shared", counts.shared},
      {"seconds", static_cast<double>(absl::ToInt64Milliseconds(elapsed)) / 1000},
      {"interrupted", interrupted},
      {"outcomes", nlohmann::ordered_json::array()},
  };
  for (const OutcomeCount& outcome : outcomes) {
    json["outcomes"].push_back({{"target", outcome.target},
                                {"status", outcome.status},
                                {"cause", outcome.cause.empty() ? "ok" : outcome.cause},
                                {"stages", outcome.stages}});
  }
  if (budget.has_value()) {
    json["budget"] = {{"variants", budget->judged}, {"over", budget->over}};
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kiln::client
