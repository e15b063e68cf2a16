// The row of gfx1030 in the driver's table of targets.
#ifndef KILN_CORE_AMD_PIPELINE_BACKEND_H_
#define KILN_CORE_AMD_PIPELINE_BACKEND_H_

#include "core/target/backend.h"

namespace kiln::amd {

// The row of the driver's table: a compiler for compute shaders, and tools for machine code of any
// compiler.
extern const Backend kGfx1030Backend;

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_BACKEND_H_
