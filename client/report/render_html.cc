// A report as one self-contained HTML page: see render.h.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/output/html.h"
#include "client/report/render.h"

namespace kiln::client::report {
namespace {

constexpr absl::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>kiln report</title>\n<style>\n"
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem}\n"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .7rem;text-align:right;"
    "border-bottom:1px solid #8886;font-variant-numeric:tabular-nums}\n"
    "th:first-child,td:first-child,td.l{text-align:left}.helped{color:#177a3c}.hurt{color:#b3261e}\n"
    "details{margin:.5rem 0}summary{cursor:pointer}code{font-size:.9em}\n"
    "@media(prefers-color-scheme:dark){body{background:#16181c;color:#dfe1e5}"
    ".helped{color:#6fd08c}.hurt{color:#ff8a80}}\n</style></head><body>\n";

std::string Range(const Interval& i, bool relative) {
  if (!i.known) return "–";
  if (relative) return absl::StrCat(Percent(i.low), " .. ", Percent(i.high));
  return absl::StrFormat("%.2f .. %.2f", i.low, i.high);
}

std::string Row(const StatisticReport& s) {
  const Change total = {"", s.total_before, s.total_after};
  const Change affected = {"", s.affected_before, s.affected_after};
  return absl::StrCat("<tr><td>", s.name, "</td><td>", s.total_before, "</td><td>", s.total_after,
                      "</td><td>", Percent(total.Relative()), "</td><td>", s.affected(),
                      "</td><td>", Percent(affected.Relative()), "</td><td class=\"helped\">",
                      s.helped.count, "</td><td class=\"hurt\">", s.hurt.count, "</td><td>",
                      Range(s.absolute, false), "</td><td>", Range(s.relative, true),
                      "</td><td class=\"l ", VerdictWord(s.verdict), "\">", VerdictWord(s.verdict),
                      "</td></tr>\n");
}

std::string SpreadRow(absl::string_view word, const Group& g) {
  if (g.count == 0) return "";
  return absl::StrFormat(
      "<tr><td>%s</td><td>%d</td><td>%.2f</td><td>%.2f</td><td>%.2f</td><td>%.2f</td><td>%s</td>"
      "<td>%s</td><td>%s</td><td>%s</td></tr>\n",
      word, g.count, g.absolute.least, g.absolute.most, g.absolute.mean, g.absolute.median,
      Percent(g.relative.least), Percent(g.relative.most), Percent(g.relative.mean),
      Percent(g.relative.median));
}

std::string ChangeRows(absl::string_view word, const std::vector<Change>& changes) {
  std::string rows;
  for (const Change& c : changes) {
    absl::StrAppend(&rows, "<tr><td class=\"", word, "\">", word, "</td><td>", c.before,
                    "</td><td>", c.after, "</td><td>", Percent(c.Relative()),
                    "</td><td class=\"l\"><code>", EscapeHtml(c.shader), "</code></td></tr>\n");
  }
  return rows;
}

std::string Details(const StatisticReport& s, absl::string_view title) {
  if (s.affected() == 0) return "";
  return absl::StrCat(
      "<details><summary>", title,
      "</summary>\n<table><tr><th></th><th>count</th><th>min</th>"
      "<th>max</th><th>x̄</th><th>x̃</th><th>min</th><th>max</th><th>x̄</th><th>x̃</th></tr>\n",
      SpreadRow("helped", s.helped), SpreadRow("hurt", s.hurt), SpreadRow("changed", s.changed),
      "</table>\n<table><tr><th></th><th>before</th><th>after</th><th>change</th>"
      "<th class=\"l\">shader</th></tr>\n",
      ChangeRows("helped", s.best), ChangeRows("hurt", s.worst), ChangeRows("changed", s.other),
      "</table></details>\n");
}

std::string List(absl::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text =
      absl::StrCat("<details><summary>", EscapeHtml(title), ": ", lines.size(), "</summary><ul>\n");
  for (const std::string& line : lines) {
    absl::StrAppend(&text, "<li><code>", EscapeHtml(line), "</code></li>\n");
  }
  return absl::StrCat(text, "</ul></details>\n");
}

constexpr absl::string_view kTableHead =
    "<table><tr><th>statistic</th><th>before</th><th>after</th><th>change</th>"
    "<th>affected</th><th>change of affected</th><th>helped</th><th>hurt</th>"
    "<th>95 % of mean</th><th>relative</th><th>verdict</th></tr>\n";

std::string Table(const std::vector<StatisticReport>& statistics, absl::string_view prefix) {
  std::string text(kTableHead);
  for (const StatisticReport& s : statistics) text += Row(s);
  text += "</table>\n";
  for (const StatisticReport& s : statistics) text += Details(s, absl::StrCat(prefix, s.name));
  return text;
}

std::string LoopsChanged(const Report& report) {
  if (report.loops_changed.empty()) return "";
  std::vector<std::string> lines;
  for (const Change& c : report.loops_changed) {
    lines.push_back(absl::StrCat(c.before, " -> ", c.after, "  ", c.shader));
  }
  return absl::StrCat("<h2>Variants whose loops changed (left out above)</h2>\n",
                      Table(report.loops_changed_statistics, "loops changed: "),
                      List("loops changed", lines));
}

// A row per folder: for each statistic its change and the numbers of variants helped and hurt.
std::string Folders(const Report& report) {
  if (report.folders.empty()) return "";
  std::string text = "<h2>By folder</h2>\n<table><tr><th>folder</th>";
  for (const StatisticReport& s : report.statistics) {
    if (!s.shape) absl::StrAppend(&text, "<th>", s.name, "</th>");
  }
  text += "</tr>\n";
  for (const auto& [folder, totals] : report.folders) {
    absl::StrAppend(&text, "<tr><td><code>", EscapeHtml(folder), "</code></td>");
    auto next = totals.begin();
    for (const StatisticReport& s : report.statistics) {
      if (s.shape) continue;
      if (next == totals.end() || next->first != s.name) {
        text += "<td>–</td>";
        continue;
      }
      const FolderTotal& t = (next++)->second;
      absl::StrAppend(&text, "<td>", t.before, " → ", t.after, "<br>",
                      Percent(Change{"", t.before, t.after}.Relative()), " <span class=\"helped\">",
                      t.helped, "</span> <span class=\"hurt\">", t.hurt, "</span></td>");
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::string RenderHtml(const Report& report, const Names& names) {
  std::string page = absl::StrCat(
      kHead, "<h1>", EscapeHtml(names.before), " → ", EscapeHtml(names.after), "</h1>\n<p>",
      report.modules_before, " results before, ", report.modules_after, " after; ", report.compared,
      " variants compared, ", report.only_before, " results only before, ", report.only_after,
      " only after; LOST ", report.Lost(), ", GAINED ", report.Gained(), "</p>\n",
      Table(report.statistics, ""), LoopsChanged(report), Folders(report));
  page += List("status changed", report.status_changed);
  for (const auto& [variant, shaders] : report.lost) page += List("LOST " + variant, shaders);
  for (const auto& [variant, shaders] : report.gained) page += List("GAINED " + variant, shaders);
  return page + "</body></html>\n";
}

}  // namespace kiln::client::report
