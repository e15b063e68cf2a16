// Block arguments: parallel moves at the end of the block whose edge carries them, once every value
// has its home.
#ifndef KILN_CORE_LIR_RA_ASSIGN_EDGES_H_
#define KILN_CORE_LIR_RA_ASSIGN_EDGES_H_

#include "core/lir/ra/assign_result.h"
#include "core/lir/ra/assign_state.h"

namespace kiln::lir::ra {

// Adds the copies of b's edge; false if a cycle of moves finds no free unit. Values are at home.
bool CopyArguments(const AssignInput& in, const Places& at, BlockId b, AssignResult* result);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_EDGES_H_
