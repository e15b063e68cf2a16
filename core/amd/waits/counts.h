// Counts of the four wait counters, and the instructions that wait for them.
#ifndef KILN_CORE_AMD_WAITS_COUNTS_H_
#define KILN_CORE_AMD_WAITS_COUNTS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/amd/isa/instruction.h"

namespace kiln::amd {

// vmcnt: loads; lgkmcnt: LDS, scalar memory, messages; expcnt: exports; vscnt: stores.
enum CounterIndex : uint8_t { kVm, kLgkm, kExp, kVs };
inline constexpr int kCounters = 4;
// The highest count of each; an instruction that would exceed it is not issued.
inline constexpr std::array<int, kCounters> kMaxOf = {63, 63, 7, 63};
inline constexpr int kNoWait = 64;

// At most so many operations may be outstanding; kNoWait: any number.
struct Counts {
  std::array<int, kCounters> of = {kNoWait, kNoWait, kNoWait, kNoWait};

  bool Any() const {
    return std::any_of(of.begin(), of.end(), [](int n) { return n != kNoWait; });
  }
  void Require(CounterIndex counter, int count) { of[counter] = std::min(of[counter], count); }
  void Require(const Counts& other) {
    for (size_t i = 0; i < of.size(); ++i) of[i] = std::min(of[i], other.of[i]);
  }
};

// Returns the counts that an instruction waits for, or nothing if it is no wait for counters.
std::optional<Counts> CountsOf(const isa::Instruction& inst);

// Returns the instructions that wait for the counts: none, one or two.
std::vector<isa::Instruction> WaitsFor(const Counts& counts);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_WAITS_COUNTS_H_
