// Decides from its interface whether a fragment shader runs once for each sample.
//
// It does if an input variable that the entry point lists, read or not, is SampleId or
// SamplePosition, or is decorated Sample, even if flat. Source: Vulkan 1.3, "Sample Shading" (an
// interface that includes an input decorated SampleId or SamplePosition enables it with a
// minSampleShading of 1) and "Interpolation Decorations"; Mesa 25.0.7, spirv_to_nir.c, treats
// Sample in the same way.
#ifndef KILN_CORE_FRONT_FINISH_SAMPLE_RATE_H_
#define KILN_CORE_FRONT_FINISH_SAMPLE_RATE_H_

#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Returns true if the entry point needs sample rate. Ignores ids that are no variables. Cost:
// linear in the types and the interface.
bool AsksForSampleRate(const SpirvModule& spirv, const SpirvEntryPoint& entry);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_SAMPLE_RATE_H_
