#include "core/target/timeline.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace kiln {
namespace {

constexpr std::string_view kIssue = "issue";

// Adds to the total of that cause.
void Add(std::string_view kind, bool is_unit, int64_t cycles, double times,
         std::vector<TimelineTotal>* totals) {
  if (cycles == 0) return;
  auto same = std::find_if(totals->begin(), totals->end(), [&](const TimelineTotal& total) {
    return total.kind == kind && total.is_unit == is_unit;
  });
  if (same == totals->end()) {
    totals->push_back({.kind = kind, .is_unit = is_unit});
    same = totals->end() - 1;
  }
  same->once += cycles;
  same->weighted += static_cast<double>(cycles) * times;
}

}  // namespace

std::vector<TimelineTotal> TotalsOf(const Timeline& timeline) {
  std::vector<TimelineTotal> totals;
  for (const TimelineInstruction& inst : timeline.instructions) {
    const double times =
        static_cast<double>(inst.weight) / static_cast<double>(timeline.weight_of_one);
    for (const TimelineWait& wait : inst.waits) {
      Add(wait.kind, wait.is_unit(), wait.cycles, times, &totals);
    }
    Add(kIssue, false, inst.next - inst.issue, times, &totals);
  }
  std::stable_sort(totals.begin(), totals.end(),
                   [](const TimelineTotal& a, const TimelineTotal& b) {
                     if ((a.kind == kIssue) != (b.kind == kIssue)) return b.kind == kIssue;
                     return a.weighted > b.weighted;
                   });
  return totals;
}

std::vector<PlacedText> TextsOf(std::string_view disassembly, const std::vector<int64_t>& offsets) {
  std::vector<PlacedText> texts;
  std::string label;
  while (!disassembly.empty() && texts.size() < offsets.size()) {
    const size_t end = std::min(disassembly.find('\n'), disassembly.size());
    std::string_view line = disassembly.substr(0, end);
    disassembly.remove_prefix(std::min(end + 1, disassembly.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.size() > 1 && line.front() == 'L' && line.back() == ':') {
      label = line.substr(0, line.size() - 1);
      continue;
    }
    std::string text;
    std::unique_copy(line.begin(), line.end(), std::back_inserter(text),
                     [](char a, char b) { return a == ' ' && b == ' '; });
    texts.push_back({offsets[texts.size()], std::exchange(label, ""), std::move(text)});
  }
  return texts;
}

std::vector<TimelineInstruction> TimelineInstructions(const std::vector<Issue>& issues,
                                                      std::vector<PlacedText> texts,
                                                      const IssueNames& names) {
  assert(issues.size() == texts.size());
  std::vector<TimelineInstruction> instructions;
  instructions.reserve(issues.size());
  for (size_t i = 0; i < issues.size(); ++i) {
    const Issue& from = issues[i];
    TimelineInstruction to = {.offset = texts[i].offset,
                              .label = std::move(texts[i].label),
                              .text = std::move(texts[i].text),
                              .unit = from.unit < 0 ? std::string_view() : names.unit(from.unit),
                              .weight = from.weight,
                              .turn = from.turn,
                              .ready = from.ready,
                              .issue = from.turn,
                              .next = from.next,
                              .done = from.done,
                              .waits = {}};
    for (const IssueWait& wait : from.waits) {
      to.waits.push_back({.name = names.name(wait),
                          .kind = names.kind(wait),
                          .what = wait.what,
                          .producer = wait.producer,
                          .cycles = wait.cycles});
      to.issue += wait.cycles;
    }
    instructions.push_back(std::move(to));
  }
  return instructions;
}

}  // namespace kiln
