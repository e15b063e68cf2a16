// Checks a register allocation by executing it symbolically.
//
// Shares no code with the allocator or liveness: all that it needs it derives from the SSA function
// and the machine's tables. Includes lir.h and machine.h, and the text printer for messages.
//
// It executes the allocated function, along the paths of the thread, for one lane that executes
// and, per block J that lanes may wait for, one lane parked for J.
//
// Abstract state of a lane: a set of facts (unit, value, k): "the unit (of a pool or of scratch
// memory) holds the k-th unit of this value, as far as its bytes belong to this lane", where the
// value is the one that the lane computed last under that name. `anywhere` in place of a unit says
// that the program leaves it undefined. Order: more facts is higher; the meet of two paths is the
// intersection of their facts; a point that no path has reached yet has all facts. Sets of facts
// only shrink, so iteration ends.
//
// Steps:
// * A definition of v by an instruction that obeys the mask, in units R. Executing lane: facts
//   about R and about v are dropped, v is in R. A parked lane: facts about R are dropped, except
//   those of per-lane values that put the same lanes into the same bytes (element size and position
//   in the component).
// * A NoMask definition, or one of an operation with kOpWritesOffLanes: as above, but parked lanes
//   lose every fact about R. A uniform value is then in R for parked lanes too; that it does not
//   change while they are parked is for divergence analysis to ensure.
// * A copy that the allocator made: facts move with the units; masked, only for executing lanes and
//   facts of per-lane values whose lanes the copy reaches.
// * A spill or fill is such a copy of units from registers to scratch memory or back; a masked
//   spill writes a dword a lane. A repeated computation is checked against its original and adds
//   one more location of the original's value.
// * A copy or collect that the allocator dropped, and an edge with arguments: a renaming. Old facts
//   about the defined names are dropped; a unit that holds the source also holds the new name.
//   Parked lanes follow where both are uniform, as with a definition.
// * A jump that takes lanes to J while the thread goes to S: the executing lane's facts, renamed by
//   the edge to J, become a lane parked for J, until the thread arrives at J.
// * An exit: the thread may leave at once. Each parked lane is then active in the block that it
//   waits for, with the facts that it has at the exit; and the exit block is executed once more
//   with the facts that hold at all exits, for the thread alone: values that it reads for all lanes
//   must be in their registers, and per-lane values are undefined.
//
// Checked: each use of the SSA program finds the facts for the operand, in the executing lane, at
// every point a lane can reach; instructions are the same in the same order, except for missing
// ones without side effects whose results no unit then holds; a definition overlaps a source only
// where the machine allows it; tails and live-ins are where they must be; and the units of a held
// live-in are never overwritten.
//
// Cost: iterations x instructions x facts; meant for tests, fuzzing and checked builds.
#ifndef KILN_CORE_LIR_RA_CHECK_H_
#define KILN_CORE_LIR_RA_CHECK_H_

#include "absl/status/status.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

// Checks `allocated`, the result of Allocate, against `ssa`, the function passed to it. Returns the
// first violation as an internal error.
absl::Status CheckAllocation(const Machine& machine, const Function& ssa,
                             const Function& allocated);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_CHECK_H_
