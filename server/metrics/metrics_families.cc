// kilnd's metrics for Prometheus, the families and the series that exist from the start: see
// metrics.h.
#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "server/metrics/families.h"
#include "server/metrics/labels.h"
#include "server/metrics/metrics.h"

namespace kiln::metrics {
namespace {

using kiln::v1::TargetResult;

constexpr size_t kDeaths = 5;  // index of the deaths among a pass's families

// Causes of statuses and of source texts, whatever compiler the workers have.
constexpr const char* kStatusCauses[] = {
    "invalid_module", "invalid_glsl",   "invalid_hlsl", "not_found",
    "unsupported",    "limit_exceeded", kOther};

std::string StatusLabel(int status) {
  return absl::AsciiStrToLower(
      TargetResult::Status_Name(static_cast<TargetResult::Status>(status)));
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

Metrics::Metrics(const worker::Hello& hello, std::string_view version, std::string_view commit) {
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
  AddServiceFamilies();
  AddBuildFamilies(hello, version, commit);
  code_ = std::make_shared<CodeStatistics>(
      targets_, std::vector<std::string>(stages_.begin(), stages_.end() - 1));
}

void Metrics::AddRequestFamilies() {
  auto& requests = Counters(*registry_, "kiln_requests_total");
  auto& in_flight = Gauges(*registry_, "kiln_requests_in_flight");
  for (size_t m = 0; m < kMethods; ++m) {
    for (size_t c = 0; c < kCodes; ++c) {
      requests_[m][c] =
          &requests.Add({{"method", kMethodLabels[m]}, {"code", CodeLabel(static_cast<int>(c))}});
    }
    in_flight_[m] = &in_flight.Add({{"method", kMethodLabels[m]}});
  }
  request_seconds_family_ = &Histograms(*registry_, "kiln_request_duration_seconds");
  request_seconds_ =
      std::vector<std::atomic<Histogram*>>(kTimedMethods * kSources * (targets_.size() + 1));
  request_bytes_ = &Gauges(*registry_, "kiln_request_bytes").Add({});
}

void Metrics::AddResultFamilies() {
  auto& results = Counters(*registry_, "kiln_compile_results_total");
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
  compile_seconds_family_ = &Histograms(*registry_, "kiln_compile_duration_seconds");
  compile_seconds_ = std::vector<std::atomic<Histogram*>>(targets_.size() * stages_.size());
  translate_seconds_ = &Histograms(*registry_, "kiln_translate_duration_seconds").Add({}, kSeconds);
  auto& waits = Histograms(*registry_, "kiln_queue_wait_seconds");
  for (size_t i = 0; i < queue_seconds_.size(); ++i) {
    queue_seconds_[i] = &waits.Add(
        {{"queue", kQueuedLabels[i].queue}, {"class", kQueuedLabels[i].class_}}, kSeconds);
  }
  auto& failures = Counters(*registry_, "kiln_job_failures_total");
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
  static constexpr const char* kFamilies[] = {
      "kiln_pass_runs_total",
      "kiln_pass_changed_total",
      "kiln_pass_seconds_total",
      "kiln_pass_instructions_removed_total",
      "kiln_pass_instructions_added_total",
      "kiln_pass_deaths_total",
  };
  for (size_t i = 0; i < pass_families_.size(); ++i) {
    pass_families_[i] = &Counters(*registry_, kFamilies[i]);
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
  auto& rechecks = Counters(*registry_, "kiln_rechecks_total");
  constexpr const char* kEnds[] = {"same", "different", "unfinished", "dropped"};
  for (size_t i = 0; i < rechecks_.size(); ++i) {
    rechecks_[i] = &rechecks.Add({{"result", kEnds[i]}});
  }
  distrusted_results_ = &Counters(*registry_, "kiln_distrusted_results_total").Add({});
}

void Metrics::AddServiceFamilies() {
  coalesced_ = &Counters(*registry_, "kiln_single_flight_coalesced_total").Add({});
  lost_ = &Counters(*registry_, "kiln_pass_records_lost_total").Add({});
  draining_ = &Gauges(*registry_, "kiln_draining").Add({});
  auto& shed = Counters(*registry_, "kiln_shed_total");
  shed_[0] = &shed.Add({{"reason", "queue_full"}});
  shed_[1] = &shed.Add({{"reason", "draining"}});
  shed_[2] = &shed.Add({{"reason", "request_bytes"}});
  auto& exits = Counters(*registry_, "kiln_worker_exits_total");
  for (const char* reason : worker::kExitReasons) {
    exits_[reason] = &exits.Add({{"reason", reason}});
  }
}

void Metrics::AddBuildFamilies(const worker::Hello& hello, std::string_view version,
                               std::string_view commit) {
  auto& code = Gauges(*registry_, "kiln_code_generation_version");
  auto& info = Gauges(*registry_, "kiln_target_info");
  std::string versions;
  for (const auto& target : hello.targets()) {
    const std::string number = std::to_string(target.code_generation_version());
    code.Add({{"target", target.name()}}).Set(target.code_generation_version());
    info.Add({{"target", target.name()},
              {"code_generation", number},
              {"abi", std::to_string(target.abi_version())}})
        .Set(1);
    absl::StrAppend(&versions, versions.empty() ? "" : " ", target.name(), ":", number);
  }
  Gauges(*registry_, "kiln_build_info")
      .Add({{"version", std::string(version)},
            {"commit", commit.empty() ? "unknown" : std::string(commit)},
            {"glslang", hello.glslang_version()},
            {"code_generation", versions}})
      .Set(1);
}

}  // namespace kiln::metrics
