// A timeline as one self-contained HTML page.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/output/html.h"
#include "client/trace/page.h"
#include "client/trace/trace.h"

namespace kiln::client::trace {
namespace {

// The classes of causes, by kind and whether it is a busy unit: a colour each, as long as there are
// colours, and stripes for units.
using Classes = std::map<std::pair<std::string_view, bool>, std::string>;

Classes ClassesOf(const std::vector<TimelineTotal>& totals) {
  Classes classes;
  int next = 0;
  for (const TimelineTotal& total : totals) {
    const int colour = std::min(next++, kPageColours - 1);
    classes[{total.kind, total.is_unit}] =
        total.kind == "issue" ? "issue" : absl::StrCat("k", colour, total.is_unit ? " busy" : "");
  }
  return classes;
}

std::string TotalsHtml(const std::vector<TimelineTotal>& totals, const Classes& classes) {
  double all = 0;
  for (const TimelineTotal& total : totals) all += total.weighted;
  std::string stack, rows;
  for (const TimelineTotal& total : totals) {
    const std::string& its = classes.at({total.kind, total.is_unit});
    absl::StrAppendFormat(&stack, "<i class=\"%s\" style=\"--n:%.3f\" title=\"%s\"></i>", its,
                          total.weighted, EscapeHtml(CauseText(total)));
    absl::StrAppendFormat(
        &rows,
        "<tr><td><i class=\"key %s\"></i>%s</td><td>%d</td><td>%.1f</td><td>%.1f %%</td></tr>\n",
        its, EscapeHtml(CauseText(total)), total.once, total.weighted,
        all == 0 ? 0.0 : 100 * total.weighted / all);
  }
  return absl::StrCat("<div class=\"stack\" aria-hidden=\"true\">", stack,
                      "</div>\n<table id=\"causes\"><tr><th>cause</th><th>cycles, each once</th>"
                      "<th>as counted</th><th>share</th></tr>\n",
                      rows, "</table>\n");
}

std::string Bar(absl::string_view of_class, int64_t from, int64_t to) {
  return absl::StrCat("<i class=\"", of_class, "\" style=\"--a:", from, ";--b:", to, "\"></i>");
}

std::string LaneHtml(const TimelineInstruction& inst, const Classes& classes) {
  std::string lane;
  if (inst.held() > 0) lane += Bar("held", *inst.ready, inst.turn);
  int64_t at = inst.turn;
  for (const TimelineWait& wait : inst.waits) {
    lane +=
        Bar(absl::StrCat("wait ", classes.at({wait.kind, wait.is_unit()})), at, at + wait.cycles);
    at += wait.cycles;
  }
  if (inst.done > inst.next) lane += Bar("late", inst.next, inst.done);
  return lane + Bar("issue", inst.issue, inst.next);
}

std::string RowHtml(const Timeline& timeline, size_t index, const Classes& classes) {
  const TimelineInstruction& inst = timeline.instructions[index];
  std::string producers;
  for (const TimelineWait& wait : inst.waits) {
    if (wait.producer < 0) continue;
    absl::StrAppend(&producers, producers.empty() ? "" : " ", wait.producer);
  }
  const std::string label =
      inst.label.empty() ? "" : absl::StrCat("<u>", EscapeHtml(inst.label), ":</u> ");
  return absl::StrCat("<li id=\"i", index, "\" data-a=\"", inst.turn, "\" data-b=\"", inst.next,
                      "\" data-from=\"", producers, "\" data-why=\"",
                      EscapeHtml(Explanation(timeline, index)), "\"><span class=\"num\">", index,
                      "</span><code>", label, EscapeHtml(inst.text), "</code><span class=\"lane\">",
                      LaneHtml(inst, classes), "</span></li>\n");
}

constexpr absl::string_view kLegend =
    "<div class=\"legend\"><span><i class=\"key issue\"></i>issues</span>"
    "<span><i class=\"key any\"></i>waits, in the colour of the cause</span>"
    "<span><i class=\"key any busy\"></i>a busy unit</span>"
    "<span><i class=\"key thin late\"></i>until the result is there</span>"
    "<span><i class=\"key hair\"></i>ready, but not its turn (in order)</span></div>\n";

std::string ToolsHtml(const Trace& trace) {
  return absl::StrFormat(
      "<div class=\"tools\" id=\"tools\" hidden><label>from <input id=\"from\" type=\"number\" "
      "value=\"%d\"></label><label>to <input id=\"to\" type=\"number\" value=\"%d\"></label>"
      "<button type=\"button\" data-key=\"+\" aria-label=\"zoom in\">+</button>"
      "<button type=\"button\" data-key=\"-\" aria-label=\"zoom out\">&minus;</button>"
      "<button type=\"button\" data-key=\"0\">all</button>"
      "<button type=\"button\" data-key=\"p\">previous wait</button>"
      "<button type=\"button\" data-key=\"n\">next wait</button>"
      "<button type=\"button\" data-key=\"Enter\">its cause</button>"
      "<small class=\"wide\"><kbd>&uarr;</kbd> <kbd>&darr;</kbd> row, <kbd>&larr;</kbd> "
      "<kbd>&rarr;</kbd> pan, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, <kbd>n</kbd> "
      "<kbd>p</kbd> waits, <kbd>Enter</kbd> cause, <kbd>Esc</kbd></small></div>\n",
      trace.from, trace.to);
}

}  // namespace

std::string RenderHtml(const Trace& trace) {
  const std::vector<TimelineTotal> totals = TotalsOf(trace.timeline);
  const Classes classes = ClassesOf(totals);
  const std::string name = EscapeHtml(Printable(NameOf(trace.file)));
  std::string page = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
      name, "</title>\n<style>", kPageStyle, "</style></head>\n<body data-from=\"", trace.from,
      "\" data-to=\"", trace.to, "\" style=\"--o:", trace.from, ";--s:", trace.to - trace.from,
      "\"><main>\n<h1>", name, "</h1>\n<p>", EscapeHtml(Summary(trace)),
      ". By the cost model: no hardware ran.</p>\n");
  absl::StrAppend(&page, TotalsHtml(totals, classes), kLegend, ToolsHtml(trace),
                  "<div class=\"axis\"><span class=\"lane\" id=\"axis\"></span></div>\n"
                  "<ol class=\"rows\">\n");
  for (const size_t i : ShownOf(trace)) page += RowHtml(trace.timeline, i, classes);
  absl::StrAppend(&page, "</ol>\n</main><aside id=\"why\" aria-live=\"polite\"></aside>\n<script>",
                  kPageScript, "</script></body></html>\n");
  return page;
}

}  // namespace kiln::client::trace
