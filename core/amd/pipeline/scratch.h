// The start of a program that uses scratch memory.
#ifndef KILN_CORE_AMD_PIPELINE_SCRATCH_H_
#define KILN_CORE_AMD_PIPELINE_SCRATCH_H_

#include "core/amd/abi/abi.h"
#include "core/amd/emit/program.h"

namespace kiln::amd {

// Adds in front of the program what sets FLAT_SCRATCH, from which scratch instructions count: the
// base of all waves' scratch plus this wave's offset. Changes the two SGPRs that hold the base.
void AddScratchPrologue(const Abi& abi, Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_SCRATCH_H_
