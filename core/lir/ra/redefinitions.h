// Refuses programs in which a write for all lanes overwrites a value with a later instance of the
// same value while parked lanes still hold the earlier one.
//
// A uniform value has one register for all lanes. Lanes that left a loop keep its content from
// their last iteration, but the iterations that other lanes still run write it again. So a uniform
// value of a loop that is read after a divergent exit must be the same in every iteration:
// * a parameter is not;
// * an instruction is, if it reads no memory and no per-lane value of the loop, does not depend on
//   which lanes are on, and its uniform sources are the same in every iteration.
//
// A per-lane value that an instruction writes in lanes that are off is refused as well (NoMask, or
// a comparison into a mask of lanes: such a value leaves the loop as an argument of an edge).
//
// No choice of registers helps: the selector must not make such values. It does not, because values
// of a MIR region are visible only there: a value that leaves a loop is a result, which
// core/mid/analysis/divergence.h never lets live in one register. Passes over LIR may make such
// values only by merging equal computations, which have the same sources then. Inserted
// instructions of the spiller are exempt: a fill reads the value that one definition stored. The
// checker (check.h) takes uniform computations of parked lanes as the same and relies on this.
//
// Cost: linear, except for the sources of uniform values that parked lanes hold where they are
// defined: linear in those for each such loop.
#ifndef KILN_CORE_LIR_RA_REDEFINITIONS_H_
#define KILN_CORE_LIR_RA_REDEFINITIONS_H_

#include "absl/status/status.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

// Returns an internal error with the SPIR-V id of the value.
absl::Status CheckRedefinitions(const Machine& machine, const Function& f, const Liveness& live);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_REDEFINITIONS_H_
