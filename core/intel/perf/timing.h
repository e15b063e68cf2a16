// How long the units of an execution unit are busy with an instruction, and when its results are
// there: the device's rows (device/timings.h), for an instruction's kind and sizes. All figures are
// cycles.
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
  int busy = 0;    // until the unit can
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
  int lanes = 0;    // that the lanes fill at the execution type
  int payload = 0;  // read by a message
};

Timing TimingOf(const TimingTable& table, TimingKind kind, const TimingSizes& sizes);

// How much counts of what follows an exit (HALT) of so many lanes, in percent: half, since the
// thread may be over, but all for 32 lanes: two execution units run in step here, so that 64 would
// have to leave. The reference's weights (SOURCES.md, Timings).
constexpr int PercentBehindExit(int lanes) { return lanes <= 16 ? 50 : 100; }

// `footprint` is the instruction's. Nothing: it sends a message that has no row.
std::optional<Timing> TimingOf(const Device& device, const isa::Instruction& inst,
                               const isa::Footprint& footprint);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_TIMING_H_
