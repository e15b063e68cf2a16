// Compiles a file for the results database: see file_job.h.
#include "client/precompile/file_job.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "client/compile/compile_file.h"
#include "client/database/pair_name.h"
#include "client/output/result_json.h"
#include "client/source/entry_points.h"
#include "client/source/source.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;

// Fills in stage and entry point as far as the request shows them.
void SetEntry(const CompileRequest& request, StageRow* row) {
  row->stage = request.has_glsl() ? request.glsl().stage() : request.stage();
  row->entry = request.has_glsl() ? EntryPointOf(request.glsl()) : request.entry_point();
  if (request.has_glsl()) return;
  const std::vector<EntryPoint> entries = EntryPointsOf(request.spirv());
  if (entries.size() != 1) return;
  if (row->stage.empty()) row->stage = entries[0].stage;
  if (row->entry.empty()) row->entry = entries[0].name;
}

}  // namespace

StageRow DescribedStage(const BatchItem& item, const CompileSettings& settings,
                        const CompileRequest& request) {
  const ResultIdentity identity = IdentityOf(item.options == nullptr ? "" : item.options->name,
                                             settings.source.defines, request);
  StageRow row;
  SetEntry(request, &row);
  row.name = identity.name;
  row.defines = absl::StrJoin(identity.defines, " ");
  row.spec = absl::StrJoin(identity.spec, " ");
  row.subgroup_size = identity.subgroup_size;
  row.state = identity.state;
  return row;
}

const std::string& NameInDatabase(const BatchItem& item) {
  return item.output.empty() ? item.name : item.output;
}

absl::StatusOr<PipelineRow> CompileFileItem(const BatchItem& item, const CompileSettings& common,
                                            int64_t source, StageCompiler* compiler) {
  CompileSettings settings = SettingsOf(common, item.options.get());
  settings.source.tree = item.tree;
  const LoadedFile file = LoadFile(settings, item.path, item.name);
  PipelineRow row;
  row.source = source;
  row.name = NameInDatabase(item);
  row.file = item.name;
  row.kind = kFileKind;
  StageRow& stage = row.stages.emplace_back(DescribedStage(item, settings, file.request));
  if (!file.error.ok()) {
    absl::StatusOr<FileOutcome> outcome =
        CompileFile(compiler->service(), compiler->capabilities(), settings, item.path, item.name);
    if (!outcome.ok()) return outcome.status();
    for (auto& result : outcome->results) {
      stage.outcomes.push_back(OutcomeWithoutUnit(std::move(result)));
    }
    return row;
  }
  absl::StatusOr<std::vector<OutcomeRow>> outcomes = compiler->Compile(
      UnitOf(file.request), file, settings, [](CompileRequest*) { return absl::OkStatus(); });
  if (!outcomes.ok()) return outcomes.status();
  stage.outcomes = *std::move(outcomes);
  return row;
}

}  // namespace kiln::client
