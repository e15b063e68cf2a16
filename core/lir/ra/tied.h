// Gives each tied use a value of its own that dies there, so that the definition can have its
// place.
//
// In and out: SSA that verifies. Where the value is read again, is held by parked lanes, is but a
// part of the definition's shape, or the definition outlives its block (then it must avoid places
// that the value need not), a copy takes its place: a collect, which costs nothing where the two
// meet.
//
// Cost: linear; nothing for targets that tie nothing.
#ifndef KILN_CORE_LIR_RA_TIED_H_
#define KILN_CORE_LIR_RA_TIED_H_

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/target.h"

namespace kiln::lir::ra {

// Does the function have tied uses?
bool HasTied(const Target& target, const Function& f);

// The number of copies made. `live` is the liveness of the function and is kept up to date.
int SplitTied(const Target& target, Function* f, Liveness* live);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_TIED_H_
