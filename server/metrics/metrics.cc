// kilnd's metrics for Prometheus: see metrics.h.
#include "server/metrics/metrics.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/time/time.h"

namespace kiln::metrics {
namespace {

using kiln::v1::CacheTier;
using kiln::v1::TargetResult;
using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

// Hits take microseconds, compiles up to minutes.
const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
    0.05,    0.1,    0.2,    0.5,    1,     2,     5,     10,   60};

std::string StatusLabel(int status) {
  return absl::AsciiStrToLower(
      TargetResult::Status_Name(static_cast<TargetResult::Status>(status)));
}

constexpr const char* kMethodLabels[] = {"Compile", "CompileStream/item", "CompileStream",
                                         "GetCapabilities"};
constexpr const char* kSourceLabels[] = {"quarantine", "memory", "disk",
                                         "coalesced",  "miss",   "probe"};
constexpr char kOther[] = "other";
constexpr char kAny[] = "any";  // target of steps done once for all targets
constexpr size_t kDeaths = 5;   // index of the deaths among a pass's families

// Causes of statuses and of source texts, whatever compiler the workers have.
constexpr const char* kStatusCauses[] = {
    "invalid_module", "invalid_glsl",   "invalid_hlsl", "not_found",
    "unsupported",    "limit_exceeded", kOther};

bool IsDeath(TargetResult::Status status) {
  return status == TargetResult::CRASHED || status == TargetResult::TIMED_OUT ||
         status == TargetResult::MEMORY_LIMIT;
}

// Returns true if a result with this status can come from that source.
bool Possible(TargetResult::Status status, Metrics::Source source) {
  switch (source) {
    case Metrics::Source::kProbe: return status == TargetResult::NOT_CACHED;
    case Metrics::Source::kQuarantine: return IsDeath(status);
    case Metrics::Source::kMemory:
    case Metrics::Source::kDisk: return status <= TargetResult::INVALID;
    case Metrics::Source::kCoalesced:
    case Metrics::Source::kMiss: return status != TargetResult::NOT_CACHED;
  }
  return false;
}

std::string CodeLabel(int code) {
  std::string name = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
  return code == 0 ? "OK" : name;
}

}  // namespace

Metrics::Metrics(const worker::Hello& hello, std::string_view version) {
  for (const auto& target : hello.targets()) targets_.push_back(target.name());
  targets_.push_back(kOther);
  stages_.assign(hello.stages().begin(), hello.stages().end());
  stages_.push_back(kOther);
  for (const auto& pass : hello.passes()) passes_.insert(pass.name());
  passes_.insert(hello.steps().begin(), hello.steps().end());
  AddRequestFamilies();
  AddResultFamilies();
  AddJobFamilies(hello);
  AddPassFamilies();
  AddRecheckFamilies();
  AddServiceFamilies(hello, version);
}

void Metrics::AddRequestFamilies() {
  auto& requests =
      BuildCounter()
          .Name("kiln_requests_total")
          .Help(
              "Calls answered, by method and gRPC status code; an item of a stream counts with the "
              "status that a Compile call would have")
          .Register(*registry_);
  auto& in_flight = BuildGauge()
                        .Name("kiln_requests_in_flight")
                        .Help("Calls and stream items that are in progress")
                        .Register(*registry_);
  for (size_t m = 0; m < kMethods; ++m) {
    for (size_t c = 0; c < kCodes; ++c) {
      requests_[m][c] =
          &requests.Add({{"method", kMethodLabels[m]}, {"code", CodeLabel(static_cast<int>(c))}});
    }
    in_flight_[m] = &in_flight.Add({{"method", kMethodLabels[m]}});
  }
  request_seconds_family_ =
      &BuildHistogram()
           .Name("kiln_request_duration_seconds")
           .Help(
               "Seconds in the daemon of Compile calls and stream items answered with results, by "
               "target and by the origin of the slowest result")
           .Register(*registry_);
  request_seconds_ =
      std::vector<std::atomic<Histogram*>>(kTimedMethods * kSources * (targets_.size() + 1));
  request_bytes_ = &BuildGauge()
                        .Name("kiln_request_bytes")
                        .Help("Bytes of the requests in flight; limit: --request-bytes")
                        .Register(*registry_)
                        .Add({});
}

