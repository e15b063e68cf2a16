// Compile: prepared MIR -> linking and lowering for the target -> machine code, by its back end.
#include "core/driver/compile.h"

#include <utility>

#include "absl/status/status.h"
#include "core/base/cause.h"
#include "core/base/step.h"
#include "core/driver/mid_pipeline.h"
#include "core/driver/pass_list.h"
#include "core/driver/prepared.h"
#include "core/driver/targets.h"
#include "core/driver/tools.h"
#include "core/mir/build.h"
#include "core/target/check_features.h"

namespace kiln {

namespace {

// Removes outputs that the next stage does not read, and the computations they alone needed.
// `settled`: whether the neutral passes would change nothing more, before and afterwards.
absl::Status Link(const std::vector<ReadLocation>& reads, Runner& runner, mir::Module& module,
                  bool& settled) {
  const int64_t before = runner.rewrites();
  Linking linking = {module, reads};
  if (absl::Status s = runner.Run(LinkingLevel(), LinkingPasses(), linking); !s.ok()) return s;
  if (runner.rewrites() == before) return absl::OkStatus();
  absl::Status status = runner.Run(NeutralLevel(), NeutralPasses(), module);
  settled = runner.settled();
  return status;
}

}  // namespace

absl::StatusOr<Lowered> Lower(const Prepared& prepared, const mid::Features& features,
                              const CompileOptions& options, Sink* sink, const Budget& budget) {
  PassOptions runner_options = options.passes;
  runner_options.max_instructions = budget.max_mir_instructions;
  Runner runner(runner_options, sink, budget);
  runner.set_rewrites(prepared.rewrites);
  Lowered lowered;
  lowered.module = prepared.module;
  bool settled = prepared.settled && options.passes.disabled.empty();
  // No stage follows a fragment shader.
  if (options.state.next_stage_reads && lowered.module.stage == mir::Stage::kVertex) {
    absl::Status s = Link(*options.state.next_stage_reads, runner, lowered.module, settled);
    if (!s.ok()) return s;
  }
  if (absl::Status s = CheckFeatures(lowered.module, features); !s.ok()) return s;
  Lowering lowering = {lowered.module, features, options.state.view_mask, settled};
  if (absl::Status s = runner.Run(LoweringLevel(), LoweringPasses(), lowering); !s.ok()) return s;
  if (!lowering.settled || runner.rewrites() != prepared.rewrites) {
    const Step step(sink, "compact_mir", "mir");
    mir::Compact(lowered.module);
  }
  lowered.stopped = runner.stopped();
  lowered.rewrites = runner.rewrites();
  return lowered;
}

absl::StatusOr<Compiled> CompileFor(const Prepared& prepared, const Backend& backend,
                                    const CompileOptions& options, Sink* sink,
                                    const Budget& budget) {
  if (absl::Status s = CheckCompiler(backend); !s.ok()) return s;
  if (absl::Status s = CheckNames(options.passes); !s.ok()) return s;
  absl::Status contained = CheckContainer(backend, options.container, prepared.info.stage);
  if (!contained.ok()) return contained;
  if (absl::Status s = CheckScan(backend, options.scan); !s.ok()) return s;
  absl::Status grouped = CheckNggGroup(backend, options.ngg_group, prepared.info.stage);
  if (!grouped.ok()) return grouped;
  if (absl::Status s = CheckCulling(backend, options.state); !s.ok()) return s;
  if (!options.state.IsDefault() && prepared.info.stage == kComputeStage) {
    return WithCause(
        absl::InvalidArgumentError("pipeline state: a compute shader has none; leave it out"),
        "pipeline_state");
  }
  Compiled compiled;
  compiled.stage = prepared.info.stage;
  if (prepared.stopped) return compiled;
  const auto lowered = Lower(prepared, *backend.features, options, sink, budget);
  if (!lowered.ok()) return lowered.status();
  if (lowered->stopped) return compiled;
  Runner runner(options.passes, sink, budget);
  runner.set_rewrites(lowered->rewrites);
  auto made = backend.compile(lowered->module, options, runner, sink);
  if (!made.ok()) return made;
  compiled.variants = std::move(made->variants);
  return compiled;
}

absl::StatusOr<Compiled> Compile(const Prepared& prepared, Target target,
                                 const CompileOptions& options, Sink* sink, const Budget& budget) {
  return CompileFor(prepared, BackendOf(target), options, sink, budget);
}

std::vector<TargetContainer> ContainersOf(Target target) {
  std::vector<TargetContainer> all;
  for (const BackendContainer& row : BackendOf(target).containers) {
    all.push_back({out::InfoOf(row.container).name, {row.stages.begin(), row.stages.end()}});
  }
  return all;
}

absl::Span<const std::string_view> ScansOf(Target target) { return BackendOf(target).scans; }

absl::Span<const uint32_t> NggGroupsOf(Target target) { return BackendOf(target).ngg_groups; }

absl::StatusOr<std::optional<out::LaunchRecord>> RecordInFile(Target target,
                                                              absl::Span<const uint8_t> file) {
  for (const BackendContainer& row : BackendOf(target).containers) {
    if (row.claims(file)) return row.record(file);
  }
  return std::nullopt;
}

absl::Status CheckCompiler(Target target) { return CheckCompiler(BackendOf(target)); }
absl::Status CheckDisassembler(Target target) { return CheckDisassembler(BackendOf(target)); }

absl::StatusOr<std::string> Disassemble(Target target, absl::Span<const uint8_t> code) {
  return DisassembleBy(BackendOf(target), code);
}

}  // namespace kiln
