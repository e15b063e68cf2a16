// Contract mode: dynamic check that a program waits for everything it must wait for.
//
// The simulator computes results at once; this class remembers which registers a real wave might
// not have yet. A destination in flight is poison, until a wait for its counter covers it, in the
// lanes that were on: lanes of the other side of an if may use the register. Using poison is an
// error that names both instructions. The required waits are those of contract_rules.h.
//
// One object per wave. Cost: a few operations per register that an instruction touches.
#ifndef KILN_CORE_SIM_RDNA2_SCOREBOARD_H_
#define KILN_CORE_SIM_RDNA2_SCOREBOARD_H_

#include <bitset>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/sim/rdna2/access_log.h"
#include "core/sim/rdna2/contract_rules.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

class Scoreboard {
 public:
  struct Options {
    bool unsourced = false;      // also judge by rules that Mesa's compiler does not keep
    bool memory_ordered = true;  // MEM_ORDERED of rsrc1: loads of all kinds end in order
  };

  // `log`, which may be null: is told when accesses have ended.
  Scoreboard(const Program* program, const Options& options, AccessLog* log)
      : program_(program), options_(options), log_(log) {}

  // Judges the instruction about to be executed and records its effects. FailedPrecondition: a
  // violation of the contract. `access`: its number in the log, 0 if it has none.
  absl::Status Issue(uint32_t index, const WaveState& wave, uint32_t access);

  // Returns true if a store to vector memory may not have ended.
  bool StoresInFlight() const;

 private:
  // An instruction that has not ended.
  struct Event {
    uint32_t op = 0;
    Producer producer = Producer::kNone;
    Sequence sequence = Sequence::kNone;
    bool vm = false, lgkm = false, exp = false, vs = false;  // counters that still count it
    uint64_t lanes = 0;
    uint32_t access = 0;  // number in the log
    // Registers by operand code; of exports the sources.
    std::vector<std::pair<int, int>> registers;  // first, number

    bool Pending() const { return vm || lgkm || exp || vs; }
  };

  void Wait(const WaitCounts& waits, uint32_t phase);
  void Drain(bool Event::*counter, int count);
  void Record(uint32_t index, const Op& op, const WaveState& wave, uint32_t access);
  absl::Status CheckUses(const Op& op, const WaveState& wave) const;
  absl::Status Check(const Op& op, int first, int dwords, uint64_t lanes, Hazard hazard) const;
  absl::Status CheckRegister(const Op& op, int code, uint64_t lanes, Hazard hazard) const;
  absl::Status CheckHazards(const Op& op);
  void Update(uint32_t phase);

  const Program* program_;
  Options options_;
  AccessLog* log_;
  std::vector<Event> events_;     // in the order of issue
  std::bitset<512> busy_;         // registers by operand code that are in an event
  int since_float_atomic_ = 100;  // wait states
  bool after_cmpx_ = false;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_SCOREBOARD_H_
