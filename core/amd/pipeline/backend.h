// The row of gfx1030 in the driver's table of targets.
#ifndef KILN_CORE_AMD_PIPELINE_BACKEND_H_
#define KILN_CORE_AMD_PIPELINE_BACKEND_H_

#include "core/target/backend.h"

namespace kiln::amd {

// The row of the driver's table: tools for machine code of any compiler. The driver refuses
// compiles.
extern const Backend kGfx1030Backend;

// The same target with its compiler, which tests/exec judges. It becomes the row once everything
// that core/amd/README.md lists as missing is there.
extern const Backend kGfx1030Compiler;

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_BACKEND_H_
