// Contract mode: dynamic check that a program waits for everything it must wait for.
//
// The simulator computes results at once; this class remembers which register dwords a real EU
// might not have written (or read) yet. A destination in flight is poison until a wait covers it,
// the sources of an unordered instruction must not change until they have been read. Using poison
// or overwriting such a source is an error that names both instructions; so is a memory fence
// before the responses of earlier messages. The required waits are those of contract_rules.h.
//
// A wait carried by a masked instruction counts only if the thread has an active channel
// (Wa_1407528679). Distances count in-order instructions: all but sends, math and sync. Setting a
// token that is in use waits for its former user. Whole regions count, whether or not their
// channels are enabled: a compiler cannot know which are.
//
// One object per thread. Cost: a few operations per register dword an instruction touches.
#ifndef KILN_CORE_SIM_EU_SCOREBOARD_H_
#define KILN_CORE_SIM_EU_SCOREBOARD_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/sim/eu/contract_rules.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

class Scoreboard {
 public:
  // `unsourced`: also judge by the rules without a source.
  Scoreboard(const Program* program, bool unsourced);

  // Judges the instruction about to be executed and records its effects. `message` is the decoded
  // message of a send, null if the send's predicate turns it off: its waits are performed
  // nevertheless. FailedPrecondition: a violation of the contract.
  absl::Status Issue(uint32_t index, const Thread& thread, const Message* message);

 private:
  static constexpr int kDwords = kGrfCount * 8;
  static constexpr int kTokens = 16;

  // Consecutive dwords of the general registers.
  struct Range {
    int first;
    int count;
  };
  // Registers that one instruction touches.
  struct Footprint {
    std::array<Range, kMaxChannels + 4> reads;
    int read_count = 0;
    Range write = {0, 0};
    bool reads_address = false;
  };

  static Range IndirectRange(const Thread& thread, const OperandPlan& plan, int from, int to);
  static Range RangeOf(const Op& op, const Thread& thread, const OperandPlan& plan);
  absl::Status ApplyWaits(const Op& op);
  Footprint FootprintOf(const Op& op, const Thread& thread, const Message* message) const;
  absl::Status Check(const Op& op, const Footprint& f) const;
  absl::Status CheckRead(const Op& op, int dword, Consumer consumer) const;
  absl::Status CheckFence(const Op& op) const;
  absl::Status CheckWrite(const Op& op, int dword, Consumer consumer) const;
  void Record(const Op& op, uint32_t index, const Footprint& f);
  void WaitToken(int token, bool writes);
  bool InFlight(uint64_t sequence) const;
  absl::Status Violation(const Op& op, uint32_t producer, int dword, Hazard hazard,
                         Wait wait) const;

  const Program* program_;
  bool unsourced_;
  uint64_t next_ = 1;       // sequence number of the next in-order instruction
  uint64_t completed_ = 0;  // in-order instructions up to this one are known to be done
  // By dword: sequence number of the last in-order write and read, and the instruction.
  std::array<uint64_t, kDwords> write_sequence_{};
  std::array<uint64_t, kDwords> read_sequence_{};
  std::array<uint32_t, kDwords> writer_{};
  std::array<uint32_t, kDwords> reader_{};
  // By dword: tokens with an outstanding write or read of it.
  std::array<uint16_t, kDwords> token_writes_{};
  std::array<uint16_t, kDwords> token_reads_{};
  std::array<uint32_t, kTokens> token_owner_{};
  std::array<std::vector<Range>, kTokens> token_write_ranges_;
  std::array<std::vector<Range>, kTokens> token_read_ranges_;
  uint64_t address_sequence_ = 0;
  uint32_t address_writer_ = 0;
  uint64_t control_sequence_ = 0;
  uint32_t control_writer_ = 0;
};

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_SCOREBOARD_H_
