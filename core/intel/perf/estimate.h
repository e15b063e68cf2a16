// A static estimate of a program's cost for one thread, from the machine code of any compiler.
//
// The program is walked once in layout order. The front end issues in order; each instruction waits
// for the registers, flags, accumulators and tokens it names, then for its unit (timing.h). Work in
// a loop counts ten times per level, both sides of an if count, and code after a halt counts as
// PercentAfterExit says. These are the weights of the reference compiler, so that figures can be
// compared with its "Cycle Count". A loop with a known trip count (trip_counts.h) counts by that
// number instead.
//
// Limits: no other trip counts, no memory hierarchy, no bank conflicts, no second thread on the
// unit. Cost: linear. In the compile path, only the choice of widths and the pass that predicates
// small ifs (for a few instructions each) may decide by it.
#ifndef KILN_CORE_INTEL_PERF_ESTIMATE_H_
#define KILN_CORE_INTEL_PERF_ESTIMATE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/issue.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/program.h"
#include "core/intel/perf/timing.h"

namespace kiln::intel {

struct Estimate {
  int64_t cycles = 0;  // from start to end of one thread
  // part of `cycles`: until the first exit has issued; 0 without one
  int64_t exit_cycles = 0;
  std::array<int64_t, kUnits> busy{};    // cycles of each unit
  std::array<int64_t, kUnits> waits{};   // part of `cycles`: waiting for results of the unit
  std::array<int64_t, kUnits> queues{};  // part of `cycles`: waiting for the unit to be free
  // The unit that bounds throughput when other threads hide all latencies; kControl (the front end)
  // if no unit is busier than the issue of the instructions.
  Unit bottleneck = Unit::kControl;
  int64_t throughput_cycles = 0;  // of the bottleneck, per thread
};

// The weight of an instruction that counts once (Issue::weight).
inline constexpr int64_t kWeightOfOne = 100;

// Numbers of registers of IssueWait: general registers have their own.
inline constexpr int kReadOfGrf = 256;  // and this more for one that a send has yet to read
inline constexpr int kFlagRegister = 512, kAccumulatorRegister = 528, kAddressRegister = 544;
// Numbers of counters: tokens have their own while a result is waited for.
inline constexpr int kReadOfToken = 16;  // and this more while a payload is to be read

// Returns Unimplemented, "unknown_message", for a send whose cost is not known, and names the
// instruction. The program must be for the device's generation.
absl::StatusOr<Estimate> EstimateProgram(const Device& device, const isa::Program& program);
// The same for callers that have the result of isa::FootprintsOf. `listener`, if not null, is told
// of each instruction; units and kinds of results are numbers of Unit.
absl::StatusOr<Estimate> EstimateProgram(const Device& device, const isa::Program& program,
                                         absl::Span<const isa::Footprint> footprints,
                                         IssueListener* listener = nullptr);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_ESTIMATE_H_
