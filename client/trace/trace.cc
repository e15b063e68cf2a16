#include "client/trace/trace.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kiln::client::trace {

std::vector<size_t> ShownOf(const Trace& trace) {
  std::vector<size_t> shown;
  for (size_t i = 0; i < trace.timeline.instructions.size(); ++i) {
    const TimelineInstruction& inst = trace.timeline.instructions[i];
    if (inst.turn < trace.to && inst.next > trace.from) shown.push_back(i);
  }
  return shown;
}

double TimesOf(const Timeline& timeline, const TimelineInstruction& inst) {
  return static_cast<double>(inst.weight) / static_cast<double>(timeline.weight_of_one);
}

std::string WaitText(const TimelineWait& wait) {
  const std::string of = wait.producer < 0 ? "" : absl::StrCat(" of ", wait.producer);
  const std::string cycles = absl::StrCat(wait.cycles, " for ", wait.name);
  if (wait.is_unit()) {
    return absl::StrCat(cycles, ", busy", wait.producer < 0 ? "" : " with ",
                        wait.producer < 0 ? "" : absl::StrCat(wait.producer));
  }
  return absl::StrCat(cycles, of, " (", std::string(wait.kind), ")");
}

std::string Explanation(const Timeline& timeline, size_t index) {
  const TimelineInstruction& inst = timeline.instructions[index];
  std::string text = absl::StrCat("Its turn comes at cycle ", inst.turn, ".\n");
  if (inst.held() > 0) {
    absl::StrAppend(&text, "What it needs was there ", inst.held(),
                    " cycles before: issue is in order.\n");
  }
  for (const TimelineWait& wait : inst.waits) {
    absl::StrAppend(&text, "Waits ", wait.cycles, wait.cycles == 1 ? " cycle" : " cycles", " for ",
                    wait.name, wait.is_unit() ? " to be free" : "");
    if (wait.producer >= 0) {
      const auto producer = static_cast<size_t>(wait.producer);
      absl::StrAppend(&text, wait.is_unit() ? ", which has " : ", by ", wait.producer, ": ",
                      timeline.instructions[producer].text);
    }
    if (!wait.is_unit()) absl::StrAppend(&text, " (", std::string(wait.kind), ")");
    text += "\n";
  }
  absl::StrAppend(&text, "Issues at ", inst.issue);
  if (!inst.unit.empty()) absl::StrAppend(&text, " to ", std::string(inst.unit));
  if (inst.next - inst.issue > 1)
    absl::StrAppend(&text, ", for ", inst.next - inst.issue, " cycles");
  if (inst.done > inst.next) {
    absl::StrAppend(&text, "; its result is there at ", inst.done, ", ", inst.latency(),
                    " cycles later");
  }
  text += ".\n";
  const double times = TimesOf(timeline, inst);
  if (times != 1) absl::StrAppendFormat(&text, "The model counts it %g times.\n", times);
  return text;
}

std::string CauseText(const TimelineTotal& total) {
  const std::string kind(total.kind);
  if (total.is_unit) return absl::StrCat(kind, " busy");
  return kind;
}

std::string Summary(const Trace& trace) {
  const Timeline& t = trace.timeline;
  const std::string text =
      absl::StrCat(trace.target, trace.variant.empty() ? "" : " ", trace.variant, ": ",
                   t.instructions.size(), " instructions, ", t.span(), " cycles");
  if (t.cycles == t.span()) return text;
  return absl::StrCat(text, " with each once, ", t.cycles,
                      " with loops and branches as the model counts them");
}

}  // namespace kiln::client::trace
