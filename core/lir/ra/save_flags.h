// Saves flags: reduces the number of flag values that are live at once to the size of their pool,
// before assignment, by keeping some in uniform registers: where too many live at once, and where
// one lives across an instruction that clobbers its pool (or waiting lanes hold it there), or
// across copies of arguments that do (FileInfo::merge_clobbers).
//
// In and out: SSA that verifies. A saved flag is copied whole (all lanes) to a value of its file's
// save_file right after its definition, and copied back into a new flag before each instruction
// that uses it. The save would lose an earlier instance that parked lanes hold in the same
// register, so a flag that parked lanes hold where it is defined is not saved.
//
// Algorithm: in each iteration one walk over the blocks picks, wherever too many flags are live,
// the one that costs least (uses weighted by loop depth), then the picked ones are rewritten. A
// restored flag lives for one instruction, so a few iterations are enough.
#ifndef KILN_CORE_LIR_RA_SAVE_FLAGS_H_
#define KILN_CORE_LIR_RA_SAVE_FLAGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

// Returns true if the pressure of the function alone shows that no flag need be saved. False:
// unknown.
bool FlagsFit(const Machine& machine, const Function& f, const std::vector<Pressure>& max_live);

// Saves flags and returns their number. ResourceExhausted ("out_of_registers") if it cannot be
// done. `live` is the liveness of the function and is kept up to date.
absl::StatusOr<int> SaveExcessFlags(const Machine& machine, Function* f, Liveness* live);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SAVE_FLAGS_H_
