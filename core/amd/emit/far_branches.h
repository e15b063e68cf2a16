// Distances of branches, and branches beyond 16 bits.
#ifndef KILN_CORE_AMD_EMIT_FAR_BRANCHES_H_
#define KILN_CORE_AMD_EMIT_FAR_BRANCHES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/amd/emit/program.h"

namespace kiln::amd {

// Returns the dwords of an instruction's encoding, if it has one.
int LengthOf(const isa::Instruction& inst);

// Returns the offset of each row in bytes, and behind them the size of the program.
std::vector<uint32_t> OffsetsOf(const Program& program);

// Returns the distance of the branch in row `i`: dwords from its end.
int BranchDistance(const Program& program, const std::vector<uint32_t>& offsets, size_t i);

// Makes every distance at most `farthest` dwords: branches that go farther go to an s_branch with
// the same target on their way, or to one that is inserted there, over which the code around it
// jumps. Islands are never put into clauses or between s_getpc_b64 and the sum that follows it.
absl::Status ShortenBranches(Program& program, int farthest);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_FAR_BRANCHES_H_
