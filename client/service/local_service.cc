// Compiles in worker processes of the command itself: see local_service.h.
#include "client/service/local_service.h"

#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "client/cli/version.h"
#include "proto/pass_sums.h"
#include "server/key/key.h"
#include "server/key/source_digest.h"
#include "server/worker/sandbox_level.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::OutputMask;
using kiln::v1::TargetResult;
using worker::JobOutcome;

// Sets the job's outcome for a target without a result from the worker.
void SetFromOutcome(const JobOutcome& outcome, TargetResult* result) {
  result->set_status(outcome.status);
  result->set_cause(outcome.cause);
  result->set_message(outcome.message);
  result->set_last_pass(outcome.last_pass);
}

// Adds the passes that a killed worker's board still shows.
void AddPasses(const JobOutcome& outcome, int target, TargetResult* result) {
  for (const worker::PassEvent& event : outcome.passes) {
    if (event.target >= 0 && event.target != target) continue;
    auto* pass = result->add_passes();
    pass->set_pass(event.pass);
    pass->set_level(event.level);
    pass->set_changed(event.changed);
    pass->set_nanoseconds(event.nanoseconds);
    pass->set_instructions_before(event.instructions_before);
    pass->set_instructions_after(event.instructions_after);
  }
}

void ApplyMask(const OutputMask& mask, TargetResult* result) {
  for (auto& variant : *result->mutable_variants()) {
    if (!mask.binary()) variant.clear_code();
    if (!mask.assembly()) variant.clear_assembly();
    if (!mask.launch_record()) variant.clear_launch();
  }
  if (mask.pass_sums()) SumPasses(result);
  if (mask.pass_sums() || !mask.pass_records()) result->clear_passes();
  if (!mask.remarks()) result->clear_remarks();
}

worker::Job CompileJobFor(const CompileRequest& request, const std::string& spirv,
                          const std::vector<int>& targets) {
  worker::Job job;
  auto* compile = job.mutable_compile();
  compile->set_spirv(spirv);
  compile->set_entry_point(request.entry_point());
  compile->set_stage(request.stage());
  for (const auto& [id, value] : cache::SpecValues(request.spec_constants())) {
    (*compile->mutable_spec_constants())[id] = value.bits;
    (*compile->mutable_spec_types())[id] = static_cast<uint32_t>(value.type);
  }
  *compile->mutable_options() = request.options();
  for (int target : targets) compile->add_targets(request.targets(target));
  compile->set_assembly(request.outputs().assembly());
  return job;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalService>> LocalService::Start(const LocalOptions& options) {
  worker::PoolOptions pool_options;
  pool_options.executable = options.worker;
  pool_options.workers = options.workers;
  pool_options.limits.wall_time = options.time_limit;
  pool_options.limits.cpu_time = options.time_limit;
  absl::StatusOr<std::unique_ptr<worker::Pool>> pool = worker::Pool::Start(std::move(pool_options));
  if (!pool.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("--local: cannot start a worker: ", pool.status().message(),
                     "; install kiln_worker beside kiln, or name it with --worker=FILE"));
  }
  return std::unique_ptr<LocalService>(new LocalService(*std::move(pool)));
}

LocalService::~LocalService() { Stop(); }

absl::StatusOr<JobOutcome> LocalService::Run(worker::Job job) {
  struct Shared {
    absl::Notification done;
    JobOutcome outcome;
  };
  auto shared = std::make_shared<Shared>();
  worker::Pool::Handle handle;
  {
    absl::MutexLock lock(&mutex_);
    if (stopped_) return absl::CancelledError("stopped");
    auto submitted = pool_->Submit(std::move(job), [shared](JobOutcome outcome) {
      shared->outcome = std::move(outcome);
      shared->done.Notify();
    });
    if (!submitted.ok()) return submitted.status();
    handle = *submitted;
    in_flight_.insert(handle);
  }
  shared->done.WaitForNotification();
  absl::MutexLock lock(&mutex_);
  in_flight_.erase(handle);
  if (shared->outcome.status == TargetResult::CANCELLED) return absl::CancelledError("stopped");
  return std::move(shared->outcome);
}

