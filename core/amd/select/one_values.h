// Finds the uniform values that must be one value for all lanes, wherever they come from. Internal
// to this folder.
//
// Problem: a load into vector registers finds a value for each lane, and these may differ while
// another wave writes there, though the analysis calls the value uniform. Where a jump, a scalar
// instruction or an operation between lanes takes it for one, all readers must see that one. Where
// everything that is computed from it is computed lane by lane, reading the first lane would only
// cost.
// Algorithm: backward over the tree, from readers to what they read. A reader that works lane by
// lane passes on what its results need. Values that jumps carry are one if they go to a scalar
// register, or to a value that is one. Repeated until nothing changes, because of loops; after
// kMaxSweeps all uniform values are, which is always right.
#ifndef KILN_CORE_AMD_SELECT_ONE_VALUES_H_
#define KILN_CORE_AMD_SELECT_ONE_VALUES_H_

#include <vector>

#include "core/mid/analysis/divergence.h"
#include "core/mir/mir.h"

namespace kiln::amd {

// Returns true for a load of a buffer whose result is in scalar registers: of what nothing in the
// dispatch writes, whole dwords, at an offset that is one for all lanes.
bool IsScalarLoad(const mir::Module& m, const mid::Divergence& divergence, mir::InstId id);

// Returns, by MIR value, whether it must be one value.
std::vector<bool> FindOneValues(const mir::Module& m, const mid::Divergence& divergence);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_ONE_VALUES_H_
