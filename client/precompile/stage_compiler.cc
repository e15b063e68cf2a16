// Compiles stages for the results database: see stage_compiler.h.
#include "client/precompile/stage_compiler.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/precompile/reads.h"
#include "client/service/client.h"
#include "proto/launch_record_convert.h"
#include "proto/pass_sums.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::TargetResult;

constexpr char kFragment[] = "fragment";

// Maps are written in the order of their keys, so that equal messages have equal bytes.
std::string CanonicalBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace

absl::StatusOr<OutcomeRow> OutcomeOf(const UnitDigest& unit, TargetResult result) {
  OutcomeRow row;
  row.target = result.target();
  row.unit = unit;
  row.status = result.status();
  if (result.status() == TargetResult::OK && result.stage() == kFragment) {
    for (const auto& variant : result.variants()) {
      if (absl::Status s = kiln::proto::CheckVersion(variant.launch()); !s.ok()) return s;
    }
    row.reads = ReadsText(result);
  }
  for (auto& variant : *result.mutable_variants()) variant.clear_launch();
  if (!result.has_pass_sums()) SumPasses(&result);
  result.clear_passes();
  result.clear_remarks();
  row.result = std::make_shared<const TargetResult>(std::move(result));
  return row;
}

UnitDigest UnitOf(const CompileRequest& request) {
  CompileRequest unit = request.has_digest() ? request : DigestRequest(request);
  unit.clear_targets();
  unit.clear_outputs();
  unit.clear_cache_policy();
  return cache::Sha256(CanonicalBytes(unit));
}

bool StageCompiler::FindStored(const std::string& target, const UnitDigest& unit, OutcomeRow* row) {
  absl::MutexLock lock(&mutex_);
  const auto of_target = known_.find(target);
  if (of_target == known_.end()) return false;
  const auto it = of_target->second.find(unit);
  if (it == of_target->second.end()) return false;
  row->target = target;
  row->unit = unit;
  row->reads = it->second.reads;
  row->stored = it->second.id;
  row->status = it->second.status;
  return true;
}

absl::StatusOr<std::vector<OutcomeRow>> StageCompiler::Compile(const UnitDigest& unit,
                                                               LoadedFile file,
                                                               const CompileSettings& settings,
                                                               const SourceOf& source) {
  CompileRequest& request = file.request;
  std::vector<OutcomeRow> rows(static_cast<size_t>(request.targets_size()));
  std::vector<std::string> missing;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string& target = request.targets(static_cast<int>(i));
    if (!FindStored(target, unit, &rows[i])) missing.push_back(target);
  }
  if (missing.empty()) return rows;
  request.mutable_targets()->Assign(missing.begin(), missing.end());
  if (absl::Status s = source(&request); !s.ok()) return s;
  absl::StatusOr<FileOutcome> outcome = CompileLoaded(service_, capabilities_, settings, file);
  if (!outcome.ok()) return outcome.status();
  auto place = rows.begin();
  for (TargetResult& result : outcome->results) {
    if (result.status() == TargetResult::CANCELLED) return absl::CancelledError("stopped");
    absl::StatusOr<OutcomeRow> row = OutcomeOf(unit, std::move(result));
    if (!row.ok()) return row.status();
    while (place != rows.end() && place->stored != 0) ++place;
    if (place == rows.end())
      return absl::InternalError(absl::StrCat(file.name, ": too many results"));
    *place++ = *std::move(row);
  }
  return rows;
}

absl::Status StageCompiler::Update(
    const std::function<absl::Status(std::map<std::string, StoredResults>*)>& write) {
  absl::MutexLock lock(&mutex_);
  return write(&known_);
}

OutcomeRow OutcomeWithoutUnit(TargetResult result) {
  OutcomeRow row;
  row.target = result.target();
  row.status = result.status();
  cache::CanonicalWriter writer("result without unit");
  for (const std::string* part :
       {&result.cause(), &result.message(), &result.stage(), &result.entry_point()}) {
    writer.Add(*part);
  }
  row.unit = writer.Finish();
  row.result = std::make_shared<const TargetResult>(std::move(result));
  return row;
}

}  // namespace kiln::client
