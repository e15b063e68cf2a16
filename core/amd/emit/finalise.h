// Turns a program into bytes: resolves branches, pads, appends constant data.
//
// Layout: instructions; five s_code_end, since the machine fetches instructions beyond the end
// (Mesa 25.0.7, aco_assembler.cpp), and as many more as the data's alignment needs; constant data.
// A branch beyond the 16 bits of its distance goes over other branches: one with the same target,
// or an island of two that is inserted. Linear, but for islands, each of which is.
#ifndef KILN_CORE_AMD_EMIT_FINALISE_H_
#define KILN_CORE_AMD_EMIT_FINALISE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/emit/program.h"
#include "core/amd/isa/decode.h"

namespace kiln::amd {

struct Binary {
  std::vector<uint8_t> bytes;
  std::vector<isa::PlacedInstruction> program;  // the instructions that the bytes begin with
  uint32_t instruction_bytes = 0;               // without padding and data
  uint32_t data_offset = 0;  // of the constant data; the end of the bytes if there are none
  struct Location {
    uint32_t offset = 0;  // bytes
    uint32_t spirv_id = 0;
  };
  std::vector<Location> locations;  // where the id changes
};

struct FinaliseOptions {
  uint32_t data_alignment = 16;  // bytes, a power of two of at least 4
  int farthest = 32767;          // dwords that a branch reaches in both directions; less in tests
};

// Internal: the encoder refuses an instruction, or an island has no place.
absl::StatusOr<Binary> Finalise(Program program, absl::Span<const uint8_t> constant_data,
                                const FinaliseOptions& options = {});

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_FINALISE_H_
