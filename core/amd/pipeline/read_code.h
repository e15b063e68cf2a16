// Reads machine code of any compiler as the target's tools take it: bare code, alone or with its
// launch record, or a code object.
#ifndef KILN_CORE_AMD_PIPELINE_READ_CODE_H_
#define KILN_CORE_AMD_PIPELINE_READ_CODE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/pipeline/statistics.h"
#include "core/out/launch_record.h"
#include "core/target/switches.h"

namespace kiln::amd {

// The mode of tools that take bare code.
inline constexpr Switch kWave64 = {
    "wave64", "the code is for waves of 64 lanes, even if it does not show that"};

struct ReadProgram {
  std::vector<isa::PlacedInstruction> program;
  isa::Wave wave = isa::Wave::k32;
  std::optional<RecordFacts> recorded;  // nothing: there is no launch record
};

// The size of waves is what the launch record says, or else what the code shows; `wave64` says it
// of code that shows none. A code object has what a record says in itself, and `record` is not
// read. InvalidArgument: no program. FailedPrecondition: the record is not of this program.
absl::StatusOr<ReadProgram> ReadCode(absl::Span<const uint8_t> code,
                                     const out::LaunchRecord* record, bool wave64);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_READ_CODE_H_
