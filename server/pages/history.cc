// The last hour's samples: see history.h.
#include "server/pages/history.h"

#include <string>

namespace kiln::pages {
namespace {

using Kind = History::Kind;

// A column that is the sum of a family's series.
struct Source {
  std::string_view name;
  Kind kind;
  std::string_view family;
  std::vector<Where> where = {};
};

const std::vector<Source>& Sources() {
  constexpr std::string_view kRequests = "kiln_requests_total";
  constexpr std::string_view kResults = "kiln_compile_results_total";
  // A stream is no request; its items are.
  static const Where kCalls = {"method", {"Compile", "CompileStream/item"}};
  const auto cache = [](std::string_view tier) { return std::vector<Where>{{"cache", {tier}}}; };
  const auto tier = [](std::string_view name) { return std::vector<Where>{{"tier", {name}}}; };
  const auto queue = [](std::string_view name) { return std::vector<Where>{{"queue", {name}}}; };
  static const std::vector<Source> kSources = {
      {"requests", Kind::kCounter, kRequests, {kCalls}},
      {"errors", Kind::kCounter, kRequests, {kCalls, {"code", {"OK"}, true}}},
      {"shed", Kind::kCounter, "kiln_shed_total"},
      {"memory", Kind::kCounter, kResults, cache("memory")},
      {"disk", Kind::kCounter, kResults, cache("disk")},
      {"coalesced", Kind::kCounter, kResults, cache("coalesced")},
      {"miss", Kind::kCounter, kResults, cache("miss")},
      {"refused", Kind::kCounter, kResults, {{"result", {"refused", "invalid"}}}},
      {"died", Kind::kCounter, kResults, {{"result", {"crashed", "timed_out", "memory_limit"}}}},
      {"queued_jobs", Kind::kGauge, "kiln_queue_depth", queue("worker")},
      {"queued_reads", Kind::kGauge, "kiln_queue_depth", queue("disk")},
      {"workers", Kind::kGauge, "kiln_workers"},
      {"busy", Kind::kGauge, "kiln_workers_busy"},
      {"daemon_bytes", Kind::kGauge, "process_resident_memory_bytes"},
      {"workers_bytes", Kind::kGauge, "kiln_worker_resident_memory_bytes"},
      {"daemon_cpu", Kind::kCounter, "process_cpu_seconds_total"},
      {"workers_cpu", Kind::kCounter, "kiln_worker_cpu_seconds_total"},
      {"memory_cache_bytes", Kind::kGauge, "kiln_cache_bytes", tier("memory")},
      {"disk_cache_bytes", Kind::kGauge, "kiln_cache_bytes", tier("disk")},
      {"memory_evicted_bytes", Kind::kCounter, "kiln_cache_evicted_bytes_total", tier("memory")},
      {"disk_evicted_bytes", Kind::kCounter, "kiln_cache_evicted_bytes_total", tier("disk")},
      {"connections", Kind::kGauge, "kiln_connections", {{"listener", {"grpc"}}}},
  };
  return kSources;
}

constexpr std::string_view kQuantiles[] = {"hit_p50",  "hit_p99",   "miss_p50",
                                           "miss_p99", "queue_p50", "queue_p99"};

}  // namespace

std::vector<History::Column> History::Columns() {
  std::vector<Column> columns = {{"time", Kind::kTime}};
  for (const Source& source : Sources()) columns.push_back({source.name, source.kind});
  for (std::string_view name : kQuantiles) columns.push_back({name, Kind::kQuantile});
  return columns;
}

History::Times History::TimesOf(const Readings& readings) {
  constexpr std::string_view kRequest = "kiln_request_duration_seconds";
  return {readings.Histogram(kRequest, {{"cache", {"memory", "disk"}}}),
          readings.Histogram(kRequest, {{"cache", {"miss", "coalesced"}}}),
          readings.Histogram("kiln_queue_wait_seconds", {{"queue", {"worker"}}})};
}

Sample History::Row(const Readings& readings, const Times& times, absl::Time now) const {
  Sample row = {static_cast<double>(absl::ToUnixMillis(now)) / 1000};
  for (const Source& source : Sources()) row.push_back(readings.Sum(source.family, source.where));
  for (const auto& [before, after] :
       {std::pair{&last_.hits, &times.hits}, std::pair{&last_.misses, &times.misses},
        std::pair{&last_.queue, &times.queue}}) {
    for (double quantile : {0.5, 0.99}) row.push_back(Quantile(quantile, *before, *after));
  }
  return row;
}

void History::Take(const Readings& readings, absl::Time now) {
  Times times = TimesOf(readings);
  absl::MutexLock lock(&mutex_);
  samples_.push_back(Row(readings, times, now));
  if (samples_.size() > kSamples) samples_.pop_front();
  last_ = std::move(times);
}

Sample History::Look(const Readings& readings, absl::Time now) const {
  const Times times = TimesOf(readings);
  absl::MutexLock lock(&mutex_);
  return Row(readings, times, now);
}

std::vector<Sample> History::All() const {
  absl::MutexLock lock(&mutex_);
  return {samples_.begin(), samples_.end()};
}

}  // namespace kiln::pages
