// Finishes the last walk: adds stores after definitions, drops parameters that live in memory, and
// removes computations that are repeated wherever they are read.
#ifndef KILN_CORE_LIR_RA_SPILL_STORES_H_
#define KILN_CORE_LIR_RA_SPILL_STORES_H_

#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_input.h"

namespace kiln::lir::ra {

// Drops parameters that live in memory, and their arguments on edges.
void DropParamsInMemory(const SpillDecisions& decisions, Function* f);
// Stores each value of which a piece is filled after its definition, piece by piece.
void PlaceStores(const SpillInput& in, const SpillDecisions& decisions, SpillCode* code);
void RemoveUnread(const SpillHooks& hooks, Function* f);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_STORES_H_
