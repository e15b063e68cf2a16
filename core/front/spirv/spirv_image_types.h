// Reads types of images, samplers and both combined. They are not values; accesses through an
// unsupported one are refused for the cause that is recorded here.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_IMAGE_TYPES_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_IMAGE_TYPES_H_

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Fills `type` from an OpTypeImage, OpTypeSampler or OpTypeSampledImage.
absl::Status MakeImageType(const SpirvModule& module, const SpirvInst& inst, SpirvType& type);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_IMAGE_TYPES_H_
