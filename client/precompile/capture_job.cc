// Compiles a pipeline of a capture: see capture_job.h.
#include "client/precompile/capture_job.h"

#include <google/protobuf/util/json_util.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/capture/entry_json.h"
#include "client/precompile/reads.h"
#include "client/request/spec_constant.h"
#include "server/key/sha256.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::TargetResult;

constexpr char kVertex[] = "vertex";

std::string StateText(const CapturedStage& stage) {
  std::string text;
  if (!stage.options.has_state()) return text;
  const auto written = google::protobuf::util::MessageToJsonString(stage.options.state(), &text);
  return written.ok() && text != "{}" ? text : std::string();
}

// Fills in what the capture says of the stage.
StageRow Described(const CapturedStage& stage) {
  StageRow row;
  row.stage = stage.stage;
  row.entry = stage.entry;
  if (stage.module != 0) row.module = HashText(stage.module);
  std::vector<std::string> spec;
  for (const auto& constant : stage.spec) spec.push_back(SpecConstantText(constant));
  row.spec = absl::StrJoin(spec, " ");
  row.subgroup_size = stage.options.required_subgroup_size();
  row.state = StateText(stage);
  return row;
}

void AddProblem(const CaptureProblem& problem, const CompileRequest& request, StageRow* row) {
  for (const std::string& target : request.targets()) {
    row->outcomes.push_back(OutcomeWithoutUnit(ResultOf(problem, target, row->stage, row->entry)));
  }
}

CompileRequest RequestOf(const CompileRequest& common, const CapturedStage& stage) {
  CompileRequest request = common;
  request.set_stage(stage.stage);
  request.set_entry_point(stage.entry);
  request.mutable_spec_constants()->Assign(stage.spec.begin(), stage.spec.end());
  // The common options are switches and lists that captures do not have.
  request.mutable_options()->MergeFrom(stage.options);
  return request;
}

CaptureProblem ProblemOfModule(uint64_t hash, const absl::Status& status) {
  return {absl::IsNotFound(status) ? CaptureCause::kMissingModule : CaptureCause::kDamagedEntry,
          absl::StrCat("module ", HashText(hash), ": ", status.message())};
}

// Returns what the reader's result for a target says that it reads; empty: unknown.
std::string ReadsFor(const std::string& target, const StageRow& reader) {
  for (const OutcomeRow& outcome : reader.outcomes) {
    if (outcome.target == target) return outcome.reads;
  }
  return "";
}

// Splits a request by what is read of the stage on its targets: one request for each of that.
absl::StatusOr<std::vector<CompileRequest>> ByReads(const CompileRequest& request,
                                                    const StageRow& reader) {
  std::map<std::string, std::vector<std::string>> targets;
  for (const std::string& target : request.targets()) {
    targets[ReadsFor(target, reader)].push_back(target);
  }
  std::vector<CompileRequest> requests;
  for (const auto& [text, names] : targets) {
    CompileRequest& one = requests.emplace_back(request);
    one.mutable_targets()->Assign(names.begin(), names.end());
    if (text.empty()) continue;
    const auto reads = ParseReads(text);
    if (!reads.ok()) return reads.status();
    *one.mutable_options()->mutable_state()->mutable_next_stage_reads() = *reads;
  }
  return requests;
}

}  // namespace

