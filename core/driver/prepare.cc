// Prepare: SPIR-V -> MIR, with the optimisations that no target changes.
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/step.h"
#include "core/base/utf8.h"
#include "core/driver/mid_pipeline.h"
#include "core/driver/pass_list.h"
#include "core/driver/prepared.h"
#include "core/front/check/bounds.h"
#include "core/front/check/validate.h"
#include "core/front/import.h"
#include "core/mir/build.h"
#include "core/mir/immediates.h"

namespace kiln {
namespace {

// Returns nothing if no such stage is compiled, or none is named.
std::optional<mir::Stage> StageOf(const std::string& name) {
  for (const mir::Stage stage :
       {mir::Stage::kCompute, mir::Stage::kFragment, mir::Stage::kVertex}) {
    if (name == mir::kStageNames[static_cast<int>(stage)]) return stage;
  }
  return std::nullopt;
}

absl::Status UnsupportedStage(const std::string& name) {
  return Unsupported("unsupported_stage", absl::StrCat("stage '", Quoted(name), "'"));
}

absl::StatusOr<mir::Module> Import(absl::Span<const uint32_t> spirv, const PrepareOptions& options,
                                   Sink* sink, const Budget& budget) {
  const Step step(sink, "import_spirv", "front");
  front::ImportOptions import;
  import.entry = options.entry_point;
  import.stage = StageOf(options.stage);
  import.dispatch_base = options.dispatch_base;
  import.max_instructions = static_cast<uint64_t>(budget.max_mir_instructions);
  for (const auto& [id, bits] : options.spec_constants) {
    const auto type = options.spec_types.find(id);
    import.spec_constants.push_back(
        {id, bits, type == options.spec_types.end() ? SpecType::kBits : type->second});
  }
  return front::ImportSpirv(spirv, import);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Prepared>> PrepareMir(mir::Module module,
                                                           const PrepareOptions& options,
                                                           Sink* sink, const Budget& budget) {
  if (absl::Status s = CheckNames(options.passes); !s.ok()) return s;
  PassOptions runner_options = options.passes;
  runner_options.max_instructions = budget.max_mir_instructions;
  auto prepared = std::make_shared<Prepared>();
  prepared->module = std::move(module);
  Runner runner(runner_options, sink, budget);
  if (absl::Status s = runner.Run(NeutralLevel(), NeutralPasses(), prepared->module); !s.ok())
    return s;
  const Step step(sink, "compact_mir", "mir");
  mir::Compact(prepared->module);
  prepared->stopped = runner.stopped();
  prepared->settled = runner.settled();
  prepared->rewrites = runner.rewrites();
  prepared->info.entry_point = prepared->module.entry_point;
  prepared->info.stage = mir::kStageNames[static_cast<int>(prepared->module.stage)];
  prepared->info.mir_instructions = mir::CountInstructions(prepared->module);
  return std::shared_ptr<const Prepared>(std::move(prepared));
}

absl::StatusOr<std::shared_ptr<const Prepared>> Prepare(absl::Span<const uint32_t> spirv,
                                                        const PrepareOptions& options, Sink* sink,
                                                        const Budget& budget) {
  if (!options.stage.empty() && !StageOf(options.stage).has_value()) {
    return UnsupportedStage(options.stage);
  }
  {
    const Step step(sink, "check_bounds", "front");
    if (absl::Status s = front::CheckBounds(spirv, options.validate); !s.ok()) return s;
  }
  if (options.validate) {
    const Step step(sink, "validate_spirv", "front");
    if (absl::Status s = front::ValidateSpirv(spirv); !s.ok()) return s;
  }
  if (budget.Cancelled()) return absl::CancelledError("cancelled before import");
  absl::StatusOr<mir::Module> module = Import(spirv, options, sink, budget);
  if (!module.ok()) return module.status();
  return PrepareMir(*std::move(module), options, sink, budget);
}

const PreparedInfo& Info(const Prepared& prepared) { return prepared.info; }

}  // namespace kiln
