// Compiles a pair for the results database: see pair_job.h.
#include "client/precompile/pair_job.h"

#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/compile/compile_pair.h"
#include "client/database/pair_name.h"
#include "client/precompile/file_job.h"
#include "client/request/request_options.h"
#include "server/key/sha256.h"

namespace kiln::client {
namespace {

using kiln::v1::SpecConstant;
using kiln::v1::TargetResult;

constexpr size_t kFiles = 2;
constexpr std::array<const char*, kFiles> kStages = {"vertex", "fragment"};

// The two files as they are compiled.
struct LoadedPair {
  std::array<PairFile, kFiles> files;
  std::optional<std::vector<SpecConstant>> vertex_spec;
  std::array<LoadedFile, kFiles> loaded;

  bool readable() const { return loaded[0].error.ok() && loaded[1].error.ok(); }
};

LoadedPair Load(const BatchItem& item, const CompileSettings& settings) {
  LoadedPair pair;
  pair.files = {PairFile{item.path, item.name, kStages[0], ""},
                PairFile{item.fragment->path, item.fragment->name, kStages[1], ""}};
  pair.vertex_spec = VertexSpecOf(item.options.get());
  const auto entries = EntriesOfPair(settings.request.entry_point());
  for (size_t i = 0; i < kFiles; ++i) {
    CompileSettings own = settings;
    own.source.stage = kStages[i];
    pair.loaded[i] = LoadFile(own, pair.files[i].path, pair.files[i].name);
    auto& request = pair.loaded[i].request;
    request.set_stage(kStages[i]);
    if (entries.ok()) request.set_entry_point((*entries)[i]);
  }
  if (pair.vertex_spec.has_value()) {
    pair.loaded[0].request.mutable_spec_constants()->Assign(pair.vertex_spec->begin(),
                                                            pair.vertex_spec->end());
  }
  return pair;
}

std::array<UnitDigest, kFiles> UnitsOf(const LoadedPair& pair) {
  std::array<UnitDigest, kFiles> units;
  for (size_t i = 0; i < kFiles; ++i) {
    cache::CanonicalWriter writer(absl::StrCat("stage of a pair: ", kStages[i]));
    for (const LoadedFile& file : pair.loaded) {
      const UnitDigest unit = UnitOf(file.request);
      writer.Add(std::string(cache::AsBytes(unit)));
    }
    units[i] = writer.Finish();
  }
  return units;
}

// Fills in the outcomes that the database has. Returns the targets of which it lacks one.
std::vector<std::string> FindStored(const LoadedPair& pair,
                                    const std::array<UnitDigest, kFiles>& units,
                                    StageCompiler* compiler, PipelineRow* row) {
  std::vector<std::string> missing;
  for (const std::string& target : pair.loaded[0].request.targets()) {
    std::array<OutcomeRow, kFiles> found;
    if (!compiler->FindStored(target, units[0], &found[0]) ||
        !compiler->FindStored(target, units[1], &found[1])) {
      missing.push_back(target);
      continue;
    }
    for (size_t i = 0; i < kFiles; ++i) row->stages[i].outcomes.push_back(std::move(found[i]));
  }
  return missing;
}

// Adds the results of one file. `unit`: null if it could not be read.
absl::Status AddResults(std::vector<TargetResult> results, const UnitDigest* unit, StageRow* row) {
  for (TargetResult& result : results) {
    if (result.status() == TargetResult::CANCELLED) return absl::CancelledError("stopped");
    if (unit == nullptr || result.version().empty()) {
      row->outcomes.push_back(OutcomeWithoutUnit(std::move(result)));
      continue;
    }
    absl::StatusOr<OutcomeRow> outcome = OutcomeOf(*unit, std::move(result));
    if (!outcome.ok()) return outcome.status();
    row->outcomes.push_back(*std::move(outcome));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PipelineRow> CompilePairItem(const BatchItem& item, const CompileSettings& common,
                                            int64_t source, StageCompiler* compiler) {
  CompileSettings settings = SettingsOf(common, item.options.get());
  settings.source.tree = item.tree;
  const LoadedPair pair = Load(item, settings);
  PipelineRow row;
  row.source = source;
  row.name = NameInDatabase(item);
  row.file = PairName(item.name, item.fragment->name);
  row.kind = kPairKind;
  for (const LoadedFile& file : pair.loaded) {
    row.stages.push_back(DescribedStage(item, settings, file.request));
  }
  std::array<UnitDigest, kFiles> units;
  if (pair.readable()) {
    units = UnitsOf(pair);
    const std::vector<std::string> missing = FindStored(pair, units, compiler, &row);
    if (missing.empty()) return row;
    settings.request.mutable_targets()->Assign(missing.begin(), missing.end());
  }
  absl::StatusOr<PairOutcome> outcome =
      CompilePairOfBatch(compiler->service(), compiler->capabilities(), settings, pair.files,
                         pair.vertex_spec.has_value() ? &*pair.vertex_spec : nullptr);
  if (!outcome.ok()) return outcome.status();
  for (size_t i = 0; i < kFiles; ++i) {
    absl::Status added = AddResults(std::move(outcome->files[i].results),
                                    pair.readable() ? &units[i] : nullptr, &row.stages[i]);
    if (!added.ok()) return added;
  }
  row.warnings = std::move(outcome->warnings);
  return row;
}

}  // namespace kiln::client
