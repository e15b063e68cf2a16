// Inserts the waits for counters that a program of gfx1030 needs, and no others.
//
// In: a program after emission, before its branches are resolved. Waits that are already there
// (fences) are kept as far as anything may be outstanding, and merged with their neighbours.
// s_barrier's simm says what to wait for before it (1 LDS, 2 buffers, images and global memory) and
// becomes 0. Waits of the members of a clause go before the clause; a clause whose members need
// results of each other is dissolved.
//
// The sets of operations that may be outstanding are propagated over the wave's edges to a
// fixpoint, the stricter of two at a join. Cost: linear in practice, each block a few times.
#ifndef KILN_CORE_AMD_WAITS_INSERT_WAITS_H_
#define KILN_CORE_AMD_WAITS_INSERT_WAITS_H_

#include "core/amd/emit/program.h"

namespace kiln::amd {

void InsertWaits(Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_WAITS_INSERT_WAITS_H_
