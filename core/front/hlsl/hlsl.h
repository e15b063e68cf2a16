// Compiles HLSL to SPIR-V, with glslang's reader.
//
// glslang reads HLSL up to shader model 5.1, with the wave intrinsics of 6.0; templates, 16-bit
// types and other newer features are refused with the cause "hlsl_feature", as is what glslang
// would drop in silence. SPIR-V that DXC made has none of these limits.
//
// A text means what DXC's SPIR-V of it means: registers with shifts (hlsl_registers.h),
// spaces as sets, matrices packed by columns unless asked otherwise, the layout of memory that DXC
// has without -fvk-use-dx-layout (std140 and std430, in which a vector may begin at any multiple of
// its component unless it would cross 16 bytes), "#pragma once", and the macro __spirv__.
//
// As for GLSL: only worker processes and tests may link this, no files are read, and the same
// source gives the same words for one HlslReaderVersion.
#ifndef KILN_CORE_FRONT_HLSL_HLSL_H_
#define KILN_CORE_FRONT_HLSL_HLSL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/front/glsl/glsl_source.h"
#include "core/front/hlsl/hlsl_registers.h"

namespace kiln::front {

struct HlslSource {
  // Its `entry` is the function that is the entry point, and its name in SPIR-V. The version of
  // Vulkan is not read: the module is SPIR-V 1.3, for Vulkan 1.1.
  GlslSource text;
  RegisterShifts shifts;
  bool row_major =
      false;  // as DXC's -Zpr: matrices without row_major or column_major are row_major
};

// As GlslangIsReady and StartGlslang, for HLSL.
bool HlslReaderIsReady();
void StartHlslReader(const HlslSource& source);

// Compiles the source. Bounds, includes and errors are those of CompileGlsl; the causes are
// "invalid_hlsl" instead of "invalid_glsl", and "hlsl_feature". glslang's optimiser makes the
// module valid for Vulkan (variables of textures and samplers become the resources that they hold).
absl::StatusOr<std::vector<uint32_t>> CompileHlsl(const HlslSource& source);

// Returns the version of everything that decides what a text becomes, for cache keys.
std::string HlslReaderVersion();

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_HLSL_HLSL_H_
