// A timeline: when each instruction of a program issues, how long its result takes, and what it
// waits for, by the cost model. No hardware runs, and no memory is simulated.
//
// The program is shown once, in the order of the code: a loop's body once, the sides of an if one
// after the other. `weight` says how often the model counts an instruction in its figures.
#ifndef KILN_CORE_TARGET_TIMELINE_H_
#define KILN_CORE_TARGET_TIMELINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/issue.h"
#include "core/out/launch_record.h"

namespace kiln {

struct TimelineWait {
  std::string name;  // of the register, counter or unit, as the disassembly has it: "v3", "vmcnt"
  // The kind of the result that is waited for, or the unit, as `kiln analyze` names them. Lives as
  // long as the process.
  std::string_view kind;
  IssueWait::For what = IssueWait::For::kUnit;
  int32_t producer = -1;  // the instruction that it waits for; -1: none of the program
  int64_t cycles = 0;     // at least 1

  bool is_unit() const { return what == IssueWait::For::kUnit; }
};

struct TimelineInstruction {
  int64_t offset = 0;  // bytes from the start of the code
  std::string label;   // of a branch to it, as the disassembly has it; empty: none
  std::string text;    // of the disassembly, without newline
  // That executes it; empty: none. Lives as long as the process.
  std::string_view unit;
  int64_t weight = 0;                 // how often it counts, in Timeline::weight_of_one
  int64_t turn = 0;                   // the cycle in which all before it have issued
  std::optional<int64_t> ready = {};  // what it waits for was there; nothing: nothing was under way
  int64_t issue = 0;                  // `turn` and all waits
  int64_t next = 0;                   // the next instruction's turn
  int64_t done = 0;                   // the last result is there
  std::vector<TimelineWait> waits = {};

  // Returns the cycles from its issue to its result; 0: it has none.
  int64_t latency() const { return done > next ? done - issue : 0; }
  // Returns the cycles for which it waited for its turn alone: what it needs was there.
  int64_t held() const { return ready && *ready < turn ? turn - *ready : 0; }
};

struct Timeline {
  std::vector<TimelineInstruction> instructions;
  int64_t weight_of_one = 1;
  int64_t cycles = 0;  // of the whole program, as the statistics have them: by weight
  // The cycles of the whole program with every instruction once.
  int64_t span() const { return instructions.empty() ? 0 : instructions.back().next; }
};

// Cycles of one cause. Those of all causes are the cycles of the program.
struct TimelineTotal {
  std::string_view kind;  // of TimelineWait; "issue": the issue of the instructions
  bool is_unit = false;
  int64_t once = 0;     // cycles with every instruction once
  double weighted = 0;  // cycles with each as often as it counts
};

// Returns the causes, the largest share by weight first, "issue" last. Each has at least one cycle.
std::vector<TimelineTotal> TotalsOf(const Timeline& timeline);

struct TraceOptions {
  std::vector<std::string> switches = {};  // names of Backend::trace_switches
  // The program's, which lives longer than the call, or null: some targets take from it what the
  // code does not show.
  const out::LaunchRecord* record = nullptr;
};

// Receives the issues of a program; for back ends.
class IssueRecorder : public IssueListener {
 public:
  void OnIssue(const Issue& issue) override { issues_.push_back(issue); }
  const std::vector<Issue>& issues() const { return issues_; }

 private:
  std::vector<Issue> issues_;
};

// A back end's names of the numbers in an Issue.
struct IssueNames {
  std::string (*name)(const IssueWait& wait);       // TimelineWait::name
  std::string_view (*kind)(const IssueWait& wait);  // TimelineWait::kind
  std::string_view (*unit)(int unit);               // of a unit that there is
};

// An instruction's position and text.
struct PlacedText {
  int64_t offset = 0;
  std::string label;
  std::string text;
};

// Returns the texts of a program whose disassembly has a line for each instruction and, in front of
// some, a line with a label ("L24:"). `offsets` are the instructions'. Several blanks become one.
std::vector<PlacedText> TextsOf(std::string_view disassembly, const std::vector<int64_t>& offsets);

// Returns the instructions of a timeline. `texts` are those of the program: as many as issues.
std::vector<TimelineInstruction> TimelineInstructions(const std::vector<Issue>& issues,
                                                      std::vector<PlacedText> texts,
                                                      const IssueNames& names);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_TIMELINE_H_
