// gfx1030 as a machine for the shared LIR code: tables and hooks, for both sizes of waves
// (Function::dispatch_width 32 and 64).
#ifndef KILN_CORE_AMD_LIR_MACHINE_H_
#define KILN_CORE_AMD_LIR_MACHINE_H_

#include "core/lir/machine.h"

namespace kiln::amd {

const lir::Machine& Gfx1030Machine();

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_LIR_MACHINE_H_
