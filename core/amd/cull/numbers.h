// The numbers of gfx1030 for what a vertex program that culls has besides other programs:
// imm0 of mir::Op::kLaunchScalar, kLaunchVector and kStageEffect.
//
// core/amd/cull writes these operations, core/amd/select knows their registers and instructions.
#ifndef KILN_CORE_AMD_CULL_NUMBERS_H_
#define KILN_CORE_AMD_CULL_NUMBERS_H_

#include <cstdint>

namespace kiln::amd {

// Scalar registers at the start (core/amd/ABI.md, "Vertices").
enum class LaunchScalar : uint32_t {
  kGroupCounts,      // vertices of the workgroup [20:12], primitives [30:22]
  kWaveCounts,       // lanes of vertices [7:0], of primitives [15:8]; wave [27:24], waves [31:28]
  kCullingSettings,  // CullingSetting (core/amd/abi/vertex.h)
  kViewportScaleX,   // floats, in units of samples
  kViewportScaleY,
  kViewportOffsetX,
  kViewportOffsetY,
};

// Vector registers at the start.
enum class LaunchVector : uint32_t {
  kFirstTwoIndices,  // of the lane's primitive: a vertex of the workgroup [15:0], another [31:16]
  kThirdIndex,
  kVertexId,    // of the lane's vertex, from zero
  kInstanceId,  // the same of its instance
};

enum class StageEffect : uint32_t {
  kRequestRoom,      // vertices [11:0], primitives [22:12] that the workgroup exports
  kExportPrimitive,  // the packed primitive
  // The inputs that follow are those of a vertex: its number and its instance's, from zero.
  kStartVertex,
  kExportVertex,  // the outputs that were stored since
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_CULL_NUMBERS_H_
