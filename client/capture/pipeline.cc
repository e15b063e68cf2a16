// A pipeline of a capture: see pipeline.h.
#include "client/capture/pipeline.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "client/capture/entry_json.h"
#include "client/capture/specialization.h"
#include "client/capture/vulkan_numbers.h"
#include "core/base/shader_stage.h"

namespace kiln::client {
namespace {

constexpr char kVertex[] = "vertex", kFragment[] = "fragment", kCompute[] = "compute";

// VkShaderStageFlagBits by ShaderStage.
constexpr struct {
  uint32_t bit;
  ShaderStage stage;
} kStageBits[] = {
    {0x1, ShaderStage::kVertex},          {0x2, ShaderStage::kTessControl},
    {0x4, ShaderStage::kTessEvaluation},  {0x8, ShaderStage::kGeometry},
    {0x10, ShaderStage::kFragment},       {0x20, ShaderStage::kCompute},
    {0x40, ShaderStage::kTask},           {0x80, ShaderStage::kMesh},
    {0x100, ShaderStage::kRayGeneration}, {0x200, ShaderStage::kAnyHit},
    {0x400, ShaderStage::kClosestHit},    {0x800, ShaderStage::kMiss},
    {0x1000, ShaderStage::kIntersection}, {0x2000, ShaderStage::kCallable},
};

std::string StageOfBit(uint32_t bit) {
  for (const auto& row : kStageBits) {
    if (row.bit == bit) return std::string(kShaderStages[static_cast<size_t>(row.stage)].name);
  }
  return "";
}

const char* SectionOf(FozTag kind) {
  switch (kind) {
    case FozTag::kGraphicsPipeline: return "graphicsPipelines";
    case FozTag::kRayTracingPipeline: return "raytracingPipelines";
    default: return "computePipelines";
  }
}

// Structures of VK_EXT_descriptor_heap in a stage's chain have no number that is settled in the
// headers of Debian: they are known by their member.
bool MapsDescriptors(const EntryJson& stage) {
  for (const EntryJson& next : stage.Objects("pNext")) {
    if (next.Has("mappings")) return true;
  }
  return false;
}

std::optional<CaptureProblem> ModuleProblem(const EntryJson& json, uint64_t module) {
  if (module != 0) return std::nullopt;
  if (json.HasNext(vulkan::kModuleIdentifier)) {
    return CaptureProblem{CaptureCause::kModuleIdentifier, "a stage without code"};
  }
  return CaptureProblem{CaptureCause::kMissingModule, "a stage that names no module"};
}

CapturedStage ReadStage(const EntryJson& json) {
  CapturedStage stage;
  const uint32_t bit = json.Uint("stage");
  stage.stage = StageOfBit(bit);
  if (const std::string* name = json.Text("name"); name != nullptr) stage.entry = *name;
  stage.module = json.Hash("module");
  stage.problem = ModuleProblem(json, stage.module);
  if (stage.stage.empty()) {
    stage.problem = {CaptureCause::kMalformedPipeline, absl::StrCat("a stage of bits ", bit)};
  }
  if (MapsDescriptors(json)) stage.problem = {CaptureCause::kDescriptorMapping, "bindings"};
  if (json.Has("specializationInfo")) {
    auto spec = ReadSpecialization(json.Object("specializationInfo"));
    if (spec.ok()) {
      stage.spec = *std::move(spec);
    } else {
      stage.problem = {CaptureCause::kInvalidSpecialization, std::string(spec.status().message())};
    }
  }
  const EntryJson size = json.Next(vulkan::kRequiredSubgroupSize);
  stage.options.set_required_subgroup_size(size.Uint("requiredSubgroupSize"));
  if ((json.Uint("flags") & vulkan::kStageRequireFullSubgroups) != 0) {
    stage.options.set_require_full_subgroups(true);
  }
  return stage;
}

uint64_t FlagsOf(const EntryJson& pipeline) {
  // The newer flags replace the older ones (VK_KHR_maintenance5).
  const EntryJson newer = pipeline.Next(vulkan::kPipelineCreateFlags2);
  return newer.Has("flags") ? newer.Number("flags") : pipeline.Number("flags");
}

std::optional<CaptureProblem> LibraryProblem(const EntryJson& pipeline, uint64_t flags) {
  const EntryJson linked = pipeline.Next(vulkan::kPipelineLibrary);
  if (linked.Has("libraries") || pipeline.Object("libraryInfo").Has("libraries")) {
    return CaptureProblem{CaptureCause::kPipelineLibrary, "a pipeline linked from libraries"};
  }
  if ((flags & vulkan::kCreateLibrary) != 0 || pipeline.HasNext(vulkan::kGraphicsPipelineLibrary)) {
    return CaptureProblem{CaptureCause::kPipelineLibrary, "a library"};
  }
  return std::nullopt;
}

// Gives the graphics stages the state that their code depends on.
void SetState(const GraphicsState& state, CapturedPipeline* pipeline) {
  if (!pipeline->problem.has_value()) pipeline->problem = state.problem;
  for (CapturedStage& stage : pipeline->stages) {
    auto* own = stage.options.mutable_state();
    own->set_view_mask(state.view_mask);
    if (stage.stage == kVertex && state.no_triangles) {
      own->set_primitive_culling(kiln::v1::PipelineState::CULLING_OFF);
    }
    if (stage.stage != kFragment) continue;
    *own->mutable_fragment() = state.fragment;
    if (!stage.problem.has_value()) stage.problem = state.fragment_problem;
  }
}

void ReadStages(const PipelineId& id, const EntryJson& json, CapturedPipeline* pipeline) {
  if (id.kind == FozTag::kComputePipeline) {
    if (!json.Has("stage")) return;
    pipeline->stages.push_back(ReadStage(json.Object("stage")));
    if (pipeline->stages[0].stage != kCompute) {
      pipeline->stages[0].problem = {CaptureCause::kMalformedPipeline,
                                     "a compute pipeline of another stage"};
    }
    return;
  }
  for (const EntryJson& stage : json.Objects("stages")) {
    pipeline->stages.push_back(ReadStage(stage));
  }
}

// Vulkan allows each stage once in a graphics pipeline.
std::optional<CaptureProblem> RepeatedStage(const CapturedPipeline& pipeline) {
  for (auto it = pipeline.stages.begin(); it != pipeline.stages.end(); ++it) {
    const auto same = [&](const CapturedStage& other) { return other.stage == it->stage; };
    if (std::any_of(std::next(it), pipeline.stages.end(), same)) {
      return CaptureProblem{CaptureCause::kMalformedPipeline,
                            absl::StrCat("a second ", it->stage, " stage")};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> CapturedPipeline::ReaderOfVertexOutputs() const {
  std::optional<size_t> fragment;
  for (size_t i = 0; i < stages.size(); ++i) {
    const std::string& stage = stages[i].stage;
    if (stage == kFragment) {
      fragment = i;
    } else if (stage != kVertex) {
      return std::nullopt;
    }
  }
  return fragment;
}

CapturedPipeline ReadPipeline(const PipelineId& id, absl::string_view payload,
                              const RenderPassOf& render_pass) {
  CapturedPipeline pipeline;
  const auto document =
      EntryDocument::Parse(payload.substr(0, payload.find('\0')), SectionOf(id.kind), id.hash);
  if (!document.ok()) {
    pipeline.problem = {CaptureCause::kDamagedEntry, std::string(document.status().message())};
    return pipeline;
  }
  const EntryJson json = document->object();
  const uint64_t flags = FlagsOf(json);
  ReadStages(id, json, &pipeline);
  pipeline.problem = LibraryProblem(json, flags);
  if (id.kind == FozTag::kGraphicsPipeline) {
    if (!pipeline.problem.has_value()) pipeline.problem = RepeatedStage(pipeline);
    if (!pipeline.problem.has_value()) SetState(ReadGraphicsState(json, render_pass), &pipeline);
  } else if (id.kind == FozTag::kComputePipeline && !pipeline.stages.empty()) {
    pipeline.stages[0].options.set_dispatch_base((flags & vulkan::kCreateDispatchBase) != 0);
  }
  if (pipeline.stages.empty() && !pipeline.problem.has_value()) {
    pipeline.problem = {CaptureCause::kNoStages, "a pipeline without stages"};
  }
  if (absl::Status s = document->status(); !s.ok()) {
    pipeline.problem = {CaptureCause::kDamagedEntry, std::string(s.message())};
  }
  return pipeline;
}

}  // namespace kiln::client
