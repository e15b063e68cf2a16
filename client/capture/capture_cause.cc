// Causes of a capture: see capture_cause.h.
#include "client/capture/capture_cause.h"

namespace kiln::client {

using kiln::v1::TargetResult;

const std::vector<CaptureCauseRow>& CaptureCauses() {
  static const auto& rows = *new std::vector<CaptureCauseRow>{
      {CaptureCause::kDamagedEntry, "damaged_entry", false,
       "An entry of the capture is damaged, or is no entry of Fossilize's format.",
       "Record the capture again, or copy it again from where it is whole."},
      {CaptureCause::kMalformedPipeline, "malformed_pipeline", false,
       "The capture describes a pipeline that Vulkan does not allow.",
       "Record the capture again, with the validation layers on."},
      {CaptureCause::kNoStages, "no_stages", false,
       "The pipeline has no stage, and no library that it would be linked from.",
       "Record the capture again."},
      {CaptureCause::kMissingModule, "missing_module", false,
       "No file of the capture has the stage's module.",
       "Put all files of the capture (base.foz, base.1.foz, ...) into one folder."},
      {CaptureCause::kMissingRenderPass, "missing_render_pass", false,
       "No file of the capture has the pipeline's render pass, whose attachments the code depends "
       "on.",
       "Put all files of the capture (base.foz, base.1.foz, ...) into one folder."},
      {CaptureCause::kModuleIdentifier, "module_identifier", true,
       "The stage was made from a module identifier, which names code that only the driver has.",
       "Record the application with VK_EXT_shader_module_identifier off."},
      {CaptureCause::kPipelineLibrary, "pipeline_library", true,
       "Pipelines that are parts of others, or are linked from such parts, are not compiled: the "
       "state that the code depends on is in several of them.",
       "Record the application with VK_EXT_graphics_pipeline_library off."},
      {CaptureCause::kDynamicState, "dynamic_state", true,
       "The code depends on state that the pipeline leaves to be set when it draws.",
       "Compile the module by itself, with each state that occurs (--state)."},
      {CaptureCause::kRasterizerDiscard, "rasterizer_discard", true,
       "The pipeline discards all primitives before their fragments, so that the stage never runs.",
       "Nothing needs to be done: a driver compiles no code for it either."},
      {CaptureCause::kDescriptorMapping, "descriptor_mapping", true,
       "The stage maps its bindings to places in a descriptor heap (VK_EXT_descriptor_heap), which "
       "the compiler does not know.",
       "Compile the module by itself, with descriptor sets."},
      {CaptureCause::kUnknownFormat, "unknown_format", true,
       "The format of a colour attachment is unknown, so that the type of the output is.",
       "Compile the module by itself, with the type of the output in its state (--state)."},
      {CaptureCause::kInvalidSpecialization, "invalid_specialization", false,
       "The specialisation of the stage contradicts itself, or points outside of its data.",
       "Record the capture again, with the validation layers on."},
  };
  return rows;
}

TargetResult ResultOf(const CaptureProblem& problem, absl::string_view target,
                      absl::string_view stage, absl::string_view entry) {
  const CaptureCauseRow& row = CaptureCauses()[static_cast<size_t>(problem.cause)];
  TargetResult result;
  result.set_target(std::string(target));
  result.set_stage(std::string(stage));
  result.set_entry_point(std::string(entry));
  result.set_status(row.refused ? TargetResult::REFUSED : TargetResult::INVALID);
  result.set_cause(std::string(row.word));
  result.set_message(problem.what);
  result.mutable_reason()->set_sentence(std::string(row.sentence));
  result.mutable_reason()->set_remedy(std::string(row.remedy));
  result.mutable_reason()->set_what(problem.what);
  return result;
}

}  // namespace kiln::client
