// Results of a database for other tools: see stored_results.h.
#include "client/precompile/stored_results.h"

#include <optional>

#include "absl/strings/str_split.h"
#include "client/database/pair_name.h"
#include "client/output/result_json.h"
#include "proto/statistics.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using kiln::v1::Variant;

// Columns of a stage's row, in the order of the query.
enum Column {
  kSource,
  kPipeline,
  kKind,
  kFile,
  kNumber,
  kTarget,
  kStage,
  kEntry,
  kName,
  kDefines,
  kSpec,
  kSubgroupSize,
  kState,
  kStatus,
  kCause,
  kMessage,
  kCompileUs,
  kResult,
};
constexpr char kStages[] =
    "SELECT source, pipeline, kind, file, number, target, stage, entry, name, defines, spec, "
    "subgroup_size, state, status, cause, message, compile_us, result FROM stage_result "
    "ORDER BY source, pipeline, number, target";
constexpr char kFigures[] =
    "SELECT variant, width, name, value FROM variant LEFT JOIN statistic USING (result, variant) "
    "WHERE result = ? ORDER BY width, variant, name";

std::vector<std::string> Words(const std::string& text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

// Adds the variants of the row's result.
absl::Status AddVariants(int64_t id, SqlStatement* query, TargetResult* result) {
  query->Start(id);
  std::vector<std::pair<std::string, int64_t>> figures;
  const auto finish = [&] {
    std::vector<NamedValue> values;
    for (const auto& [name, value] : figures) values.push_back({name, value});
    if (result->variants_size() != 0) {
      Variant* last = result->mutable_variants(result->variants_size() - 1);
      *last->mutable_statistics() = PackStatistics(values);
    }
    figures.clear();
  };
  for (;;) {
    const absl::StatusOr<bool> row = query->Next();
    if (!row.ok()) return row.status();
    if (!*row) break;
    const std::string name = query->Text(0);
    const int count = result->variants_size();
    if (count == 0 || result->variants(count - 1).name() != name) {
      finish();
      Variant* variant = result->add_variants();
      variant->set_name(name);
      variant->set_width(static_cast<uint32_t>(query->Int(1)));
    }
    if (!query->IsNull(2)) figures.emplace_back(query->Text(2), query->Int(3));
  }
  finish();
  return absl::OkStatus();
}

// Names the row's file, and the other one of a pair.
void SetFile(const SqlStatement& row, ExportedResult* exported) {
  exported->file = row.Text(kFile);
  if (row.Text(kKind) != kPairKind) return;
  const auto files = FilesOfPair(exported->file);
  if (!files.has_value()) return;
  const bool is_vertex = row.Int(kNumber) == 0;
  exported->file = is_vertex ? files->first : files->second;
  exported->identity.pair = is_vertex ? files->second : files->first;
}

ExportedResult ExportedRow(const SqlStatement& row) {
  ExportedResult exported;
  TargetResult& result = exported.result;
  result.set_target(row.Text(kTarget));
  result.set_stage(row.Text(kStage));
  result.set_entry_point(row.Text(kEntry));
  result.set_status(StatusOfWord(row.Text(kStatus)));
  result.set_cause(row.Text(kCause));
  result.set_message(row.Text(kMessage));
  result.mutable_timings()->set_compile_ns(row.Int(kCompileUs) * 1000);
  ResultIdentity& identity = exported.identity;
  identity.name = row.Text(kName);
  identity.defines = Words(row.Text(kDefines));
  identity.spec = Words(row.Text(kSpec));
  identity.subgroup_size = static_cast<uint32_t>(row.Int(kSubgroupSize));
  // A capture's pipeline has one state, and its name is that of no other.
  const std::string kind = row.Text(kKind);
  if (kind == kFileKind || kind == kPairKind) identity.state = row.Text(kState);
  SetFile(row, &exported);
  return exported;
}

}  // namespace

absl::StatusOr<std::vector<ExportedResult>> StoredResultsOf(
    SqlDatabase* db, const std::set<PipelineName>& pipelines) {
  auto stages = db->Prepare(kStages);
  if (!stages.ok()) return stages.status();
  auto figures = db->Prepare(kFigures);
  if (!figures.ok()) return figures.status();
  std::vector<ExportedResult> results;
  stages->Start();
  for (;;) {
    const absl::StatusOr<bool> row = stages->Next();
    if (!row.ok()) return row.status();
    if (!*row) return results;
    if (pipelines.count({stages->Text(kSource), stages->Text(kPipeline)}) == 0) continue;
    ExportedResult& exported = results.emplace_back(ExportedRow(*stages));
    absl::Status s = AddVariants(stages->Int(kResult), &*figures, &exported.result);
    if (!s.ok()) return s;
    exported.diagnostics = DiagnosticsOf(exported.result, {}, {{exported.file, exported.file}});
  }
}

}  // namespace kiln::client
