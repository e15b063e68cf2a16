// SPIR-V enumerants, with the header's table of which instructions have a result.
#ifndef KILN_CORE_FRONT_SPIRV_ENUMS_H_
#define KILN_CORE_FRONT_SPIRV_ENUMS_H_

#ifndef SPV_ENABLE_UTILITY_CODE
#define SPV_ENABLE_UTILITY_CODE
#endif
#include "spirv/unified1/GLSL.std.450.h"
#include "spirv/unified1/spirv.hpp11"

#endif  // KILN_CORE_FRONT_SPIRV_ENUMS_H_
