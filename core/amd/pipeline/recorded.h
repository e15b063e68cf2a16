// Reads the figures that a launch record has of a program and its bytes do not show.
#ifndef KILN_CORE_AMD_PIPELINE_RECORDED_H_
#define KILN_CORE_AMD_PIPELINE_RECORDED_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/pipeline/statistics.h"
#include "core/out/launch_record.h"

namespace kiln::amd {

struct Recorded {
  isa::Wave wave = isa::Wave::k32;
  uint32_t instruction_bytes = 0;  // behind them constant data may follow
  RecordFacts facts;
};

// FailedPrecondition: the record is not of a program of this architecture, or not of one with
// `code_bytes` bytes.
absl::StatusOr<Recorded> ReadRecord(const out::LaunchRecord& record, uint64_t code_bytes);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_RECORDED_H_
