// The scheduler's view of an instruction's way through the EU.
//
// The figures are those of the cost model (core/intel/perf/timing.h, which names their source), so
// that a gain of the scheduler is a gain in the estimate of the finished program. A pseudo
// operation counts as the sequence that emission makes of it. The numbered units are those that can
// make other instructions wait: messages and math. The FPU is busy no longer than the issue takes.
#ifndef KILN_CORE_INTEL_LIR_TIMING_H_
#define KILN_CORE_INTEL_LIR_TIMING_H_

#include "core/intel/device/timings.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::intel {

// Returns the timing of an instruction by the rows of a device.
lir::Timing LirTiming(const TimingTable& timings, const lir::Function& f, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_TIMING_H_
