// Checks that the instructions of a clause are of one kind, with nothing else between them
// (core/amd/isa/clauses.h), as a wave executes them.
#ifndef KILN_CORE_SIM_RDNA2_CLAUSE_H_
#define KILN_CORE_SIM_RDNA2_CLAUSE_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Called with each instruction that the wave executes, before it. InvalidArgument, naming the
// instruction, if a clause of the wave's must not have it.
absl::Status FollowClause(const Op& op, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CLAUSE_H_
