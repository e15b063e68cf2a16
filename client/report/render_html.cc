// A report as one self-contained HTML page: see render.h.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/output/html.h"
#include "client/report/charts.h"
#include "client/report/render.h"

namespace kiln::client::report {
namespace {

constexpr absl::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n"
    ":root{color-scheme:light dark;--back:#f7f6f4;--card:#fff;--line:#e2dfd9;--text:#23211e;"
    "--quiet:#6d6860;--helped:#1f7a46;--hurt:#b3261e;--changed:#2f6fb3}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#161513;--card:#1e1d1a;--line:#35322d;"
    "--text:#e8e4dd;--quiet:#a09a90;--helped:#63c48a;--hurt:#f28b82;--changed:#6aa9ea}}\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:0 auto;max-width:90rem;padding:1rem 1.25rem;"
    "background:var(--back);color:var(--text)}\n"
    "h1{font-size:20px;margin:0;overflow-wrap:anywhere}h2{font-size:15px;margin:1.2rem 0 .4rem}\n"
    ".quiet{color:var(--quiet)}.card{background:var(--card);border:1px solid var(--line);"
    "border-radius:8px;overflow-x:auto;margin:.6rem 0}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
    "td,th{padding:3px 9px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}"
    "tr:last-child td{border-bottom:0}th{font-size:12px;color:var(--quiet);white-space:normal;"
    "vertical-align:bottom}\n"
    "th:first-child,td:first-child,td.l,th.l{text-align:left}.helped{color:var(--helped)}"
    ".hurt{color:var(--hurt)}.changed{color:var(--changed)}\n"
    "table+table{margin-top:12px}details{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:.5rem 0;"
    "padding:6px 12px;overflow-x:auto}summary{cursor:pointer}code{font-size:12.5px}\n"
    ".charts{display:flex;flex-wrap:wrap;gap:4px 24px}figure{margin:8px 0;min-width:0}"
    "figcaption{font-size:12px;color:var(--quiet)}\n"
    "svg{display:block;max-width:100%;height:auto}svg text{font-size:10.5px;fill:var(--quiet)}"
    "circle,rect{fill:currentColor}circle{fill-opacity:.6}circle:hover,rect:hover{fill-opacity:1;"
    "stroke:var(--text)}\n"
    ".grid{stroke:var(--line)}.same{stroke:var(--quiet);stroke-dasharray:4 3}\n"
    "a{color:var(--changed)}:focus-visible{outline:2px solid var(--changed)}\n</style>\n";

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
                      "</td><td class=\"l ", VerdictWord(s.verdict), "\">", VerdictText(s.verdict),
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

// Returns the page of a result at the daemon: /shaders#KEY.
std::string PageOf(absl::string_view pages, absl::string_view key) {
  return EscapeHtml(absl::StrCat(absl::StripSuffix(pages, "/"), "/shaders#", key));
}

// Returns the shader's name, with its key as a tooltip; with `pages` it is a link to the result
// after, and followed by one to the result before where that has another key.
std::string NameOf(const Change& c, absl::string_view pages) {
  std::string name =
      absl::StrCat("<code", c.key_after.empty() ? "" : " title=\"key ", c.key_after,
                   c.key_after.empty() ? ">" : "\">", EscapeHtml(c.shader), "</code>");
  if (pages.empty() || c.key_after.empty()) return name;
  name = absl::StrCat("<a href=\"", PageOf(pages, c.key_after), "\">", name, "</a>");
  if (c.key_before.empty() || c.key_before == c.key_after) return name;
  return absl::StrCat(name, " <a class=\"quiet\" href=\"", PageOf(pages, c.key_before),
                      "\">before</a>");
}

std::string ChangeRows(absl::string_view word, const std::vector<Change>& changes,
                       absl::string_view pages) {
  std::string rows;
  for (const Change& c : changes) {
    absl::StrAppend(&rows, "<tr><td class=\"", word, "\">", word, "</td><td>", c.before,
                    "</td><td>", c.after, "</td><td>", Percent(c.Relative()),
                    "</td><td class=\"l\">", NameOf(c, pages), "</td></tr>\n");
  }
  return rows;
}

std::string Figure(absl::string_view chart, absl::string_view caption) {
  return absl::StrCat("<figure>", chart, "<figcaption>", caption, "</figcaption></figure>\n");
}

std::string Charts(const StatisticReport& s) {
  const std::string dots = static_cast<size_t>(s.affected()) > kMaxDots
                               ? absl::StrCat("the ", kMaxDots, " variants that changed most")
                               : std::string("a dot for each affected variant");
  return absl::StrCat(
      "<div class=\"charts\">",
      Figure(Scatter(s), absl::StrCat("before (across) against after (up): ", dots, "; ",
                                      s.compared - s.affected(), " unchanged lie on the line")),
      Figure(Histogram(s), "variants by change in percent"), "</div>\n");
}

// `open`: shown without a click.
std::string Details(const StatisticReport& s, absl::string_view title, bool open,
                    absl::string_view pages) {
  if (s.affected() == 0) return "";
  return absl::StrCat(
      "<details", open ? " open" : "", "><summary>", title, ": ", s.affected(),
      " affected</summary>\n", Charts(s),
      "<table><tr><th></th><th>count</th><th>min</th>"
      "<th>max</th><th>x̄</th><th>x̃</th><th>min</th><th>max</th><th>x̄</th><th>x̃</th></tr>\n",
      SpreadRow("helped", s.helped), SpreadRow("hurt", s.hurt), SpreadRow("changed", s.changed),
      "</table>\n<table><tr><th></th><th>before</th><th>after</th><th>change</th>"
      "<th class=\"l\">shader</th></tr>\n",
      ChangeRows("helped", s.best, pages), ChangeRows("hurt", s.worst, pages),
      ChangeRows("changed", s.other, pages), "</table></details>\n");
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
    "<div class=\"card\"><table><tr><th>statistic</th><th>before</th><th>after</th><th>change</th>"
    "<th>affected</th><th>change of affected</th><th>helped</th><th>hurt</th>"
    "<th>95 % of mean</th><th>relative</th><th class=\"l\">verdict</th></tr>\n";

std::string Table(const std::vector<StatisticReport>& statistics, absl::string_view prefix,
                  absl::string_view pages) {
  std::string text(kTableHead);
  bool first = prefix.empty();
  for (const StatisticReport& s : statistics) text += Row(s);
  text += "</table></div>\n";
  for (const StatisticReport& s : statistics) {
    text += Details(s, absl::StrCat(prefix, s.name), first && s.affected() != 0, pages);
    first &= s.affected() == 0;
  }
  return text;
}

std::string LoopsChanged(const Report& report, absl::string_view pages) {
  if (report.loops_changed.empty()) return "";
  std::vector<std::string> lines;
  for (const Change& c : report.loops_changed) {
    lines.push_back(absl::StrCat(c.before, " -> ", c.after, "  ", c.shader));
  }
  return absl::StrCat("<h2>Variants whose loops changed (left out above)</h2>\n",
                      Table(report.loops_changed_statistics, "loops changed: ", pages),
                      List("loops changed", lines));
}

// A row per folder: for each statistic its change and the numbers of variants helped and hurt.
std::string Folders(const Report& report) {
  if (report.folders.empty()) return "";
  std::string text = "<h2>By folder</h2>\n<div class=\"card\"><table><tr><th>folder</th>";
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
  return text + "</table></div>\n";
}

// Returns the name of a file of results in its comparison with `other`: the parts of its path that
// differ, without the ending; the whole name if none does.
std::string NameBeside(absl::string_view path, absl::string_view other) {
  if (path == "-") return "standard input";
  std::vector<std::string> parts = absl::StrSplit(path, '/'), others = absl::StrSplit(other, '/');
  const std::string whole = parts.back();
  while (!parts.empty() && !others.empty() && parts.back() == others.back()) {
    parts.pop_back();
    others.pop_back();
  }
  const bool has_end = !parts.empty() && parts.back() == whole;
  size_t first = 0;
  while (first < parts.size() && first < others.size() && parts[first] == others[first]) ++first;
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first));
  std::string name = has_end || parts.empty() ? whole : parts.back();
  const size_t dot = name.rfind('.');
  if ((has_end || parts.empty()) && dot != std::string::npos && dot > 0) name.resize(dot);
  return name;
}

}  // namespace

std::string RenderHtml(const Report& report, const Names& names) {
  const std::string title = absl::StrCat(EscapeHtml(NameBeside(names.before, names.after)), " → ",
                                         EscapeHtml(NameBeside(names.after, names.before)));
  std::string page = absl::StrCat(
      kHead, "<title>", title, " · kiln report</title></head><body>\n<h1>", title,
      "</h1>\n<p class=\"quiet\">", report.modules_before, " results before, ",
      report.modules_after, " after; ", report.compared, " variants compared, ", report.only_before,
      " results only before, ", report.only_after, " only after; LOST ", report.Lost(), ", GAINED ",
      report.Gained(), "</p>\n", Table(report.statistics, "", names.pages),
      LoopsChanged(report, names.pages), Folders(report));
  page += List("status changed", report.status_changed);
  for (const auto& [variant, shaders] : report.lost) page += List("LOST " + variant, shaders);
  for (const auto& [variant, shaders] : report.gained) page += List("GAINED " + variant, shaders);
  return page + "</body></html>\n";
}

}  // namespace kiln::client::report
