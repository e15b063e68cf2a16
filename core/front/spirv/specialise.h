// Whether the values given for specialisation constants are for constants that the module has.
//
// Vulkan ignores a value for a SpecId that a module does not have (VkSpecializationInfo) and trusts
// the size of the others. Kiln refuses both: a permutation compiled under a name that does not set
// what it says is a wrong answer that nobody sees.
#ifndef KILN_CORE_FRONT_SPIRV_SPECIALISE_H_
#define KILN_CORE_FRONT_SPIRV_SPECIALISE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// INVALID_ARGUMENT with cause unknown_spec_constant (lists those there are) or spec_constant_type
// (names both types, or the range that an integer is not in, and the SPIR-V id). Cost: linear in
// the module's ids, nothing without values.
absl::Status CheckSpecialisation(const SpirvModule& spirv, absl::Span<const SpecConstant> given);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPECIALISE_H_
