// What the last walk leaves to be done: stores behind definitions, parameters that live in memory
// dropped, computations removed that are repeated wherever they are read.
#ifndef KILN_CORE_LIR_RA_SPILL_STORES_H_
#define KILN_CORE_LIR_RA_SPILL_STORES_H_

#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_input.h"

namespace kiln::lir::ra {

// Of parameters and of the edges that lead to them.
void DropParamsInMemory(const SpillDecisions& decisions, Function* f);
// A value of which something is filled is stored behind its definition, piece by piece.
void PlaceStores(const SpillInput& in, const SpillDecisions& decisions, SpillCode* code);
void RemoveUnread(const SpillHooks& hooks, Function* f);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_STORES_H_
