// Memory instructions in flight, in memory mode: what one is, which of a wave's a wait is for, and
// how its results reach the wave.
#ifndef KILN_CORE_SIM_RDNA2_IN_FLIGHT_H_
#define KILN_CORE_SIM_RDNA2_IN_FLIGHT_H_

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/sim/rdna2/contract_rules.h"
#include "core/sim/rdna2/memory_rules.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// [first, end), ascending and apart.
using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

// Sorts ranges and joins those that meet.
void Join(Ranges* ranges);
bool Overlap(const Ranges& a, const Ranges& b);

// Returns true if all of them are lines of the caches, of names as ClientMemory gives them.
bool AreWholeLines(const Ranges& ranges);

struct InFlight {
  const Op* op = nullptr;
  uint32_t wave = 0;
  Path path = Path::kVector;
  bool vm = false, lgkm = false, vs = false;  // counters that count it
  bool by_halves = false;                     // of 32 lanes, lower first
  bool by_quads = false;                      // lanes of a quad depend on each other
  bool whole = false;                         // all lanes do
  bool whole_lines = false;                   // a store that overwrites these and nothing else
  bool counted_until_l2 = true;
  bool released = false;  // no longer counted, though it has not taken effect
  uint64_t left = 0;      // lanes that have not taken effect; of a scalar load: bit 0
  WaveState payload;      // the wave at issue
  std::shared_ptr<std::set<uint32_t>> waits;  // bytes of the waits for it, if needs are noted
  Ranges results;                             // registers that it writes, by operand code
  Ranges bytes;  // names of the bytes of the client's memory, or addresses of others

  bool IsCounted() const { return left != 0 && !released; }
};

using Message = std::shared_ptr<InFlight>;

// Makes the message of a memory instruction of wave number `wave`, whose registers are `state`.
Message MakeMessage(const Op& op, uint32_t wave, const WaveState& state);

// Copies the results of some lanes, which its payload has, to the wave. A load into half of a
// register leaves the other half as the wave has it now.
void CopyResults(const InFlight& message, uint64_t lanes, WaveState& to);

// Returns those of a wave's messages, oldest first, that must take effect before a wait ends.
// Vector memory and LDS are counted down in order, scalar loads and flat accesses in any.
std::vector<Message> Waited(absl::Span<const Message> messages, const WaitCounts& counts);

// Forgets what is no longer counted, but for what counting needs: that others, issued before, are.
void Clean(std::vector<Message>* messages);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_IN_FLIGHT_H_
