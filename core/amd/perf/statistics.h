// Statistics of a program, counted from its bytes in the same way for any compiler's binary.
#ifndef KILN_CORE_AMD_PERF_STATISTICS_H_
#define KILN_CORE_AMD_PERF_STATISTICS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/perf/estimate.h"

namespace kiln::amd {

struct ProgramStatistics {
  isa::Wave wave = isa::Wave::k32;
  int64_t bytes = 0;                // of the instructions
  int64_t instructions = 0;         // without padding, waits and s_clause
  int64_t padding = 0;              // s_nop, s_inst_prefetch
  int64_t waits = 0;                // s_waitcnt and its kin
  int64_t clause_instructions = 0;  // s_clause
  int64_t branches = 0;             // s_branch, s_cbranch_*
  int64_t loops = 0;                // targets of backward branches
  int64_t vgprs = 0;                // highest one used + 1
  int64_t sgprs = 0;                // likewise, of s0 to s105
  int64_t valu = 0;                 // vector arithmetic, interpolation and lane operations
  int64_t salu = 0;                 // scalar arithmetic, without branches, waits and their kin
  int64_t vmem = 0;                 // buffers, images, global and scratch memory
  int64_t flat = 0;
  int64_t smem = 0;
  int64_t lds = 0;  // DS instructions
  int64_t exports = 0;
  int64_t vmem_clauses = 0;  // CountClauses
  int64_t smem_clauses = 0;
  Estimate estimate;
};

ProgramStatistics CountProgram(absl::Span<const isa::PlacedInstruction> program, isa::Wave wave);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PERF_STATISTICS_H_