void Metrics::AddResultFamilies() {
  auto& results = BuildCounter()
                      .Name("kiln_compile_results_total")
                      .Help("Results delivered, one for each target of a call, by origin")
                      .Register(*registry_);
  for (const std::string& target : targets_) {
    auto& of_target = results_.emplace_back();
    for (size_t s = 1; s < kStatuses; ++s) {
      for (size_t from = 0; from < kSources; ++from) {
        if (!Possible(static_cast<TargetResult::Status>(s), static_cast<Source>(from))) continue;
        of_target[s][from] = &results.Add({{"target", target},
                                           {"result", StatusLabel(static_cast<int>(s))},
                                           {"cache", kSourceLabels[from]}});
      }
    }
  }
}

void Metrics::AddJobFamilies(const worker::Hello& hello) {
  compile_seconds_family_ =
      &BuildHistogram()
           .Name("kiln_compile_duration_seconds")
           .Help(
               "Wall-clock seconds of compile jobs in a worker, by the job's first target and the "
               "stage of its first result; other: the stage is not known")
           .Register(*registry_);
  compile_seconds_ = std::vector<std::atomic<Histogram*>>(targets_.size() * stages_.size());
  translate_seconds_ = &BuildHistogram()
                            .Name("kiln_translate_duration_seconds")
                            .Help("Wall-clock seconds of GLSL to SPIR-V jobs in a worker")
                            .Register(*registry_)
                            .Add({}, kSeconds);
  auto& waits =
      BuildHistogram()
          .Name("kiln_queue_wait_seconds")
          .Help(
              "Seconds waited in a queue: by steps of calls for a thread that may read from the "
              "disk, by jobs for a worker")
          .Register(*registry_);
  queue_seconds_ = {&waits.Add({{"queue", "disk"}}, kSeconds),
                    &waits.Add({{"queue", "worker"}}, kSeconds)};
  auto& failures =
      BuildCounter()
          .Name("kiln_job_failures_total")
          .Help(
              "Targets and jobs without machine code, by result and cause, such as refused targets "
              "and jobs that killed their worker")
          .Register(*registry_);
  auto add = [&](TargetResult::Status result, std::string_view cause) {
    std::string label(cause);
    failures_[result][label] = &failures.Add({{"result", StatusLabel(result)}, {"cause", label}});
  };
  for (TargetResult::Status result : {TargetResult::REFUSED, TargetResult::INVALID}) {
    for (const std::string& cause : hello.causes()) add(result, cause);
    for (const char* cause : kStatusCauses) add(result, cause);
  }
  for (const worker::DeathCause& death : worker::kDeathCauses) add(death.status, death.cause);
  for (TargetResult::Status result :
       {TargetResult::CRASHED, TargetResult::TIMED_OUT, TargetResult::MEMORY_LIMIT}) {
    add(result, kOther);
  }
}

void Metrics::AddPassFamilies() {
  static constexpr std::pair<const char*, const char*> kFamilies[] = {
      {"kiln_pass_runs_total", "Runs of a pass, including those in killed workers"},
      {"kiln_pass_changed_total", "Runs that changed the code"},
      {"kiln_pass_seconds_total", "CPU seconds spent in a pass"},
      {"kiln_pass_instructions_removed_total",
       "Instructions removed by a pass, summed over its runs that lowered their number"},
      {"kiln_pass_instructions_added_total",
       "Instructions added by a pass, summed over its runs that raised their number"},
      {"kiln_pass_deaths_total", "Workers that died or exceeded a limit while the pass ran"},
  };
  for (size_t i = 0; i < pass_families_.size(); ++i) {
    pass_families_[i] =
        &BuildCounter().Name(kFamilies[i].first).Help(kFamilies[i].second).Register(*registry_);
  }
  // Series for deaths exist from the start; a pass's other series begin with its first run.
  std::set<std::string, std::less<>> names = passes_;
  names.insert(kOther);
  for (const std::string& pass : names) {
    for (const std::string& target : targets_) {
      pass_families_[kDeaths]->Add({{"pass", pass}, {"target", target}});
    }
    pass_families_[kDeaths]->Add({{"pass", pass}, {"target", kAny}});
  }
}

