// The rows of a device's cost model: how long an instruction occupies the units of an execution
// unit, and when its results are available. core/intel/perf applies them.
//
// All figures are cycles. Each table names its source.
#ifndef KILN_CORE_INTEL_DEVICE_TIMINGS_H_
#define KILN_CORE_INTEL_DEVICE_TIMINGS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kiln::intel {

// The units that an instruction of a thread can occupy.
enum class Unit : uint8_t {
  kControl,  // front end: branches
  kFpu,      // all instructions that none of the units below executes
  kMath,     // extended math
  kSampler,
  kDataCache,  // data port: buffers, shared memory, scratch, typed surfaces
  kRenderCache,
  kConstantCache,
  kUrb,
  kInterpolator,
  kGateway,  // barriers
  kSpawner,  // end of thread
};
inline constexpr int kUnits = 11;

// The kinds of instructions that have a row of their own in the table.
enum class TimingKind : uint8_t {
  kAlu,
  kArchitecture,  // reads a control register
  kMath,
  kPower,     // includes division of floats
  kDivision,  // of integers
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
inline constexpr size_t kTimingKinds = 16;

// Cycles of one kind of instruction, as a linear function of its sizes in registers.
struct TimingRow {
  TimingKind kind;
  Unit unit;
  int front, front_per_result;  // per GRF written
  int busy, busy_per_lane_grf;  // per GRF that the lanes fill at the execution type
  int read, result, accumulator, flag;
  int latency_per_payload;  // per GRF of payload, on read and result
  int result_per_result;    // per GRF written
};

struct TimingTable {
  std::string_view source;
  std::array<TimingRow, kTimingKinds> rows;  // by TimingKind

  constexpr const TimingRow& of(TimingKind kind) const { return rows[static_cast<size_t>(kind)]; }
};

// Returns true if the table has a row for each kind, in the order of TimingKind, and names its
// source.
constexpr bool IsComplete(const TimingTable& table) {
  for (size_t i = 0; i < kTimingKinds; ++i) {
    if (table.rows[i].kind != static_cast<TimingKind>(i)) return false;
  }
  return !table.source.empty();
}

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_DEVICE_TIMINGS_H_
