// Statistics of a program, counted from its bytes in the same way for any compiler's binary.
// Callers that have the program that the bytes were encoded from need not decode them: the figures
// are the same.
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
  int64_t registers = 0;  // the maximum of GRFs live at once
  // estimate.h; absent if the model does not know a message, which never happens for Kiln's own.
  std::optional<int64_t> cycles;
  int64_t exit_cycles = 0;     // estimate.h; 0 without an exit or without cycles
  int64_t busiest_cycles = 0;  // estimate.h, throughput_cycles; 0 without cycles

  friend bool operator==(const ProgramStatistics&, const ProgramStatistics&) = default;
};

// Decodes the whole program and counts. Cost: linear, except for the liveness fixed point, which
// takes one iteration more than the loop nesting is deep.
absl::StatusOr<ProgramStatistics> CountProgram(const Device& device,
                                               absl::Span<const uint8_t> bytes);
absl::StatusOr<ProgramStatistics> CountProgram(const Device& device, const isa::Program& program);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PERF_STATISTICS_H_
