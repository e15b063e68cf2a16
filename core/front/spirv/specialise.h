// Checks that every specialisation value names a constant of the module and fits its type.
//
// Vulkan ignores a value for a SpecId that a module does not have (VkSpecializationInfo) and trusts
// the sizes of the others. Kiln refuses both: otherwise a permutation would be compiled under a
// name that claims values it does not have, and the error would go unnoticed.
#ifndef KILN_CORE_FRONT_SPIRV_SPECIALISE_H_
#define KILN_CORE_FRONT_SPIRV_SPECIALISE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Errors: INVALID_ARGUMENT with cause unknown_spec_constant (lists the existing ones) or
// spec_constant_type (names both types, or the range that an integer is outside of, and the SPIR-V
// id). Cost: linear in the module's ids, nothing without values.
absl::Status CheckSpecialisation(const SpirvModule& spirv, absl::Span<const SpecConstant> given);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPECIALISE_H_
