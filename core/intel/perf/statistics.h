// Statistics of a program, counted from its bytes: of anybody's binary in the same way. Who has the
// program that the bytes were encoded from need not decode them: the figures are the same.
#ifndef KILN_CORE_INTEL_PERF_STATISTICS_H_
#define KILN_CORE_INTEL_PERF_STATISTICS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/device/device.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/isa/program.h"

namespace kiln::intel {

struct ProgramStatistics {
  int64_t instructions = 0;       // without nop and sync
  int64_t sync_instructions = 0;  // nop and sync
  int64_t sends = 0;
  int64_t loops = 0;      // while instructions
  int64_t registers = 0;  // most GRFs live at once
  // estimate.h; nothing where it does not know a message, which is never so of Kiln's own.
  std::optional<int64_t> cycles;
  int64_t exit_cycles = 0;     // estimate.h; 0 where there is no exit, or are no cycles
  int64_t busiest_cycles = 0;  // estimate.h, throughput_cycles; 0 where there are no cycles

  friend bool operator==(const ProgramStatistics&, const ProgramStatistics&) = default;
};

// Decodes the whole program. Linear but for the liveness fixed point, which takes an iteration more
// than the loop nesting is deep.
absl::StatusOr<ProgramStatistics> CountProgram(const Device& device,
                                               absl::Span<const uint8_t> bytes);
absl::StatusOr<ProgramStatistics> CountProgram(const Device& device, const isa::Program& program);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_STATISTICS_H_
