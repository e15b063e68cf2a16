// Gives each tied use a value of its own that dies there, so that the definition can have its
// registers.
//
// In and out: SSA that verifies. A copy replaces the use if the value is read again, is held by
// parked lanes, is only a part of the definition's shape, or if the definition outlives its block
// (then it must avoid units that the value need not). The copy is a collect, which costs nothing if
// source and destination get the same registers.
//
// Cost: linear; nothing for machines without tied operands.
#ifndef KILN_CORE_LIR_RA_TIED_H_
#define KILN_CORE_LIR_RA_TIED_H_

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

// Returns true if the function has tied uses.
bool HasTied(const Machine& machine, const Function& f);

// Splits tied uses and returns the number of copies. `live` is the liveness of the function and is
// kept up to date.
int SplitTied(const Machine& machine, Function* f, Liveness* live);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_TIED_H_