void Metrics::AddRecheckFamilies() {
  auto& rechecks = BuildCounter()
                       .Name("kiln_rechecks_total")
                       .Help("Answers of workers that were chosen for a recheck, by outcome")
                       .Register(*registry_);
  constexpr const char* kEnds[] = {"same", "different", "unfinished", "dropped"};
  for (size_t i = 0; i < rechecks_.size(); ++i) {
    rechecks_[i] = &rechecks.Add({{"result", kEnds[i]}});
  }
  distrusted_results_ = &BuildCounter()
                             .Name("kiln_distrusted_results_total")
                             .Help("Results removed because a recheck of their worker differed")
                             .Register(*registry_)
                             .Add({});
}

void Metrics::AddServiceFamilies(const worker::Hello& hello, std::string_view version) {
  coalesced_ = &BuildCounter()
                    .Name("kiln_single_flight_coalesced_total")
                    .Help("Results shared with an identical compile already in flight")
                    .Register(*registry_)
                    .Add({});
  lost_ = &BuildCounter()
               .Name("kiln_pass_records_lost_total")
               .Help("Pass runs that were not recorded, in jobs with more runs than are recorded")
               .Register(*registry_)
               .Add({});
  auto& shed = BuildCounter()
                   .Name("kiln_shed_total")
                   .Help("Calls refused with UNAVAILABLE")
                   .Register(*registry_);
  shed_[0] = &shed.Add({{"reason", "queue_full"}});
  shed_[1] = &shed.Add({{"reason", "draining"}});
  shed_[2] = &shed.Add({{"reason", "request_bytes"}});
  auto& exits = BuildCounter()
                    .Name("kiln_worker_exits_total")
                    .Help("Worker processes that ended, by reason")
                    .Register(*registry_);
  for (const char* reason : worker::kExitReasons) {
    exits_[reason] = &exits.Add({{"reason", reason}});
  }
  BuildGauge()
      .Name("kiln_build_info")
      .Help("Constant 1, with the versions as labels")
      .Register(*registry_)
      .Add({{"version", std::string(version)}, {"glslang", hello.glslang_version()}})
      .Set(1);
  auto& code = BuildGauge()
                   .Name("kiln_code_generation_version")
                   .Help("Code-generation version of each target; 0: no compiler")
                   .Register(*registry_);
  for (const auto& target : hello.targets()) {
    code.Add({{"target", target.name()}}).Set(target.code_generation_version());
  }
}

void Metrics::RequestEnds(Method method, absl::StatusCode code) {
  size_t c = std::min<size_t>(static_cast<size_t>(code), kCodes - 1);
  requests_[static_cast<size_t>(method)][c]->Increment();
  in_flight_[static_cast<size_t>(method)]->Decrement();
}

void Metrics::RequestTook(Method method, const std::vector<std::string>& targets, Source source,
                          double seconds) {
  const size_t m = static_cast<size_t>(method), from = static_cast<size_t>(source);
  const size_t t = targets.size() == 1 ? TargetIndex(targets[0]) : targets_.size();
  std::atomic<Histogram*>& slot =
      request_seconds_[(m * kSources + from) * (targets_.size() + 1) + t];
  Histogram* histogram = slot.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    // Add returns the same histogram to all threads that come here at once.
    histogram =
        &request_seconds_family_->Add({{"method", kMethodLabels[m]},
                                       {"cache", kSourceLabels[from]},
                                       {"target", t < targets_.size() ? targets_[t] : "several"}},
                                      kSeconds);
    slot.store(histogram, std::memory_order_release);
  }
  histogram->Observe(seconds);
}

size_t Metrics::TargetIndex(std::string_view target) const {
  for (size_t i = 0; i + 1 < targets_.size(); ++i) {
    if (targets_[i] == target) return i;
  }
  return targets_.size() - 1;
}

prometheus::Histogram& Metrics::CompileSeconds(const worker::JobOutcome& outcome,
                                               std::string_view target) {
  size_t stage = stages_.size() - 1;
  if (!outcome.results.empty() && outcome.results[0].has_value()) {
    const auto known = std::find(stages_.begin(), stages_.end() - 1, outcome.results[0]->stage());
    stage = static_cast<size_t>(known - stages_.begin());
  }
  const size_t t = TargetIndex(target);
  std::atomic<Histogram*>& slot = compile_seconds_[t * stages_.size() + stage];
  Histogram* histogram = slot.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    // Add returns the same histogram to all threads that come here at once.
    histogram = &compile_seconds_family_->Add({{"target", targets_[t]}, {"stage", stages_[stage]}},
                                              kSeconds);
    slot.store(histogram, std::memory_order_release);
  }
  return *histogram;
}

