// The ways that threads go through a program, with the lanes that go them.
//
// Problem: a graph of jumps has paths that no thread takes: past both sides of an if and its else,
// from an endif out of the loop although lanes are on, out of a loop through a `while` without
// predicate. A wait that is missing only there is missed by nobody.
//
// Algorithm: two lanes are followed, each active or parked at the instruction where its channel
// goes on. Every predicate splits the active ones in every way; a branch that leaves none active
// jumps on by JIP unless somebody waits behind it, as the hardware's does. A place is a basic block
// with where the lanes are. Every path over places is one that two lanes of a thread can take, data
// apart; paths that need three lanes or more are not among them. With `fusion` a thread may also
// enter what it would jump over, with all channels off, because the thread it is fused with does
// (Wa_1407528679).
//
// Sources: the PRM's descriptions of if, else, endif, break, cont, while, halt, goto, join and
// jmpi; the same rules are in core/sim/eu/control_flow.cc, which this shares nothing with. Limits:
// calls are not followed (Unimplemented). Cost: places are blocks times nesting.
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
  bool past_end = false;            // a thread goes on behind the last instruction
  std::vector<int32_t> successors;  // ascending
};

// Places that a thread can come to; the first is where it starts. Errors: Unimplemented (calls,
// jumps through registers), InvalidArgument (a branch without target), ResourceExhausted
// (kMaxPlaces).
inline constexpr size_t kMaxPlaces = 1u << 18;
absl::StatusOr<std::vector<Place>> PlacesOf(const isa::Program& program, Fusion fusion);

}  // namespace kiln::intel::waits

#endif  // KILN_CORE_INTEL_WAITS_LANES_H_
