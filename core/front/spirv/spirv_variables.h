// Reads variables outside functions.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_VARIABLES_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_VARIABLES_H_

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

absl::Status ReadVariable(SpirvModule& module, const SpirvInst& inst);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_VARIABLES_H_
