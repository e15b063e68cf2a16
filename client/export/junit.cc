// Results as JUnit's XML: see junit.h.
#include "client/export/junit.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/paths.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

struct Suite {
  int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  std::string cases;
};

double SecondsOf(const TargetResult& result) {
  const auto& timings = result.timings();
  return static_cast<double>(timings.translate_ns() + timings.prepare_ns() + timings.compile_ns()) /
         1e9;
}

std::string Problem(absl::string_view element, absl::string_view type, absl::string_view message,
                    absl::string_view text) {
  return absl::StrCat("      <", element, " type=\"", XmlText(type), "\" message=\"",
                      XmlText(message), "\">", XmlText(text), "</", element, ">\n");
}

std::string CaseName(const ExportedResult& result) {
  const std::string subject = SubjectText(result);
  return subject.empty() ? result.file : subject;
}

// Adds the case of a result and counts it. `overruns`: those of the result, one on a line; empty:
// none. `allowed`: causes of known failures.
void AddCase(const ExportedResult& exported, const std::string& overruns,
             const std::set<std::string>& allowed, Suite* suite) {
  const TargetResult& result = exported.result;
  const double seconds = SecondsOf(result);
  absl::StrAppend(&suite->cases, "    <testcase classname=\"", XmlText(exported.file), "\" name=\"",
                  XmlText(CaseName(exported)), "\" time=\"", absl::StrFormat("%.6f", seconds),
                  "\"");
  ++suite->tests;
  suite->seconds += seconds;
  std::string problem;
  if (result.status() != TargetResult::OK) {
    const bool crash = ExitCodeOf(result.status()) == kExitInternal;
    const bool known = !crash && allowed.count(result.cause()) != 0;
    ++(crash ? suite->errors : known ? suite->skipped : suite->failures);
    const std::string message = exported.diagnostics.empty() ? "" : exported.diagnostics[0].text;
    problem = Problem(crash   ? "error"
                      : known ? "skipped"
                              : "failure",
                      result.cause(), message, FailureText(exported.file, result, false));
  } else if (!overruns.empty()) {
    ++suite->failures;
    problem = Problem("failure", "over_budget", overruns.substr(0, overruns.find('\n')), overruns);
  }
  if (problem.empty()) {
    suite->cases += "/>\n";
  } else {
    absl::StrAppend(&suite->cases, ">\n", problem, "    </testcase>\n");
  }
}

// Adds a case for each of the totals that are over.
void AddTotals(const std::vector<Overrun>& overruns, std::map<std::string, Suite>* suites) {
  for (const Overrun& overrun : overruns) {
    if (overrun.result.has_value()) continue;
    Suite& suite = (*suites)["budget"];
    ++suite.tests;
    ++suite.failures;
    absl::StrAppend(&suite.cases, "    <testcase classname=\"budget\" name=\"rule ",
                    overrun.rule + 1, " ", XmlText(overrun.statistic), "\" time=\"0.000000\">\n",
                    Problem("failure", "over_budget", OverrunText(overrun), OverrunText(overrun)),
                    "    </testcase>\n");
  }
}

std::string CountsText(const Suite& suite) {
  return absl::StrFormat("tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%.6f\"",
                         suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds);
}

}  // namespace

std::string XmlText(absl::string_view text) {
  // U+FFFE and U+FFFF are no characters of XML.
  const std::string valid = absl::StrReplaceAll(
      ValidUtf8(text), {{"\xef\xbf\xbe", "\xef\xbf\xbd"}, {"\xef\xbf\xbf", "\xef\xbf\xbd"}});
  std::string escaped;
  for (const char c : valid) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\n': escaped += "&#10;"; break;
      case '\t': escaped += "&#9;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          escaped += "\xef\xbf\xbd";
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

std::string JunitText(const std::vector<ExportedResult>& results,
                      const std::vector<Overrun>& overruns, const std::set<std::string>& allowed) {
  std::map<std::string, Suite> suites;
  auto overrun = overruns.begin();
  for (size_t i = 0; i < results.size(); ++i) {
    std::string over;
    for (; overrun != overruns.end() && overrun->result == i; ++overrun) {
      absl::StrAppend(&over, over.empty() ? "" : "\n", OverrunText(*overrun));
    }
    AddCase(results[i], over, allowed, &suites[results[i].result.target()]);
  }
  AddTotals(overruns, &suites);
  Suite all;
  std::string body;
  for (const auto& [name, suite] : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.skipped += suite.skipped;
    all.seconds += suite.seconds;
    absl::StrAppend(&body, "  <testsuite name=\"kiln.", XmlText(name), "\" ", CountsText(suite),
                    ">\n", suite.cases, "  </testsuite>\n");
  }
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kiln\" ",
                      CountsText(all), ">\n", body, "</testsuites>\n");
}

}  // namespace kiln::client
