// What kilnd tells Prometheus: see metrics.h.
#include "server/metrics/metrics.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/time/time.h"

namespace kiln::metrics {
namespace {

using kiln::v1alpha::CacheTier;
using kiln::v1alpha::TargetResult;
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

std::string TierLabel(int tier) {
  static constexpr const char* kNames[] = {"miss", "memory", "disk", "shared", "coalesced"};
  return kNames[tier];
}

std::string CodeLabel(int code) {
  std::string name = absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
  return code == 0 ? "OK" : name;
}

}  // namespace

Metrics::Metrics(const worker::Hello& hello, std::string_view version) {
  for (const auto& target : hello.targets()) targets_.push_back(target.name());
  targets_.push_back("other");
  for (const auto& pass : hello.passes()) passes_.insert(pass.name());
  passes_.insert(hello.steps().begin(), hello.steps().end());
  AddRequestFamilies();
  AddResultFamilies();
  AddPassFamilies();
  AddServiceFamilies(hello, version);
}

void Metrics::AddRequestFamilies() {
  auto& requests = BuildCounter()
                       .Name("kiln_requests_total")
                       .Help("Calls answered, by method and gRPC status code")
                       .Register(*registry_);
  static constexpr const char* kMethods[] = {"Compile", "GetCapabilities"};
  for (size_t m = 0; m < 2; ++m) {
    for (size_t c = 0; c < kCodes; ++c) {
      requests_[m][c] =
          &requests.Add({{"method", kMethods[m]}, {"code", CodeLabel(static_cast<int>(c))}});
    }
  }
  auto& seconds = BuildHistogram()
                      .Name("kiln_request_duration_seconds")
                      .Help(
                          "Time in the daemon of Compile calls: hits, answered from a cache "
                          "entirely, and misses")
                      .Register(*registry_);
  request_seconds_[0] = &seconds.Add({{"cache", "hit"}}, kSeconds);
  request_seconds_[1] = &seconds.Add({{"cache", "miss"}}, kSeconds);
  in_flight_ = &BuildGauge()
                    .Name("kiln_requests_in_flight")
                    .Help("Compile calls that have begun and are not answered")
                    .Register(*registry_)
                    .Add({});
  request_bytes_ = &BuildGauge()
                        .Name("kiln_request_bytes")
                        .Help("Bytes of the requests in flight; bound: --request-bytes")
                        .Register(*registry_)
                        .Add({});
}

void Metrics::AddResultFamilies() {
  auto& results = BuildCounter()
                      .Name("kiln_compile_results_total")
                      .Help(
                          "Results delivered, one for each target of a call, by where they came "
                          "from")
                      .Register(*registry_);
  auto& seconds =
      BuildHistogram()
          .Name("kiln_compile_duration_seconds")
          .Help("Wall-clock time of compile jobs in a worker, by the job's first target")
          .Register(*registry_);
  for (const std::string& target : targets_) {
    auto& of_target = results_.emplace_back();
    for (size_t s = 1; s < kStatuses; ++s) {
      for (size_t t = 0; t < kTiers; ++t) {
        // What is never stored never comes out of a tier; there is no shared tier yet.
        bool made = t == kiln::v1alpha::CACHE_MISS || t == kiln::v1alpha::CACHE_COALESCED;
        bool stored = s <= TargetResult::INVALID && t != kiln::v1alpha::CACHE_SHARED;
        if (!made && !stored) {
          of_target[s][t] = of_target[s][0];
          continue;
        }
        of_target[s][t] = &results.Add({{"target", target},
                                        {"result", StatusLabel(static_cast<int>(s))},
                                        {"cache", TierLabel(static_cast<int>(t))}});
      }
    }
    of_target[0] = of_target[TargetResult::CRASHED];
    compile_seconds_.push_back(&seconds.Add({{"target", target}}, kSeconds));
  }
  translate_seconds_ = &BuildHistogram()
                            .Name("kiln_translate_duration_seconds")
                            .Help("Wall-clock time of GLSL to SPIR-V jobs in a worker")
                            .Register(*registry_)
                            .Add({}, kSeconds);
  queue_seconds_ = &BuildHistogram()
                        .Name("kiln_queue_wait_seconds")
                        .Help("Time that jobs waited for a worker")
                        .Register(*registry_)
                        .Add({}, kSeconds);
}

void Metrics::AddPassFamilies() {
  static constexpr std::pair<const char*, const char*> kFamilies[] = {
      {"kiln_pass_runs_total", "Runs of a pass, in killed workers too"},
      {"kiln_pass_changed_total", "Runs that changed the code"},
      {"kiln_pass_seconds_total", "Thread CPU time spent in a pass"},
      {"kiln_pass_instructions_removed_total", "Instructions fewer after a run than before"},
      {"kiln_pass_instructions_added_total", "Instructions more after a run than before"},
      {"kiln_pass_deaths_total", "Workers that died or were killed for a limit while it ran"},
  };
  for (size_t i = 0; i < pass_families_.size(); ++i) {
    pass_families_[i] =
        &BuildCounter().Name(kFamilies[i].first).Help(kFamilies[i].second).Register(*registry_);
  }
}

void Metrics::AddServiceFamilies(const worker::Hello& hello, std::string_view version) {
  coalesced_ = &BuildCounter()
                    .Name("kiln_single_flight_coalesced_total")
                    .Help("Results shared with an identical compile already in flight")
                    .Register(*registry_)
                    .Add({});
  lost_ = &BuildCounter()
               .Name("kiln_pass_records_lost_total")
               .Help("Pass runs of jobs with more runs than are recorded")
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
  for (const char* reason : {"recycle", "segv", "abort", "oom", "timeout", "cancelled", "seccomp",
                             "killed", "exited", "signal", "unresponsive"}) {
    exits_[reason] = &exits.Add({{"reason", reason}});
  }
  BuildGauge()
      .Name("kiln_build_info")
      .Help("1, with the versions as labels")
      .Register(*registry_)
      .Add({{"version", std::string(version)}, {"glslang", hello.glslang_version()}})
      .Set(1);
  auto& code = BuildGauge()
                   .Name("kiln_code_generation_version")
                   .Help("Code-generation version of each target")
                   .Register(*registry_);
  for (const auto& target : hello.targets()) {
    code.Add({{"target", target.name()}}).Set(target.code_generation_version());
  }
}

void Metrics::RequestEnds(Method method, absl::StatusCode code, double seconds, bool hit) {
  size_t c = std::min<size_t>(static_cast<size_t>(code), kCodes - 1);
  requests_[static_cast<size_t>(method)][c]->Increment();
  if (method != Method::kCompile) return;
  in_flight_->Decrement();
  if (code == absl::StatusCode::kOk) request_seconds_[hit ? 0 : 1]->Observe(seconds);
}

size_t Metrics::TargetIndex(std::string_view target) const {
  for (size_t i = 0; i + 1 < targets_.size(); ++i) {
    if (targets_[i] == target) return i;
  }
  return targets_.size() - 1;
}

void Metrics::Result(std::string_view target, TargetResult::Status status, CacheTier tier) {
  size_t s = static_cast<size_t>(status) < kStatuses ? static_cast<size_t>(status) : 0;
  size_t t = static_cast<size_t>(tier) < kTiers ? static_cast<size_t>(tier) : 0;
  results_[TargetIndex(target)][s][t]->Increment();
}

Metrics::PassCounters& Metrics::Pass(std::string_view pass, std::string_view target) {
  // Names come out of a worker, which may have been subverted: only known ones become labels.
  std::string p(passes_.count(pass) > 0 ? pass : std::string_view("other"));
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
  queue_seconds_->Observe(absl::ToDoubleSeconds(outcome.queued));
  if (outcome.ran > absl::ZeroDuration()) {
    auto* seconds =
        targets.empty() ? translate_seconds_ : compile_seconds_[TargetIndex(targets[0])];
    seconds->Observe(absl::ToDoubleSeconds(outcome.ran));
  }
  lost_->Increment(outcome.lost_passes);
  auto name = [&](int index) -> std::string_view {
    if (index < 0 || static_cast<size_t>(index) >= targets.size()) return "any";
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
  bool died = outcome.status == TargetResult::CRASHED ||
              outcome.status == TargetResult::TIMED_OUT ||
              outcome.status == TargetResult::MEMORY_LIMIT;
  if (died && !outcome.last_pass.empty()) {
    Pass(outcome.last_pass, name(outcome.blamed_target)).deaths->Increment();
  }
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
