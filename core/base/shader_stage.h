// Shader stages: their names in the API, the endings of GLSL file names (glslang's), and their
// numbers in SPIR-V (1.6, section 3.3, and the extensions of mesh and ray pipelines).
#ifndef KILN_CORE_BASE_SHADER_STAGE_H_
#define KILN_CORE_BASE_SHADER_STAGE_H_

#include <cstdint>
#include <string_view>

namespace kiln {

enum class ShaderStage : uint8_t {
  kCompute,
  kVertex,
  kFragment,
  kGeometry,
  kTessControl,
  kTessEvaluation,
  kMesh,
  kTask,
  kRayGeneration,
  kIntersection,
  kAnyHit,
  kClosestHit,
  kMiss,
  kCallable,
};

struct ShaderStageRow {
  ShaderStage stage;
  std::string_view name;
  std::string_view ending;       // empty: GLSL of this stage is not accepted
  uint32_t model = 0;            // SPIR-V's execution model
  uint32_t older_model = model;  // an older extension's number; `model` if there is none
};

// By ShaderStage.
inline constexpr ShaderStageRow kShaderStages[] = {
    {ShaderStage::kCompute, "compute", "comp", 5},
    {ShaderStage::kVertex, "vertex", "vert", 0},
    {ShaderStage::kFragment, "fragment", "frag", 4},
    {ShaderStage::kGeometry, "geometry", "geom", 3},
    {ShaderStage::kTessControl, "tessellation_control", "tesc", 1},
    {ShaderStage::kTessEvaluation, "tessellation_evaluation", "tese", 2},
    {ShaderStage::kMesh, "mesh", "mesh", 5365, 5268},
    {ShaderStage::kTask, "task", "task", 5364, 5267},
    {ShaderStage::kRayGeneration, "ray_generation", "", 5313},
    {ShaderStage::kIntersection, "intersection", "", 5314},
    {ShaderStage::kAnyHit, "any_hit", "", 5315},
    {ShaderStage::kClosestHit, "closest_hit", "", 5316},
    {ShaderStage::kMiss, "miss", "", 5317},
    {ShaderStage::kCallable, "callable", "", 5318},
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_SHADER_STAGE_H_
