// How often loops run, told from machine code.
//
// Problem: a model that takes every loop for ten iterations is wrong where the number stands in the
// code. Known is what counts in a register: an immediate moved there in front of the loop, an
// immediate added once an iteration, compared with an immediate, on which alone the loop is left (a
// break, an if with a break in it, or the while itself). Anything else is not known: another way
// out (a halt, another break), a continue, a count in memory or in two steps. Whoever compiled the
// code, most loops that an unroller leaves and whose bounds are constant have that form. Exact, not
// a bound; of one that a lane enters.
//
// Cost: linear in instructions times the depth of loops, of which nothing is said beyond 64 within
// each other, and in iterations, of which at most kMaxIterations are walked.
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
  // Of a loop whose number is known: how often it gets as far as `exit`, the instruction that
  // leaves it, and how often beyond.
  bool known = false;
  int32_t exit = 0;
  int64_t begun = 0;
  int64_t finished = 0;

  int64_t RunsOf(int32_t inst) const { return inst <= exit ? begun : finished; }
};

// All loops, by `end`. `footprints` are the program's.
std::vector<LoopTrips> CountTrips(const isa::Program& program,
                                  absl::Span<const isa::Footprint> footprints);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_TRIP_COUNTS_H_
