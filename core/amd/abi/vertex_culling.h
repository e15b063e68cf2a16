// Decides whether a vertex program leaves out primitives (core/amd/ABI.md, "Culling").
//
// In: the MIR module, the pipeline's state, and what the ABI says of the module's outputs. Cost:
// linear.
#ifndef KILN_CORE_AMD_ABI_VERTEX_CULLING_H_
#define KILN_CORE_AMD_ABI_VERTEX_CULLING_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/amd/abi/vertex.h"
#include "core/mir/mir.h"
#include "core/target/pipeline_state.h"

namespace kiln::amd {

// The reason, in words, why no primitive of a shader may be left out, and the SPIR-V id to blame or
// 0.
struct CullingObstacle {
  const char* why = "";
  uint32_t spirv_id = 0;
};

// Returns the first obstacle. Lanes change their vertices when survivors move together, and the
// position is computed before that, so the shader must compute the same in any lane, once or twice.
std::optional<CullingObstacle> FindCullingObstacle(const mir::Module& module,
                                                   const PositionParts& positions);

// Returns the inputs that fragments have by RADV's count: locations and built-ins that the next
// stage reads, or, where state does not name them, those that are written.
uint32_t CountNextStageInputs(const PipelineState& state, const VertexAbi& abi);

// Returns whether the program culls: by default if nothing stands against it and the next stage has
// at most 12 inputs. Unimplemented (primitive_culling): state asks for it, and the
// shader has an obstacle.
absl::StatusOr<bool> CullsPrimitives(const mir::Module& module, const PipelineState& state,
                                     const VertexAbi& abi);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_ABI_VERTEX_CULLING_H_
