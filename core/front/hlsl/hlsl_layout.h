// Lays out the blocks of a module as DXC does without -fvk-use-dx-layout.
//
// glslang's own layout of HLSL places members so, but counts the sizes of structs as if vectors
// were aligned as in GLSL: struct { float; float3; float2 } has 48 bytes there and 32 for DXC, so
// members and elements after it lie elsewhere. This computes all offsets and strides anew:
//
//   A vector of 3 is aligned as one of 4, a matrix is an array of its columns (rows, if it is
//   packed so), a struct is aligned as its largest member; in uniform blocks elements of arrays,
//   vectors of matrices and structs are aligned to 16 bytes (std140), elsewhere not (std430). In a
//   struct a vector of components of at most 4 bytes may begin at any multiple of a component,
//   unless it would cross a multiple of 16 bytes; then it begins there. Its alignment counts for
//   the struct all the same.
//
// Source: DXC's "SPIR-V CodeGen", "Memory layouts"; judged by modules that DXC made: of 148 blocks
// in 161 modules (of SaschaWillems/Vulkan, KhronosGroup/Vulkan-Samples and SPIRV-Reflect) all have
// these offsets and strides but those of [[vk::offset]] and of -fvk-use-dx-layout.
//
// In: words that glslang made. Cost: linear in the words and in the members of the blocks.
#ifndef KILN_CORE_FRONT_HLSL_HLSL_LAYOUT_H_
#define KILN_CORE_FRONT_HLSL_HLSL_LAYOUT_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kiln::front {

// Changes the decorations Offset, ArrayStride and MatrixStride. The members of blocks whose types
// have the names of `placed` (OpName) stay where they are. Returns true if elements of an array
// without length have another stride than before. UNIMPLEMENTED: a type belongs to blocks of
// different rules.
absl::StatusOr<bool> LayOutBlocks(const std::set<std::string>& placed,
                                  std::vector<uint32_t>* words);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_HLSL_HLSL_LAYOUT_H_
