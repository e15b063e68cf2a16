// A timeline as text: a row for each instruction, with a bar of characters.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal.h"
#include "client/trace/trace.h"

namespace kiln::client::trace {
namespace {

constexpr int kMinBar = 24;
constexpr int kMaxBar = 60;
constexpr int kNumbers = 27;      // columns in front of the bar
constexpr int kInstruction = 40;  // columns that are left for instructions

// Cycles as columns of characters. A column is at least a cycle.
class Scale {
 public:
  Scale(int64_t from, int64_t to, int columns)
      : from_(from),
        to_(std::max(to, from + 1)),
        columns_(static_cast<int>(std::min<int64_t>(columns, to_ - from_))) {}

  int columns() const { return columns_; }
  // Returns the column of a cycle, rounded down; those outside are the first and the end.
  int At(int64_t cycle) const {
    const int64_t inside = std::clamp(cycle, from_, to_) - from_;
    return static_cast<int>(inside * columns_ / (to_ - from_));
  }

 private:
  int64_t from_, to_;
  int columns_;
};

// '.' while it waits, '#' while it issues, '=' until its result is there, '>' where that is
// outside.
std::string Bar(const TimelineInstruction& inst, const Scale& scale, int64_t to) {
  std::string bar(static_cast<size_t>(scale.columns()), ' ');
  const auto fill = [&](int64_t begin, int64_t end, char with) {
    for (int c = scale.At(begin); c < scale.At(end); ++c) bar[static_cast<size_t>(c)] = with;
  };
  fill(inst.next, inst.done, '=');
  fill(inst.turn, inst.issue, '.');
  fill(inst.issue, inst.next, '#');
  const int at = scale.At(inst.issue);
  if (at < scale.columns()) bar[static_cast<size_t>(at)] = '#';
  if (inst.done > to) bar.back() = bar.back() == '#' ? '#' : '>';
  return bar;
}

std::string WaitsText(const TimelineInstruction& inst) {
  std::string text;
  for (const TimelineWait& wait : inst.waits) {
    absl::StrAppend(&text, text.empty() ? "   ; waits " : ", ", WaitText(wait));
  }
  return text;
}

std::string Percent(double part, double whole) {
  return absl::StrFormat("%.1f %%", whole == 0 ? 0.0 : 100 * part / whole);
}

}  // namespace

std::string RenderTotals(const Trace& trace) {
  std::string text =
      absl::StrFormat("%-24s %10s %12s %9s\n", "cause", "cycles", "as counted", "share");
  double all = 0;
  const std::vector<TimelineTotal> totals = TotalsOf(trace.timeline);
  for (const TimelineTotal& total : totals) all += total.weighted;
  for (const TimelineTotal& total : totals) {
    absl::StrAppendFormat(&text, "%-24s %10d %12.1f %9s\n", CauseText(total), total.once,
                          total.weighted, Percent(total.weighted, all));
  }
  return text;
}

std::string RenderText(const Trace& trace, int columns) {
  const Scale scale(trace.from, trace.to,
                    std::clamp(columns - kNumbers - kInstruction, kMinBar, kMaxBar));
  std::string text = absl::StrCat(Printable(trace.file), " ", Summary(trace), "\n");
  const std::string ends = absl::StrCat(
      trace.from,
      std::string(
          static_cast<size_t>(std::max<int>(
              1, scale.columns() - static_cast<int>(absl::StrCat(trace.from, trace.to).size()))),
          ' '),
      trace.to);
  absl::StrAppendFormat(&text, "%5s %6s %6s %6s  %s  . waits  # issues  = until the result\n", "",
                        "issue", "waits", "result", ends);
  for (const size_t i : ShownOf(trace)) {
    const TimelineInstruction& inst = trace.timeline.instructions[i];
    if (!inst.label.empty()) absl::StrAppend(&text, inst.label, ":\n");
    absl::StrAppendFormat(&text, "%5d %6d %6d %6d |%s| %s%s\n", i, inst.issue,
                          inst.issue - inst.turn, inst.latency(), Bar(inst, scale, trace.to),
                          inst.text, WaitsText(inst));
  }
  return absl::StrCat(text, "\n", RenderTotals(trace));
}

}  // namespace kiln::client::trace