absl::StatusOr<PipelineRow> CaptureJob::Compile(const PipelineId& id) {
  PipelineRow row;
  row.source = source_;
  row.name = id.Name();
  row.file = absl::StrCat(name_, ":", row.name);
  row.kind = PipelineKindWord(id.kind);
  CapturedPipeline pipeline;
  const absl::StatusOr<std::string> payload = capture_->Payload(id.kind, id.hash);
  if (payload.ok()) {
    pipeline = ReadPipeline(id, *payload, [this](uint64_t pass) {
      return capture_->Payload(FozTag::kRenderPass, pass);
    });
  } else {
    pipeline.problem = {CaptureCause::kDamagedEntry, std::string(payload.status().message())};
  }
  if (pipeline.stages.empty()) {
    AddProblem(*pipeline.problem, common_, &row.stages.emplace_back());
    return row;
  }
  for (const CapturedStage& stage : pipeline.stages) row.stages.push_back(Described(stage));
  const std::optional<size_t> reader = pipeline.ReaderOfVertexOutputs();
  if (reader.has_value()) {
    absl::Status s = CompileStage(pipeline, *reader, row.file, nullptr, &row.stages[*reader]);
    if (!s.ok()) return s;
  }
  for (size_t i = 0; i < pipeline.stages.size(); ++i) {
    if (i == reader) continue;
    absl::Status s = CompileStage(
        pipeline, i, row.file, reader.has_value() ? &row.stages[*reader] : nullptr, &row.stages[i]);
    if (!s.ok()) return s;
  }
  return row;
}

absl::Status CaptureJob::CompileStage(const CapturedPipeline& pipeline, size_t number,
                                      const std::string& label, const StageRow* reader,
                                      StageRow* row) {
  const CapturedStage& stage = pipeline.stages[number];
  if (const auto& problem = pipeline.problem.has_value() ? pipeline.problem : stage.problem;
      problem.has_value()) {
    AddProblem(*problem, common_, row);
    return absl::OkStatus();
  }
  const CompileRequest request = RequestOf(common_, stage);
  if (reader == nullptr || stage.stage != kVertex) {
    return CompileModule(stage, label, request, row);
  }
  const auto requests = ByReads(request, *reader);
  if (!requests.ok()) return requests.status();
  for (const CompileRequest& one : *requests) {
    if (absl::Status s = CompileModule(stage, label, one, row); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CaptureJob::CompileModule(const CapturedStage& stage, const std::string& label,
                                       const CompileRequest& request, StageRow* row) {
  CompileRequest unit = request;
  std::string digest;
  std::optional<std::string> code;
  if (!FindDigest(stage.module, &digest)) {
    absl::StatusOr<std::string> read = ReadModule(stage.module);
    if (!read.ok()) {
      AddProblem(ProblemOfModule(stage.module, read.status()), request, row);
      return absl::OkStatus();
    }
    code = *std::move(read);
    FindDigest(stage.module, &digest);
  }
  unit.mutable_digest()->set_kind(kiln::v1::SourceDigest::SPIRV);
  unit.mutable_digest()->set_sha256(digest);
  LoadedFile file;
  file.name = absl::StrCat(label, " (", stage.stage, ")");
  file.request = request;
  absl::StatusOr<std::vector<OutcomeRow>> outcomes =
      compiler_->Compile(UnitOf(unit), std::move(file), {}, [&](CompileRequest* with_source) {
        absl::StatusOr<std::string> read =
            code.has_value() ? *std::move(code) : ReadModule(stage.module);
        if (read.ok()) with_source->set_spirv(*std::move(read));
        return read.status();
      });
  if (!outcomes.ok()) return outcomes.status();
  for (OutcomeRow& outcome : *outcomes) row->outcomes.push_back(std::move(outcome));
  return absl::OkStatus();
}

absl::StatusOr<std::string> CaptureJob::ReadModule(uint64_t hash) {
  absl::StatusOr<std::string> code = capture_->Module(hash);
  if (!code.ok()) return code;
  const std::string digest(cache::AsBytes(cache::Sha256(*code)));
  absl::MutexLock lock(&mutex_);
  digests_.emplace(hash, digest);
  return code;
}

bool CaptureJob::FindDigest(uint64_t hash, std::string* digest) {
  absl::MutexLock lock(&mutex_);
  const auto it = digests_.find(hash);
  if (it == digests_.end()) return false;
  *digest = it->second;
  return true;
}

}  // namespace kiln::client
