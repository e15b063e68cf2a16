// Whether a fragment shader runs once for each sample because its interface says so.
//
// Decided by the variables that the entry point lists, whether the shader reads them or not: inputs
// that are SampleId or SamplePosition, or decorated Sample, flat ones too. Source: Vulkan 1.3,
// "Sample Shading" (an interface that includes an input decorated SampleId or SamplePosition
// enables it with a minSampleShading of 1) and "Interpolation Decorations"; Mesa 25.0.7,
// spirv_to_nir.c, takes Sample likewise.
#ifndef KILN_CORE_FRONT_FINISH_SAMPLE_RATE_H_
#define KILN_CORE_FRONT_FINISH_SAMPLE_RATE_H_

#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Ids that are no variables count for nothing. Cost: linear in the types and the interface.
bool AsksForSampleRate(const SpirvModule& spirv, const SpirvEntryPoint& entry);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_SAMPLE_RATE_H_
