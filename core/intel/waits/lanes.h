// Finds the paths that threads take through a program, together with the states of their lanes.
//
// Problem: a graph of jumps has paths that no thread takes: past both sides of an if and its else,
// from an endif out of the loop although lanes are on, out of a loop through a `while` without
// predicate. A wait that is missing only on such a path is not missing.
//
// Algorithm: two lanes are followed, each active or parked at the instruction where its channel
// continues. Every predicate splits the active ones in every way; a branch that leaves none active
// jumps on by JIP unless a lane is parked after it, as the hardware's does. A location is a basic
// block with the states of the lanes. Every path over locations is one that two lanes of a thread
// can take, data apart; paths that need three lanes or more are not among them. With `fusion` a
// thread may also enter, with all channels off, code that it would jump over, because the thread it
// is fused with enters it (Wa_1407528679).
//
// Sources: the PRM's descriptions of if, else, endif, break, cont, while, halt, goto, join and
// jmpi; core/sim/eu/control_flow.cc implements the same rules, and this code shares nothing with
// it. Limits: calls are not followed (Unimplemented). Cost: the number of locations is blocks times
// nesting.
#ifndef KILN_CORE_INTEL_WAITS_LANES_H_
#define KILN_CORE_INTEL_WAITS_LANES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/isa/program.h"

namespace kiln::intel::waits {

enum class Fusion : uint8_t { kOff, kOn };

struct Place {
  int32_t begin = 0;  // instructions [begin, end)
  int32_t end = 0;
  bool off = false;                 // all channels are: masked instructions do nothing
  bool past_end = false;            // a thread continues after the last instruction
  std::vector<int32_t> successors;  // ascending
};

// Returns the locations that a thread can reach; the first is where it starts. Errors:
// Unimplemented (calls, jumps through registers), InvalidArgument (a branch without target),
// ResourceExhausted (more than kMaxPlaces).
inline constexpr size_t kMaxPlaces = 1u << 18;
absl::StatusOr<std::vector<Place>> PlacesOf(const isa::Program& program, Fusion fusion);

}  // namespace kiln::intel::waits

#endif  // KILN_CORE_INTEL_WAITS_LANES_H_
