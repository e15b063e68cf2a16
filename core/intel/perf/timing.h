// How long an instruction occupies the units of an execution unit, and when its results are
// available: the device's rows (device/timings.h), applied to an instruction's kind and sizes. All
// figures are cycles.
#ifndef KILN_CORE_INTEL_PERF_TIMING_H_
#define KILN_CORE_INTEL_PERF_TIMING_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/intel/device/device.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel {

std::string_view Name(Unit unit);

struct Timing {
  Unit unit = Unit::kFpu;
  int front = 0;   // until the front end can take the next instruction
  int busy = 0;    // until the unit can take the next instruction
  int read = 0;    // until payload registers are read (messages)
  int result = 0;  // until general registers are written
  int accumulator = 0;
  int flag = 0;
};

TimingKind KindOf(isa::MathFunction function);
TimingKind KindOf(isa::MessageCost cost);

// In registers.
struct TimingSizes {
  int written = 0;
  int lanes = 0;    // GRFs that the lanes fill at the execution type
  int payload = 0;  // GRFs read by a message
};

Timing TimingOf(const TimingTable& table, TimingKind kind, const TimingSizes& sizes);

// Returns the percentage at which code after an exit (HALT) of this many lanes counts: half, since
// the thread may be over, but all for 32 lanes: two execution units run in step here, so 64 lanes
// would have to leave. The weights are the reference compiler's (SOURCES.md, Timings).
constexpr int PercentAfterExit(int lanes) { return lanes <= 16 ? 50 : 100; }

// Returns the timing of an instruction with this footprint, or nothing if it sends a message that
// has no row.
std::optional<Timing> TimingOf(const Device& device, const isa::Instruction& inst,
                               const isa::Footprint& footprint);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_TIMING_H_
