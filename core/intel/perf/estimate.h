// What a program costs: a static estimate for one thread of it, from anybody's machine code.
//
// The program is walked once in layout order. The front end issues in order; each instruction waits
// for the registers, flags, accumulators and tokens it names, then for its unit (timing.h). Work in
// a loop counts ten times per level, both sides of an if count, what follows a halt as
// PercentBehindExit says: the weights of the reference compiler, so that figures can be held
// against its "Cycle Count". A loop whose number of iterations stands in the code (trip_counts.h)
// counts as often.
//
// Limits: no other trip counts, no memory hierarchy, no bank conflicts, no second thread on the
// unit. Cost: linear. Nothing in the compile path may decide by it but the choice of widths and, of
// a few instructions each, the pass that predicates small ifs.
#ifndef KILN_CORE_INTEL_PERF_ESTIMATE_H_
#define KILN_CORE_INTEL_PERF_ESTIMATE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/program.h"
#include "core/intel/perf/timing.h"

namespace kiln::intel {

struct Estimate {
  int64_t cycles = 0;                    // from start to end of one thread
  int64_t exit_cycles = 0;               // of `cycles`: until the first exit has issued; 0 without
  std::array<int64_t, kUnits> busy{};    // cycles of each unit
  std::array<int64_t, kUnits> waits{};   // of `cycles`: waiting for results of the unit
  std::array<int64_t, kUnits> queues{};  // of `cycles`: waiting for the unit to be free
  // The unit that bounds throughput when other threads hide all latencies; kControl (the front
  // end) if none is busier than the issue of the instructions.
  Unit bottleneck = Unit::kControl;
  int64_t throughput_cycles = 0;  // of the bottleneck, per thread
};

// Unimplemented, "unknown_message": a send whose cost is not known, and which instruction it is.
// The program is of the device's generation.
absl::StatusOr<Estimate> EstimateProgram(const Device& device, const isa::Program& program);
// With what isa::FootprintsOf gives, for callers that have it.
absl::StatusOr<Estimate> EstimateProgram(const Device& device, const isa::Program& program,
                                         absl::Span<const isa::Footprint> footprints);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_ESTIMATE_H_
