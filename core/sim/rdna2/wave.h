// Architectural state of one wave of 32 or 64 lanes.
//
// Scalar registers are in one array by their operand code: s0 to s105, vcc 106 and 107, ttmp, m0,
// null, exec 126 and 127. Vector registers are in a matrix, a row of 64 lanes for each register
// whatever the wave's size; a lane that the wave does not have is never read.
#ifndef KILN_CORE_SIM_RDNA2_WAVE_H_
#define KILN_CORE_SIM_RDNA2_WAVE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "core/amd/isa/clauses.h"
#include "core/amd/isa/instruction.h"

namespace kiln::sim::rdna2 {

namespace isa = ::kiln::amd::isa;

inline constexpr int kMaxLanes = 64;

// A vector register: a dword for each lane.
using LaneDwords = std::array<uint32_t, kMaxLanes>;

enum class WaveStatus : uint8_t { kRunning, kAtBarrier, kEnded };

struct WaveState {
  isa::Wave size = isa::Wave::k32;
  std::array<uint32_t, 128> scalar{};
  std::vector<LaneDwords> vector;
  bool scc = false;
  uint32_t mode = 0;          // MODE (alu/mode.h)
  uint64_t flat_scratch = 0;  // address of the wave's scratch, once the program has set it
  uint32_t pc = 0;            // index of the next instruction
  WaveStatus status = WaveStatus::kRunning;
  uint32_t number = 0;  // in its workgroup
  uint32_t phase = 0;   // barriers that it has passed
  uint64_t instructions = 0;
  uint8_t clause_left = 0;  // instructions that still belong to the last s_clause
  isa::ClauseKind clause_kind = isa::ClauseKind::kNone;  // of those before; kNone: none yet

  int lanes() const { return size == isa::Wave::k64 ? 64 : 32; }
  uint64_t AllLanes() const { return size == isa::Wave::k64 ? ~uint64_t{0} : 0xffffffffu; }

  uint64_t Scalar64(int code) const {
    return scalar[static_cast<size_t>(code)] | uint64_t{scalar[static_cast<size_t>(code + 1)]}
                                                   << 32;
  }
  // null swallows writes.
  void SetScalar(int code, uint32_t value) {
    if (code != isa::kNull) scalar[static_cast<size_t>(code)] = value;
  }

  // A mask of lanes: one register in a wave of 32 lanes, two in one of 64.
  uint64_t LaneMask(int code) const {
    return size == isa::Wave::k64 ? Scalar64(code) : scalar[static_cast<size_t>(code)];
  }
  void SetLaneMask(int code, uint64_t mask) {
    SetScalar(code, static_cast<uint32_t>(mask));
    if (size == isa::Wave::k64 && code != isa::kNull) {
      SetScalar(code + 1, static_cast<uint32_t>(mask >> 32));
    }
  }
  uint64_t Exec() const { return LaneMask(isa::kExecLo); }
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_WAVE_H_
