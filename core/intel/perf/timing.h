// How long the units of a Gen12 execution unit are busy with an instruction, and when its results
// are there.
//
// All figures are cycles. Their source is the performance model of the reference compiler (Mesa,
// brw_ir_performance.cpp, rows for generation 11 and later; intel/SOURCES.md): a linear
// regression over timings measured with the timestamp register. Those rows which that source marks
// as guesses (messages of the data port, accumulators, flags of three-source instructions) are
// guesses here too. No hardware was measured by us.
#ifndef KILN_CORE_INTEL_PERF_TIMING_H_
#define KILN_CORE_INTEL_PERF_TIMING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/intel/isa/footprint.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel {

// What can be busy on behalf of a thread.
enum class Unit : uint8_t {
  kControl,      // front end: branches
  kFpu,          // everything that is not below
  kMath,         // extended math
  kSampler,
  kDataCache,    // data port: buffers, shared memory, scratch, typed surfaces
  kRenderCache,
  kConstantCache,
  kUrb,
  kInterpolator,
  kGateway,      // barriers
  kSpawner,      // end of thread
};
inline constexpr int kUnits = 11;
std::string_view Name(Unit unit);

struct Timing {
  Unit unit = Unit::kFpu;
  int front = 0;    // until the front end can take the next instruction
  int busy = 0;     // until the unit can
  int read = 0;     // until payload registers are read (messages)
  int result = 0;   // until general registers are written
  int accumulator = 0;
  int flag = 0;
};

// What has a row of its own in the table.
enum class TimingKind : uint8_t {
  kAlu,
  kArchitecture,  // reads a control register
  kMath,
  kPower,         // and division of floats
  kDivision,      // of integers
  kBranch,
  kSampler,
  kData,
  kAtomic,
  kFence,
  kConstant,
  kRender,
  kUrb,
  kInterpolator,
  kBarrier,
  kSpawn,
};
TimingKind KindOf(isa::MathFunction function);
TimingKind KindOf(isa::MessageCost cost);

// In registers.
struct TimingSizes {
  int written = 0;
  int lanes = 0;    // that the lanes fill at the execution type
  int payload = 0;  // read by a message
};

Timing TimingOf(TimingKind kind, const TimingSizes& sizes);

// `footprint` is the instruction's. Nothing: it sends a message that has no row.
std::optional<Timing> TimingOf(isa::Generation gen, const isa::Instruction& inst,
                               const isa::Footprint& footprint);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_TIMING_H_
