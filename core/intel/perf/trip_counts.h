// Counts how often loops run, from machine code.
//
// Problem: a model that assumes ten iterations for every loop is wrong where the number follows
// from the code. It does so for a counter in a register: an immediate is moved there in front of
// the loop, an immediate is added once per iteration, and the comparison with an immediate alone
// decides when the loop is left (by a break, an if with a break in it, or the while itself). Any
// other loop is not known: one with another way out (a halt, another break), a continue, a counter
// in memory or one changed in two steps. Whichever compiler made the code, most loops with constant
// bounds that an unroller leaves have that form. The count is exact, not a bound, for a lane that
// enters the loop.
//
// Cost: linear in instructions times the depth of loops, and in iterations, of which at most
// kMaxIterations are walked. Loops nested more than 64 deep are not counted.
#ifndef KILN_CORE_INTEL_PERF_TRIP_COUNTS_H_
#define KILN_CORE_INTEL_PERF_TRIP_COUNTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/program.h"

namespace kiln::intel {

inline constexpr int kMaxIterations = 1 << 20;

// A loop: the instructions from `head` to its while, `end`.
struct LoopTrips {
  int32_t head = 0;
  int32_t end = 0;
  // If the trip count is known: how often the loop gets as far as `exit`, the instruction that
  // leaves it, and how often beyond.
  bool known = false;
  int32_t exit = 0;
  int64_t begun = 0;
  int64_t finished = 0;

  int64_t RunsOf(int32_t inst) const { return inst <= exit ? begun : finished; }
};

// Returns all loops, ordered by `end`. `footprints` are the program's.
std::vector<LoopTrips> CountTrips(const isa::Program& program,
                                  absl::Span<const isa::Footprint> footprints);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_TRIP_COUNTS_H_
