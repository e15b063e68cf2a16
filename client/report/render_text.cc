// A report as text, in the form of shader-db: see render.h.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/terminal.h"
#include "client/report/render.h"

namespace kiln::client::report {
namespace {

constexpr size_t kMaxListed = 10;
constexpr size_t kNamed = 5;  // number of the best and of the worst; JSON and HTML have all

std::string ChangeText(int64_t before, int64_t after) {
  const Change change = {"", before, after};
  return absl::StrCat(before, " -> ", after, " (", Percent(change.Relative()), ")");
}

std::string SpreadText(absl::string_view label, const Spread& s, bool relative) {
  auto number = [relative](double v) { return relative ? Percent(v) : absl::StrFormat("%.2f", v); };
  return absl::StrCat("    ", label, " min: ", number(s.least), " max: ", number(s.most),
                      " x̄: ", number(s.mean), " x̃: ", number(s.median), "\n");
}

std::string GroupText(absl::string_view word, const Group& group) {
  if (group.count == 0) return absl::StrCat("  ", word, ": 0\n");
  return absl::StrCat("  ", word, ": ", group.count, "\n",
                      SpreadText("absolute", group.absolute, false),
                      SpreadText("relative", group.relative, true));
}

std::string Named(absl::string_view word, const std::vector<Change>& changes) {
  std::string text;
  for (size_t i = 0; i < std::min(changes.size(), kNamed); ++i) {
    const Change& c = changes[i];
    absl::StrAppend(&text, "  ", word, " ", ChangeText(c.before, c.after), "  ",
                    Printable(c.shader), "\n");
  }
  return text;
}

std::string StatisticText(const StatisticReport& s) {
  std::string text = absl::StrCat(s.name, ": ", ChangeText(s.total_before, s.total_after), " in ",
                                  s.compared, " variants");
  if (s.affected() == 0) return absl::StrCat(text, ", none affected\n");
  absl::StrAppend(&text, "\n  affected: ", ChangeText(s.affected_before, s.affected_after), " in ",
                  s.affected(), "\n",
                  s.better == Direction::kNeither
                      ? GroupText("changed", s.changed)
                      : GroupText("helped", s.helped) + GroupText("HURT", s.hurt));
  if (s.absolute.known) {
    absl::StrAppendFormat(&text, "  95%% mean confidence interval: %.2f .. %.2f, %s .. %s\n",
                          s.absolute.low, s.absolute.high, Percent(s.relative.low),
                          Percent(s.relative.high));
  } else {
    absl::StrAppend(&text, "  95% mean confidence interval: one variant affected, no interval\n");
  }
  absl::StrAppend(&text, "  verdict: ", VerdictText(s.verdict), "\n", Named("best ", s.best),
                  Named("worst", s.worst), Named("most ", s.other));
  return text;
}

std::string List(absl::string_view word,
                 const std::map<std::string, std::vector<std::string>>& by_variant) {
  std::string text;
  for (const auto& [variant, shaders] : by_variant) {
    absl::StrAppend(&text, word, " ", variant, ": ", shaders.size(), "\n");
    for (size_t i = 0; i < std::min(shaders.size(), kMaxListed); ++i) {
      absl::StrAppend(&text, "  ", Printable(shaders[i]), "\n");
    }
    if (shaders.size() > kMaxListed) {
      absl::StrAppend(&text, "  and ", shaders.size() - kMaxListed, " more\n");
    }
  }
  return text.empty() ? absl::StrCat(word, ": 0\n") : text;
}

std::string Lines(absl::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = absl::StrCat(title, ": ", lines.size(), "\n");
  for (size_t i = 0; i < std::min(lines.size(), kMaxListed); ++i) {
    absl::StrAppend(&text, "  ", Printable(lines[i]), "\n");
  }
  if (lines.size() > kMaxListed) {
    absl::StrAppend(&text, "  and ", lines.size() - kMaxListed, " more\n");
  }
  return text;
}

// Returns one line per statistic: those variants are too few, and too different, for more.
std::string LoopsChanged(const Report& report) {
  if (report.loops_changed.empty()) return "";
  std::vector<std::string> loops;
  for (const Change& c : report.loops_changed) {
    loops.push_back(absl::StrCat(c.before, " -> ", c.after, "  ", c.shader));
  }
  std::string text = Lines("loops changed, left out above", loops);
  for (const StatisticReport& s : report.loops_changed_statistics) {
    absl::StrAppend(&text, "  their ", s.name, ": ", ChangeText(s.total_before, s.total_after),
                    ", helped ", s.helped.count, ", HURT ", s.hurt.count, "\n");
  }
  return text;
}

// Lists folders by their change of the first statistic, largest first; one folder alone adds
// nothing.
std::string Folders(const Report& report) {
  if (report.folders.size() < 2) return "";
  std::vector<std::pair<int64_t, std::string>> lines;
  for (const auto& [folder, totals] : report.folders) {
    std::string line = absl::StrCat("  ", Printable(folder), ":");
    for (const auto& [name, t] : totals) {
      if (t.before == t.after) continue;
      absl::StrAppend(&line, " ", name, " ", ChangeText(t.before, t.after));
    }
    const FolderTotal& first = totals.front().second;
    lines.emplace_back(-std::abs(first.after - first.before), line);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = absl::StrCat("by folder (", lines.size(), "):\n");
  for (size_t i = 0; i < std::min(lines.size(), kMaxListed); ++i) {
    absl::StrAppend(&text, lines[i].second, "\n");
  }
  return text;
}

}  // namespace

std::string Percent(double relative) { return absl::StrFormat("%.2f%%", 100 * relative); }

std::string RenderText(const Report& report, const Names& names) {
  std::string text = absl::StrCat(
      Printable(names.before), " (", report.modules_before, " results) -> ", Printable(names.after),
      " (", report.modules_after, " results), ", report.compared, " variants compared\n");
  if (report.only_before + report.only_after != 0) {
    absl::StrAppend(&text, "not compared: ", report.only_before, " results only before, ",
                    report.only_after, " only after\n");
  }
  if (report.repeated != 0) {
    absl::StrAppend(&text, report.repeated, " results were given twice; the later line is used\n");
  }
  for (const StatisticReport& s : report.statistics) absl::StrAppend(&text, "\n", StatisticText(s));
  absl::StrAppend(&text, "\n", LoopsChanged(report), Folders(report),
                  Lines("status changed", report.status_changed), List("LOST", report.lost),
                  List("GAINED", report.gained));
  return text;
}

}  // namespace kiln::client::report
