// Loads descriptors again in each block that reads them, for programs that have more scalars live
// at once than there are registers. Internal to this folder.
//
// Problem: a descriptor has four or eight registers, and one that many blocks read keeps them from
// the first of these to the last. The middle end merges its loads and moves them out of loops.
// Algorithm: each block loads what it reads by an instruction of its own, before the first reader;
// from there on only the address, a pair that all descriptors of a set share, is live across
// blocks. No program writes descriptors, so the loads agree. (Mesa 25.0.7 leaves such loads where
// the source has them: RADV runs no global code motion, radv_pipeline.c.)
// Cost: linear. A load in a loop is a wait in each of its iterations: only for programs that would
// spill.
#ifndef KILN_CORE_AMD_PIPELINE_RELOAD_DESCRIPTORS_H_
#define KILN_CORE_AMD_PIPELINE_RELOAD_DESCRIPTORS_H_

#include "core/lir/lir.h"

namespace kiln::amd {

// In and out: SSA. Returns true if anything changed.
bool ReloadDescriptors(lir::Function& f);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_RELOAD_DESCRIPTORS_H_
