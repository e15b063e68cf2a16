// Types of images, samplers and both together. They are no values; what is accessed through them is
// refused there, for the reason that is found here.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_IMAGE_TYPES_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_IMAGE_TYPES_H_

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// `type` of an OpTypeImage, OpTypeSampler or OpTypeSampledImage.
absl::Status MakeImageType(const SpirvModule& module, const SpirvInst& inst, SpirvType& type);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_IMAGE_TYPES_H_
