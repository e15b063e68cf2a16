// kilnd's metrics for Prometheus.
//
// Names begin with kiln_, units are base units, counters end in _total. Labels come from bounded
// sets only: targets and passes as the workers announced them (anything else is "other"), statuses,
// tiers, reasons, causes; never a hash, a shader's name or a client. Budget: 6,000 series with 120
// passes and 4 targets, everything used (metrics_test counts them; README.md has the rule for
// more). Series of rare and important events exist from the start, since increase() does not see a
// counter begin at 1; other series are made when first needed. Counters are looked up once and
// kept, so that counting a cache hit is a few atomic additions. Counts that other parts keep
// themselves (cache tiers, queues) are read when scraped.
#ifndef KILN_SERVER_METRICS_METRICS_H_
#define KILN_SERVER_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/cache/result_tag.h"
#include "server/metrics/code_statistics.h"
#include "server/metrics/exemplars.h"
#include "server/worker/pool.h"

namespace kiln::metrics {

class Metrics {
 public:
  // `commit`: of the build, for kiln_build_info.
  Metrics(const worker::Hello& hello, std::string_view version, std::string_view commit = "");
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  const std::shared_ptr<prometheus::Registry>& registry() const { return registry_; }
  // Beside the registry, to be read with it.
  const std::shared_ptr<CodeStatistics>& code() const { return code_; }
  const Exemplars& exemplars() const { return exemplars_; }

  // The daemon was told to stop.
  void Draining() { draining_->Set(1); }

  // An item of a stream counts like a Compile call; the stream itself is a call of another kind.
  enum class Method { kCompile, kItem, kCompileStream, kGetCapabilities };
  void RequestBegins(Method method) { in_flight_[static_cast<size_t>(method)]->Increment(); }
  void RequestEnds(Method method, absl::StatusCode code);

  // Source of a result. A request with several sources counts under the last of them in this order.
  enum class Source {
    kQuarantine,  // refused because it killed workers before
    kMemory,
    kDisk,
    kCoalesced,  // compiled for another request in flight
    kMiss,       // compiled for this request
    kProbe,      // none: NOT_CACHED, for a client that only asks
  };
  // Counts one target of a request. `target`: as validated. `tag`: of the result.
  void Result(std::string_view target, kiln::v1::TargetResult::Status status, Source source,
              const cache::ResultTag& tag = {});
  // Counts a Compile call or item that was answered with results; `seconds` in the daemon.
  // `request_id`: empty if it has none.
  void RequestTook(Method method, const std::vector<std::string>& targets, Source source,
                   double seconds, std::string_view request_id = "");

  // Counts one job of a worker with its passes. `targets`: of the job. `request_id`: of the call
  // that asked first.
  void Job(const worker::JobOutcome& outcome, const std::vector<std::string>& targets,
           std::string_view request_id = "");

  // The classes of what waits in a queue: a step of a call for a thread that may read from the
  // disk; a job for a worker, or the job that a spare worker took.
  enum class Queued { kLookup, kTranslate, kCompile, kExpress };
  void Waited(Queued queued, absl::Duration time) {
    queue_seconds_[static_cast<size_t>(queued)]->Observe(absl::ToDoubleSeconds(time));
  }

  void Coalesced() { coalesced_->Increment(); }
  // Changes the sum of --request-bytes that requests in flight hold.
  void RequestBytes(double change) { request_bytes_->Increment(change); }
  enum class Shed { kQueueFull, kDraining, kBytes };
  void ShedRequest(Shed why) { shed_[static_cast<size_t>(why)]->Increment(); }
  // Number of requests refused for lack of room; those that a draining daemon refuses are not
  // counted.
  uint64_t Overloads() const;
  void WorkerExit(std::string_view reason);

  // How a recheck ended (server/engine/recheck.h).
  enum class Recheck { kSame, kDifferent, kUnfinished, kDropped };
  void RecheckEnds(Recheck end) { rechecks_[static_cast<size_t>(end)]->Increment(); }
  // Counts results that were forgotten because their worker is distrusted.
  void DistrustedResults(size_t results) {
    distrusted_results_->Increment(static_cast<double>(results));
  }

 private:
  using Counter = prometheus::Counter;
  static constexpr size_t kMethods = 4;
  static constexpr size_t kTimedMethods = 2;  // the first two methods
  static constexpr size_t kStatuses = 9;
  static constexpr size_t kSources = 6;
  static constexpr size_t kCodes = 17;
  // Bound on the pairs of pass and target that have series; further ones are counted as the pass
  // "other" of the target. Each pair has five series, beside those of deaths.
  static constexpr size_t kMaxPassPairs = 360;
  using Histogram = prometheus::Histogram;

  struct PassCounters {
    Counter* runs;
    Counter* changed;
    Counter* seconds;
    Counter* removed;
    Counter* added;
    Counter* deaths;
  };

  void AddRequestFamilies();
  void AddResultFamilies();
  void AddJobFamilies(const worker::Hello& hello);
  void AddPassFamilies();
  void AddRecheckFamilies();
  void AddServiceFamilies();
  void AddBuildFamilies(const worker::Hello& hello, std::string_view version,
                        std::string_view commit);
  PassCounters& Pass(std::string_view pass, std::string_view target)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(pass_mutex_);
  size_t TargetIndex(std::string_view target) const;
  void Compiled(const worker::JobOutcome& outcome, std::string_view target,
                std::string_view request_id);
  void Waited(const worker::JobOutcome& outcome, bool translates, std::string_view request_id);
  void CountPasses(const worker::JobOutcome& outcome, const std::vector<std::string>& targets)
      ABSL_LOCKS_EXCLUDED(pass_mutex_);
  void JobFailed(kiln::v1::TargetResult::Status status, std::string_view cause);

  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  std::vector<std::string> targets_;  // and last "other"
  std::vector<std::string> stages_;   // and last "other"
  std::set<std::string, std::less<>> passes_;

  std::array<std::array<Counter*, kCodes>, kMethods> requests_{};
  std::array<prometheus::Gauge*, kMethods> in_flight_{};
  prometheus::Gauge* request_bytes_ = nullptr;
  prometheus::Family<Histogram>* request_seconds_family_ = nullptr;
  // By method, source and target (the index after the last target: several). Null: none yet.
  std::vector<std::atomic<Histogram*>> request_seconds_;
  std::vector<std::array<std::array<Counter*, kSources>, kStatuses>> results_;
  prometheus::Family<Histogram>* compile_seconds_family_ = nullptr;
  std::vector<std::atomic<Histogram*>> compile_seconds_;  // by target and stage; null: none yet
  prometheus::Histogram* translate_seconds_ = nullptr;
  std::array<Histogram*, 4> queue_seconds_{};
  std::shared_ptr<CodeStatistics> code_;
  Exemplars exemplars_;
  prometheus::Gauge* draining_ = nullptr;
  Counter* coalesced_ = nullptr;
  Counter* lost_ = nullptr;
  std::array<Counter*, 3> shed_{};
  std::array<Counter*, 4> rechecks_{};
  Counter* distrusted_results_ = nullptr;
  std::map<std::string, Counter*, std::less<>> exits_;
  std::array<std::map<std::string, Counter*, std::less<>>, kStatuses> failures_;  // by cause

  absl::Mutex pass_mutex_;
  std::array<prometheus::Family<Counter>*, 6> pass_families_{};
  std::map<std::pair<std::string, std::string>, PassCounters> pass_counters_
      ABSL_GUARDED_BY(pass_mutex_);
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_METRICS_H_
