// A static estimate of what a wave of a program costs, from the machine code of any compiler.
//
// Blocks are walked in the order of the code. Instructions issue in order, at least a cycle each;
// each waits for the registers that it names, for the counters that it waits for, then for its
// units (timing.h); with 64 lanes, vector instructions issue twice. A block starts with what is
// still under way in the blocks before it. Work in a loop counts 8 times, in a second one 4 times
// as often, in each further one twice; a side of an if on scc or vcc counts half, on exec three
// quarters. These are the weights and rules of Mesa's estimate (aco_statistics.cpp), so that
// figures can be compared with it.
//
// Limits: no trip counts, no memory hierarchy, no bank conflicts; that vector instructions read
// exec is no dependence. Ifs whose branch a compiler left out count whole. Cost: linear, and per
// block the size of the register file.
#ifndef KILN_CORE_AMD_PERF_ESTIMATE_H_
#define KILN_CORE_AMD_PERF_ESTIMATE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/perf/program.h"
#include "core/amd/perf/timing.h"
#include "core/base/issue.h"

namespace kiln::amd {

// The kinds of things that a wave waits for.
enum class Stall : uint8_t {
  kVectorMemory,  // loads, samples and atomics that return something
  kStores,        // stores, and atomics that return nothing
  kScalarMemory,
  kLds,
  kExports,
  kVectorResults,  // of vector instructions in VGPRs
  kScalarResults,  // of scalar instructions
  kLaneReads,      // of vector instructions in SGPRs: v_readlane, lane masks of comparisons
};
inline constexpr int kStalls = 8;
std::string_view Name(Stall stall);

// Cycles, weighted by how often blocks run.
struct Estimate {
  int64_t cycles = 0;                     // from start to end of a wave
  std::array<int64_t, kUnits> busy{};     // of each unit
  std::array<int64_t, kUnits> queues{};   // part of `cycles`: waiting for the unit to be free
  std::array<int64_t, kStalls> stalls{};  // part of `cycles`: waiting for results
  // The unit that bounds throughput when other waves hide all latencies.
  Unit bottleneck = Unit::kVector;
  // The highest register that an operand names + 1: VGPRs, and of s0 to s105.
  int64_t vgprs = 0;
  int64_t sgprs = 0;
};

// Weights of Issue have this many fractional bits: enough for eight sides of ifs on exec without
// loss.
inline constexpr int kWeightBits = 16;
inline constexpr int64_t kWeightOfOne = int64_t{1} << kWeightBits;

// `listener`, if not null, is told of each instruction. Units are numbers of Unit, registers those
// of operands (isa::Operand), counters those of Counter, kinds of results those of Stall. Sides of
// an if follow each other there in the order of the code.
Estimate EstimateProgram(absl::Span<const isa::PlacedInstruction> program, isa::Wave wave,
                         IssueListener* listener = nullptr);
// `blocks`: those of the program (BlocksOf).
Estimate EstimateProgram(absl::Span<const isa::PlacedInstruction> program,
                         absl::Span<const Block> blocks, isa::Wave wave, IssueListener* listener);

// Returns the cycles that a SIMD takes for 64 lanes if `waves` (at least one) share it: those of
// the busiest unit, or of a wave divided by the waves if these are more (Mesa, as above).
int64_t InverseThroughput(const Estimate& estimate, isa::Wave wave, int waves);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PERF_ESTIMATE_H_
