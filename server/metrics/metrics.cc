// kilnd's metrics for Prometheus, what is counted: see metrics.h.
#include "server/metrics/metrics.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/metrics/labels.h"

namespace kiln::metrics {
namespace {

using kiln::v1::TargetResult;

// Returns the tier of a result that was looked up or compiled.
std::optional<CodeStatistics::Tier> TierOf(Metrics::Source source) {
  switch (source) {
    case Metrics::Source::kMemory: return CodeStatistics::Tier::kMemory;
    case Metrics::Source::kDisk: return CodeStatistics::Tier::kDisk;
    case Metrics::Source::kCoalesced: return CodeStatistics::Tier::kCoalesced;
    case Metrics::Source::kMiss: return CodeStatistics::Tier::kMiss;
    case Metrics::Source::kQuarantine:
    case Metrics::Source::kProbe: break;
  }
  return std::nullopt;
}

}  // namespace

void Metrics::RequestEnds(Method method, absl::StatusCode code) {
  size_t c = std::min<size_t>(static_cast<size_t>(code), kCodes - 1);
  requests_[static_cast<size_t>(method)][c]->Increment();
  in_flight_[static_cast<size_t>(method)]->Decrement();
}

void Metrics::RequestTook(Method method, const std::vector<std::string>& targets, Source source,
                          double seconds, std::string_view request_id) {
  const size_t m = static_cast<size_t>(method), from = static_cast<size_t>(source);
  const size_t t = targets.size() == 1 ? TargetIndex(targets[0]) : targets_.size();
  std::atomic<Histogram*>& slot =
      request_seconds_[(m * kSources + from) * (targets_.size() + 1) + t];
  const auto labels = [&]() -> prometheus::Labels {
    return {{"method", kMethodLabels[m]},
            {"cache", kSourceLabels[from]},
            {"target", t < targets_.size() ? targets_[t] : "several"}};
  };
  Histogram* histogram = slot.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    // Add returns the same histogram to all threads that come here at once.
    histogram = &request_seconds_family_->Add(labels(), kSeconds);
    slot.store(histogram, std::memory_order_release);
  }
  histogram->Observe(seconds);
  if (request_id.empty()) return;
  exemplars_.Note({"kiln_request_duration_seconds", labels()}, kSeconds, seconds, request_id);
}

size_t Metrics::TargetIndex(std::string_view target) const {
  for (size_t i = 0; i + 1 < targets_.size(); ++i) {
    if (targets_[i] == target) return i;
  }
  return targets_.size() - 1;
}

void Metrics::Compiled(const worker::JobOutcome& outcome, std::string_view target,
                       std::string_view request_id) {
  size_t stage = stages_.size() - 1;
  if (!outcome.results.empty() && outcome.results[0].has_value()) {
    const auto known = std::find(stages_.begin(), stages_.end() - 1, outcome.results[0]->stage());
    stage = static_cast<size_t>(known - stages_.begin());
  }
  const size_t t = TargetIndex(target);
  const prometheus::Labels labels = {{"target", targets_[t]}, {"stage", stages_[stage]}};
  std::atomic<Histogram*>& slot = compile_seconds_[t * stages_.size() + stage];
  Histogram* histogram = slot.load(std::memory_order_acquire);
  if (histogram == nullptr) {
    // Add returns the same histogram to all threads that come here at once.
    histogram = &compile_seconds_family_->Add(labels, kSeconds);
    slot.store(histogram, std::memory_order_release);
  }
  const double seconds = absl::ToDoubleSeconds(outcome.ran);
  histogram->Observe(seconds);
  exemplars_.Note({"kiln_compile_duration_seconds", labels}, kSeconds, seconds, request_id);
}

void Metrics::Waited(const worker::JobOutcome& outcome, bool translates,
                     std::string_view request_id) {
  const Queued queued = outcome.express ? Queued::kExpress
                        : translates    ? Queued::kTranslate
                                        : Queued::kCompile;
  Waited(queued, outcome.queued);
  const QueuedLabels& labels = kQueuedLabels[static_cast<size_t>(queued)];
  exemplars_.Note({"kiln_queue_wait_seconds", {{"queue", labels.queue}, {"class", labels.class_}}},
                  kSeconds, absl::ToDoubleSeconds(outcome.queued), request_id);
}

void Metrics::Result(std::string_view target, TargetResult::Status status, Source source,
                     const cache::ResultTag& tag) {
  const size_t t = TargetIndex(target);
  if (const auto tier = TierOf(source)) code_->Served(t, *tier, tag);
  auto& of_target = results_[t];
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
  const bool known = pass_counters_.count({p, std::string(target)}) > 0;
  if (!known && pass_counters_.size() >= kMaxPassPairs) p = kOther;
  auto [it, fresh] = pass_counters_.try_emplace({p, std::string(target)});
  if (fresh) {
    prometheus::Labels labels = {{"pass", p}, {"target", std::string(target)}};
    Counter** slots[] = {&it->second.runs,    &it->second.changed, &it->second.seconds,
                         &it->second.removed, &it->second.added,   &it->second.deaths};
    for (size_t i = 0; i < pass_families_.size(); ++i) *slots[i] = &pass_families_[i]->Add(labels);
  }
  return it->second;
}

void Metrics::Job(const worker::JobOutcome& outcome, const std::vector<std::string>& targets,
                  std::string_view request_id) {
  Waited(outcome, targets.empty(), request_id);
  if (outcome.ran > absl::ZeroDuration()) {
    if (targets.empty()) {
      translate_seconds_->Observe(absl::ToDoubleSeconds(outcome.ran));
    } else {
      Compiled(outcome, targets[0], request_id);
    }
  }
  lost_->Increment(outcome.lost_passes);
  JobFailed(outcome.status, outcome.cause);
  if (outcome.translation.has_value()) {
    JobFailed(outcome.translation->status(), outcome.translation->cause());
  }
  for (size_t i = 0; i < outcome.results.size(); ++i) {
    const auto& result = outcome.results[i];
    if (!result.has_value()) continue;
    JobFailed(result->status(), result->cause());
    if (i < targets.size()) code_->Made(TargetIndex(targets[i]), cache::TagOf(*result));
  }
  CountPasses(outcome, targets);
}

void Metrics::CountPasses(const worker::JobOutcome& outcome,
                          const std::vector<std::string>& targets) {
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
