// What the scheduler knows of an instruction's way through the EU.
//
// The figures are those of the cost model (core/intel/perf/timing.h, with their source), so that
// what the scheduler gains is what the estimate of the finished program counts. A pseudo operation
// is taken for the sequence that emit makes of it. Units are numbered by who can make others wait:
// messages and math; the FPU takes no longer than the issue.
#ifndef KILN_CORE_INTEL_LIR_TIMING_H_
#define KILN_CORE_INTEL_LIR_TIMING_H_

#include "core/intel/device/timings.h"
#include "core/lir/lir.h"
#include "core/lir/target.h"

namespace kiln::intel {

// By the rows of a device.
lir::Timing LirTiming(const TimingTable& timings, const lir::Function& f, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_TIMING_H_
