// Outcome of a batch: see summary.h.
#include "client/batch/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "client/output/result_json.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

double PerSecond(int64_t count, absl::Duration elapsed) {
  double seconds = absl::ToDoubleSeconds(elapsed);
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

}  // namespace

void Summary::Add(const TargetResult& result) {
  ++results_;
  ExitCode code = ExitCodeOf(result.status());
  if (code != kExitOk) ++failed_;
  const bool allowed = code == kExitSomeFailed && allowed_.count(result.cause()) != 0;
  if (!allowed) exit_code_ = Worse(exit_code_, code);
  std::string cause = result.status() == TargetResult::OK ? "" : result.cause();
  ++outcomes_[{code, {StatusWord(result.status()), cause}}];
  // Items that never reached the compiler have no tier.
  if (code == kExitOk || !result.key().empty()) ++tiers_[result.cache()];
}

std::string Summary::Table(int64_t modules, absl::Duration elapsed, bool colour) const {
  std::string text = absl::StrCat(modules, modules == 1 ? " module, " : " modules, ", results_,
                                  results_ == 1 ? " result" : " results", " in ",
                                  absl::StrFormat("%.1f s", absl::ToDoubleSeconds(elapsed)), " (",
                                  RateText(PerSecond(modules, elapsed)), ")\n");
  size_t width = 5;
  for (const auto& [key, count] : outcomes_) width = std::max(width, key.second.second.size());
  for (const auto& [key, count] : outcomes_) {
    const auto& [status, cause] = key.second;
    // Escape codes of colours have no width, so padding is added separately.
    std::string padding(status.size() < 8 ? 8 - status.size() : 0, ' ');
    absl::StrAppend(&text, "  ", StatusText(status, colour), padding, " ",
                    absl::StrFormat("%-*s", static_cast<int>(width), Printable(cause)),
                    absl::StrFormat(" %8d\n", count));
  }
  if (tiers_.empty()) return text;
  absl::StrAppend(&text, "  cache:");
  const char* separator = " ";
  for (const auto& [tier, count] : tiers_) {
    absl::StrAppend(&text, separator, count, " ",
                    CacheWord(static_cast<kiln::v1::CacheTier>(tier)));
    separator = ", ";
  }
  return absl::StrCat(text, "\n");
}

std::string Summary::ToJson(int64_t modules, absl::Duration elapsed, bool interrupted) const {
  nlohmann::ordered_json json = {
      {"modules", modules},
      {"results", results_},
      {"seconds", static_cast<double>(absl::ToInt64Milliseconds(elapsed)) / 1000},
      {"modules_per_second", PerSecond(modules, elapsed)},
      {"interrupted", interrupted},
      {"outcomes", nlohmann::ordered_json::array()},
      {"cache", nlohmann::ordered_json::object()},
  };
  for (const auto& [key, count] : outcomes_) {
    const auto& [status, cause] = key.second;
    json["outcomes"].push_back(
        {{"status", status}, {"cause", cause.empty() ? "ok" : cause}, {"count", count}});
  }
  for (const auto& [tier, count] : tiers_) {
    json["cache"][CacheWord(static_cast<kiln::v1::CacheTier>(tier))] = count;
  }
  if (budget_.has_value()) {
    json["budget"] = {{"variants", budget_->first}, {"over", budget_->second}};
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kiln::client
