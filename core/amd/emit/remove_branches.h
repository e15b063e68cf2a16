// Removes branches that cost more than they save, and what they have left behind.
#ifndef KILN_CORE_AMD_EMIT_REMOVE_BRANCHES_H_
#define KILN_CORE_AMD_EMIT_REMOVE_BRANCHES_H_

#include "core/amd/emit/program.h"

namespace kiln::amd {

// Removes forward s_cbranch_execz over instructions that do nothing under an empty exec and cost
// little: at most 16, of which a scalar one costs 2 and a vector one 1 (Mesa 25.0.7,
// aco_lower_branches.cpp). No memory, exports, messages, barriers, branches, v_writelane or
// v_readlane are among them. Linear.
void RemoveExeczBranches(Program& program);

// Removes rows that the wave cannot reach: what follows breaks of all lanes.
void RemoveUnreachable(Program& program);

// Turns a conditional branch over an unconditional one into the inverse branch to where that goes,
// unless others reach the second.
void InvertBranchesOverBranches(Program& program);

// Removes moves to exec in front of an end of the program, which does not read it.
void RemoveExecWritesBeforeEnd(Program& program);

// Removes branches to the next row.
void RemoveBranchesToNext(Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_REMOVE_BRANCHES_H_