void Metrics::Result(std::string_view target, TargetResult::Status status, Source source) {
  auto& of_target = results_[TargetIndex(target)];
  size_t s = static_cast<size_t>(status) < kStatuses ? static_cast<size_t>(status) : 0;
  Counter* counter = of_target[s][static_cast<size_t>(source)];
  if (counter == nullptr) {  // a worker may say anything
    counter = of_target[TargetResult::CRASHED][static_cast<size_t>(Source::kMiss)];
  }
  counter->Increment();
}

Metrics::PassCounters& Metrics::Pass(std::string_view pass, std::string_view target) {
  // Names come from a worker, which may be subverted: only known ones become labels.
  std::string p(passes_.count(pass) > 0 ? pass : std::string_view(kOther));
  auto [it, fresh] = pass_counters_.try_emplace({p, std::string(target)});
  if (fresh) {
    prometheus::Labels labels = {{"pass", p}, {"target", std::string(target)}};
    Counter** slots[] = {&it->second.runs,    &it->second.changed, &it->second.seconds,
                         &it->second.removed, &it->second.added,   &it->second.deaths};
    for (size_t i = 0; i < pass_families_.size(); ++i) *slots[i] = &pass_families_[i]->Add(labels);
  }
  return it->second;
}

void Metrics::Job(const worker::JobOutcome& outcome, const std::vector<std::string>& targets) {
  Waited(Queue::kWorker, outcome.queued);
  if (outcome.ran > absl::ZeroDuration()) {
    Histogram& seconds =
        targets.empty() ? *translate_seconds_ : CompileSeconds(outcome, targets[0]);
    seconds.Observe(absl::ToDoubleSeconds(outcome.ran));
  }
  lost_->Increment(outcome.lost_passes);
  JobFailed(outcome.status, outcome.cause);
  if (outcome.translation.has_value()) {
    JobFailed(outcome.translation->status(), outcome.translation->cause());
  }
  for (const auto& result : outcome.results) {
    if (result.has_value()) JobFailed(result->status(), result->cause());
  }
  auto name = [&](int index) -> std::string_view {
    if (index < 0 || static_cast<size_t>(index) >= targets.size()) return kAny;
    return targets_[TargetIndex(targets[static_cast<size_t>(index)])];
  };
  absl::MutexLock lock(&pass_mutex_);
  for (const worker::PassEvent& event : outcome.passes) {
    PassCounters& c = Pass(event.pass, name(event.target));
    c.runs->Increment();
    if (event.changed) c.changed->Increment();
    c.seconds->Increment(static_cast<double>(event.nanoseconds) * 1e-9);
    int64_t delta = event.instructions_after - event.instructions_before;
    if (delta < 0) c.removed->Increment(static_cast<double>(-delta));
    if (delta > 0) c.added->Increment(static_cast<double>(delta));
  }
  if (IsDeath(outcome.status) && !outcome.last_pass.empty()) {
    Pass(outcome.last_pass, name(outcome.blamed_target)).deaths->Increment();
  }
}

void Metrics::JobFailed(TargetResult::Status status, std::string_view cause) {
  if (static_cast<size_t>(status) >= kStatuses) return;  // a worker may say anything
  const auto& causes = failures_[static_cast<size_t>(status)];
  auto it = causes.find(cause);
  if (it == causes.end()) it = causes.find(kOther);
  if (it != causes.end()) it->second->Increment();
}

uint64_t Metrics::Overloads() const {
  double refused = 0;
  for (size_t why = 0; why < shed_.size(); ++why) {
    if (why != static_cast<size_t>(Shed::kDraining)) refused += shed_[why]->Value();
  }
  return static_cast<uint64_t>(refused);
}

void Metrics::WorkerExit(std::string_view reason) {
  auto it = exits_.find(reason);
  if (it != exits_.end()) it->second->Increment();
}

}  // namespace kiln::metrics
