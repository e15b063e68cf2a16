// kiln report: differences between two sets of results.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/paths.h"
#include "client/commands/command.h"
#include "client/report/compare.h"
#include "client/report/database_results.h"
#include "client/report/fail_if.h"
#include "client/report/render.h"
#include "client/report/results.h"
#include "core/driver/compile.h"

namespace kiln::client {
namespace {

using Kinds = std::vector<report::StatisticKind>;

report::Direction DirectionOf(Better better) {
  switch (better) {
    case Better::kLower: return report::Direction::kLower;
    case Better::kHigher: return report::Direction::kHigher;
    case Better::kNeither: break;
  }
  return report::Direction::kNeither;
}

// Returns the statistics of all targets, each name once: two targets mean the same by it.
Kinds AllKinds() {
  Kinds kinds;
  std::set<std::string_view> seen;
  for (Target target : AllTargets()) {
    for (const StatisticRow& row : StatisticsOf(target)) {
      if (!seen.insert(row.name).second) continue;
      kinds.push_back({std::string(row.name), DirectionOf(row.better), row.shape});
    }
  }
  return kinds;
}

absl::StatusOr<report::ResultSet> Read(const std::string& path, const Kinds& kinds) {
  if (path == "-") return report::ReadResults(std::cin, "standard input", kinds);
  if (report::IsDatabase(path)) return report::ReadDatabaseResults(path, kinds);
  // Reading a folder fails only at the first byte, without a reason.
  std::ifstream file(path);
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    // Does not reopen files that may be read only once.
    const bool again =
        !file || std::filesystem::is_directory(path) || std::filesystem::is_regular_file(path);
    absl::StatusOr<std::string> contents = again ? ReadWholeFile(path, 1) : std::string();
    if (!contents.ok()) return contents.status();
    return absl::InvalidArgumentError(absl::StrCat(path, ": has no results"));
  }
  return report::ReadResults(file, path, kinds);
}

absl::Status WritePages(const ParsedFlags& flags, const report::Report& report,
                        const report::Names& names) {
  if (flags.Has("html")) {
    absl::Status s = WriteWholeFile(flags.Get("html"), report::RenderHtml(report, names));
    if (!s.ok()) return s;
  }
  if (flags.Get("json").empty()) return absl::OkStatus();
  return WriteWholeFile(flags.Get("json"), report::RenderJson(report, names));
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  const std::vector<std::string>& files = flags.arguments();
  if (files.size() != 2 || (files[0] == "-" && files[1] == "-")) {
    return Fail(
        absl::InvalidArgumentError("two files of results are needed, BEFORE and AFTER (see kiln "
                                   "report --help)"),
        environment);
  }
  const Kinds kinds = AllKinds();
  std::vector<report::Condition> conditions;
  if (flags.Has("fail-if")) {
    absl::StatusOr<std::vector<report::Condition>> parsed =
        report::ParseFailIf(flags.Get("fail-if"), kinds);
    if (!parsed.ok()) {
      return Fail(
          absl::InvalidArgumentError(absl::StrCat("--fail-if: ", parsed.status().message())),
          environment);
    }
    conditions = *std::move(parsed);
  }
  absl::StatusOr<report::ResultSet> before = Read(files[0], kinds);
  if (!before.ok()) return Fail(before.status(), environment);
  absl::StatusOr<report::ResultSet> after = Read(files[1], kinds);
  if (!after.ok()) return Fail(after.status(), environment);
  const report::Report report = report::Compare(*before, *after, kinds);
  const report::Names names = {files[0], files[1], flags.Get("pages")};
  if (flags.Has("pages") && !absl::StartsWith(names.pages, "http://") &&
      !absl::StartsWith(names.pages, "https://")) {
    return Fail(
        absl::InvalidArgumentError("--pages must be the address of a daemon's pages, for example "
                                   "http://127.0.0.1:7412"),
        environment);
  }
  if (absl::Status s = WritePages(flags, report, names); !s.ok()) return Fail(s, environment);
  const bool print_json = environment.json && flags.Get("json").empty();
  const absl::Status printed =
      Print(print_json ? report::RenderJson(report, names) : report::RenderText(report, names));
  if (!printed.ok()) return Fail(printed, environment);
  absl::StatusOr<std::vector<std::string>> failures = report::Failures(conditions, report);
  if (!failures.ok()) {
    return Fail(
        absl::InvalidArgumentError(absl::StrCat("--fail-if: ", failures.status().message())),
        environment);
  }
  for (const std::string& failure : *failures) {
    absl::FPrintF(stderr, "kiln: --fail-if holds: %s\n", failure);
  }
  return failures->empty() ? kExitOk : kExitSomeFailed;
}

}  // namespace

Command ReportCommand() {
  return {
      "report",
      "BEFORE AFTER",
      "compare two sets of results",
      "The files are JSON lines of `kiln batch --jsonl`, or databases of `kiln precompile`, in\n"
      "any combination; - is JSON lines on standard input. For each\n"
      "statistic the report has totals, the number of helped and hurt variants, the 95 %\n"
      "confidence interval of the mean change (Student's t over the affected variants) and a\n"
      "verdict; it also lists variants LOST and GAINED. Variants whose number of loops changed\n"
      "are listed separately, with totals of their own. compile_us has no verdict: it is the time\n"
      "of one run, which differs from run to run. Results are matched by file, \"entry\",\n"
      "stage and target. HTML and JSON name every affected shader and have a table by folder;\n"
      "HTML draws each statistic before against after, and how many changed by how much; --pages links\n"
      "each shader by its key to the page of a daemon (kilnd --metrics) that has compiled it.\n"
      "\n"
      "EXPR is a list of conditions METRIC>NUMBER or METRIC>=NUMBER[%]; it holds if any of them\n"
      "holds. METRIC is a statistic (change of its total), STATISTIC.max (worst single\n"
      "variant), STATISTIC.hurt (number of variants); lost, gained, loops_changed (variants),\n"
      "only_before, only_after (results that only one file has); or loops_changed.STATISTIC, of\n"
      "the variants whose loops changed. `loops` is of all variants, `compile_us` of modules.\n"
      "The statistics are those of this installation, which `kiln targets --local --statistics`\n"
      "lists; those without a direction for the better have no verdict and no conditions.\n"
      "The exit code is 1 if EXPR holds.\n",
      "  kiln report before.jsonl after.jsonl\n"
      "  kiln report --html=report.html results.sqlite merged.sqlite\n"
      "  kiln report --html=report.html --fail-if='instructions>0.5%,spills>0,lost>0' before.jsonl after.jsonl\n",
      {{"html", 0, "FILE", false, "write the report to FILE as one HTML page"},
       {"pages", 0, "URL", false,
        "in the HTML page, link each shader to its result on the pages of a daemon, for example "
        "http://127.0.0.1:7412"},
       {"json", 0, "[FILE]", false, "print JSON, or write it to FILE and print text"},
       {"fail-if", 0, "EXPR", false, "exit with 1 if a condition of EXPR holds; see above"}},
      Run};
}

}  // namespace kiln::client