absl::Status LocalService::CompileTargets(const CompileRequest& request, const std::string& spirv,
                                          CompileResponse* response) {
  std::vector<int> missing(static_cast<size_t>(request.targets_size()));
  std::iota(missing.begin(), missing.end(), 0);
  // Each round gives at least one target its result.
  while (!missing.empty()) {
    absl::StatusOr<JobOutcome> outcome = Run(CompileJobFor(request, spirv, missing));
    if (!outcome.ok()) return outcome.status();
    bool survived = outcome->status == TargetResult::OK;
    bool progress = false;
    std::vector<int> still_missing;
    for (size_t i = 0; i < missing.size(); ++i) {
      TargetResult* result = response->mutable_results(missing[i]);
      int index = static_cast<int>(i);
      if (i < outcome->results.size() && outcome->results[i].has_value()) {
        *result = *std::move(outcome->results[i]);
      } else if (!survived && (outcome->blamed_target < 0 || outcome->blamed_target == index)) {
        SetFromOutcome(*outcome, result);
        AddPasses(*outcome, index, result);
      } else {
        still_missing.push_back(missing[i]);
        continue;
      }
      progress = true;
      result->mutable_timings()->set_queue_ns(absl::ToInt64Nanoseconds(outcome->queued));
    }
    if (!progress) return absl::InternalError("a worker answered without results");
    missing = std::move(still_missing);
  }
  return absl::OkStatus();
}

absl::StatusOr<CompileResponse> LocalService::Compile(const CompileRequest& request) {
  absl::Time start = absl::Now();
  CompileResponse response;
  for (int i = 0; i < request.targets_size(); ++i) response.add_results();
  std::string spirv = request.spirv();
  int64_t translate_ns = 0, start_ns = 0;
  bool translated = true;
  if (request.source_case() == CompileRequest::kGlsl) {
    worker::Job job;
    *job.mutable_translate()->mutable_glsl() = request.glsl();
    absl::StatusOr<JobOutcome> outcome = Run(std::move(job));
    if (!outcome.ok()) return outcome.status();
    const bool answered = outcome->status == TargetResult::OK && outcome->translation.has_value();
    translated = answered && outcome->translation->status() == TargetResult::OK;
    if (translated) spirv = outcome->translation->spirv();
    if (answered) {
      translate_ns = outcome->translation->nanoseconds();
      start_ns = outcome->translation->start_nanoseconds();
    }
    for (TargetResult& result : *response.mutable_results()) {
      if (!answered) SetFromOutcome(*outcome, &result);
      if (!answered || translated) continue;
      result.set_status(outcome->translation->status());
      result.set_cause(outcome->translation->cause());
      result.set_message(outcome->translation->message());
      if (outcome->translation->has_reason())
        *result.mutable_reason() = outcome->translation->reason();
    }
  }
  if (translated) {
    absl::Status status = CompileTargets(request, spirv, &response);
    if (!status.ok()) return status;
  }
  cache::Digest digest = cache::SpirvDigest(spirv);
  for (int i = 0; i < request.targets_size(); ++i) {
    TargetResult* result = response.mutable_results(i);
    result->set_target(request.targets(i));
    if (translated) result->set_spirv_sha256(digest.data(), digest.size());
    result->mutable_timings()->set_translate_ns(translate_ns);
    result->mutable_timings()->set_start_ns(start_ns);
    result->mutable_timings()->set_service_ns(absl::ToInt64Nanoseconds(absl::Now() - start));
    ApplyMask(request.outputs(), result);
  }
  return response;
}

absl::StatusOr<Capabilities> LocalService::GetCapabilities() {
  const worker::Hello& hello = pool_->hello();
  Capabilities capabilities;
  capabilities.set_version(kVersion);
  *capabilities.mutable_targets() = hello.targets();
  *capabilities.mutable_passes() = hello.passes();
  *capabilities.mutable_stages() = hello.stages();
  capabilities.set_glslang_version(hello.glslang_version());
  capabilities.set_hlsl_version(hello.hlsl_version());
  const worker::SandboxLevel level = worker::LevelOf(hello.sandbox());
  capabilities.mutable_sandbox()->insert(level.begin(), level.end());
  // kilnd's defaults.
  auto* limits = capabilities.mutable_limits();
  limits->set_max_message_bytes(uint64_t{64} << 20);
  limits->set_max_module_bytes(uint64_t{16} << 20);
  limits->set_max_glsl_bytes(uint64_t{4} << 20);
  limits->set_max_targets(16);
  limits->set_max_defines(1024);
  limits->set_max_includes(1024);
  limits->set_max_spec_constants(1024);
  limits->set_max_disabled_passes(256);
  limits->set_max_name_bytes(1024);
  limits->set_max_response_bytes(uint64_t{4} << 20);
  return capabilities;
}

absl::StatusOr<std::vector<ServiceHealth>> LocalService::Health() {
  worker::Pool::Load load = pool_->load();
  return std::vector<ServiceHealth>{
      {"worker", load.workers > 0 ? "serving" : "not_serving",
       "locked in by " + worker::SandboxText(worker::LevelOf(pool_->sandbox()))}};
}

void LocalService::Stop() {
  std::set<worker::Pool::Handle> handles;
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = true;
    handles = in_flight_;
  }
  // Not under the lock: Cancel may call the job's callback, whose waiter takes the lock.
  for (const worker::Pool::Handle& handle : handles) pool_->Cancel(handle);
}

}  // namespace kiln::client
