// How a cost model issues the instructions of a program, as it tells those who ask: the form that
// the models of all back ends share. Numbers of registers, counters, units and kinds of results are
// the model's own; core/target/timeline.h gives them names.
#ifndef KILN_CORE_BASE_ISSUE_H_
#define KILN_CORE_BASE_ISSUE_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace kiln {

// A wait of an instruction whose turn it is.
struct IssueWait {
  enum class For : uint8_t {
    kRegister,  // to be written, or to be read by an earlier instruction
    kCounter,   // of operations under way; a token of the scoreboard
    kUnit,      // to take another instruction
  };
  For what = For::kUnit;
  int number = 0;         // of the register, counter or unit
  int kind = 0;           // of the result that is waited for; of a unit its number
  int32_t producer = -1;  // the instruction that it waits for; -1: none of the program
  int64_t cycles = 0;     // at least 1
};

// The issue of one instruction. Cycles are counted from the start of the program, every block once.
struct Issue {
  int32_t instruction = 0;  // index in the program
  int64_t weight = 0;       // how often the model counts it, in the model's fractions
  int unit = -1;            // that executes it; -1: none, as of a wait
  int64_t turn = 0;         // all instructions before it have issued
  // The operands and counters that it waits for were there, before its turn or after it. Nothing:
  // no instruction before it gives one of them.
  std::optional<int64_t> ready = {};
  int64_t next = 0;  // the next instruction's turn
  int64_t done = 0;  // its last result is there; `next` if it has none
  // Together with the cycles of issuing they are the time from `turn` to `next`.
  std::vector<IssueWait> waits = {};
};

class IssueListener {
 public:
  virtual ~IssueListener() = default;
  // Called for each instruction in the order of the code.
  virtual void OnIssue(const Issue& issue) = 0;
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_ISSUE_H_
