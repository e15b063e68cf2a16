// How long an instruction of gfx1030 occupies the units of a SIMD, and when its results are there.
// All figures are cycles.
//
// Source: Mesa 25.0.7, aco_statistics.cpp, get_perf_info and get_wait_counter_info, for GFX10 and
// later: the model whose figures the peer's statistics have, so that ours can be compared with
// them. Its authors call the latencies of memory rough; no hardware was measured.
#ifndef KILN_CORE_AMD_PERF_TIMING_H_
#define KILN_CORE_AMD_PERF_TIMING_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "core/amd/isa/instruction.h"

namespace kiln::amd {

// The units that instructions occupy. Scalar memory is issued by the scalar unit.
enum class Unit : uint8_t { kScalar, kBranch, kVector, kComplex, kLds, kExport, kVectorMemory };
inline constexpr int kUnits = 7;
std::string_view Name(Unit unit);

// The counters of memory operations that s_waitcnt and its kin wait for.
enum class Counter : uint8_t { kVm, kVs, kLgkm, kExp };
inline constexpr int kCounters = 4;

// Returns the most operations that a counter can count (Mesa 25.0.7, aco_ir.cpp,
// wait_imm::max).
constexpr int MostCounted(Counter counter) { return counter == Counter::kExp ? 7 : 63; }

struct Timing {
  int result = 0;                           // until registers are written, without memory
  std::array<int, kUnits> busy = {};        // until a unit can take the next instruction
  std::array<int, kCounters> counted = {};  // until a counter falls; 0: it is not raised
};

Timing TimingOf(const isa::Instruction& inst);

// Returns the value of each counter that an instruction waits for; -1: it does not wait for it. An
// instruction that raises a counter waits until it can count one more.
std::array<int, kCounters> WaitsOf(const isa::Instruction& inst, const Timing& timing);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PERF_TIMING_H_
