// Evaluates OpSpecConstantOp: operations on constants whose values are known, since specialisation
// comes first. This file handles selects and operations that move parts of composites; arithmetic
// goes leaf by leaf (spirv_constant_ops.h).
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_SPEC_OPS_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_SPEC_OPS_H_

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Appends the leaves of the result, which is of the supported type `type`, to
// SpirvModule::constant_leaves; or marks `c` as unsupported, to be refused where it is used.
absl::Status EvaluateSpecOp(SpirvModule& module, const SpirvInst& inst, const SpirvType& type,
                            SpirvConstant& c);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_SPEC_OPS_H_
