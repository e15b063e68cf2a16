// SPIR-V enumerants: those of the system's headers and those added to the registry since
// (spirv_newer.def), in the same namespace.
#ifndef KILN_CORE_FRONT_GRAMMAR_SPIRV_ENUMS_H_
#define KILN_CORE_FRONT_GRAMMAR_SPIRV_ENUMS_H_

#include "core/front/grammar/spirv_registry.h"
#include "spirv/unified1/GLSL.std.450.h"

#endif  // KILN_CORE_FRONT_GRAMMAR_SPIRV_ENUMS_H_
