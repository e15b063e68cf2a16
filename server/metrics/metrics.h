// kilnd's metrics for Prometheus.
//
// Names begin with kiln_, units are base units, counters end in _total. Labels come from bounded
// sets only: targets and passes as the workers announced them (anything else is "other"), statuses,
// tiers, reasons, causes; never a hash, a shader's name or a client. Budget: 10,000 series with 120
// passes and 4 targets, everything used (metrics_test counts them). Series of rare and important
// events exist from the start, since increase() does not see a counter begin at 1; other series are
// made when first needed. Counters are looked up once and kept, so that counting a cache hit is a
// few atomic additions. Counts that other parts keep themselves (cache tiers, queues) are read when
// scraped.
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
#include "server/worker/pool.h"

namespace kiln::metrics {

class Metrics {
 public:
  Metrics(const worker::Hello& hello, std::string_view version);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  const std::shared_ptr<prometheus::Registry>& registry() const { return registry_; }

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
  // Counts one target of a request. `target`: as validated.
  void Result(std::string_view target, kiln::v1::TargetResult::Status status, Source source);
  // Counts a Compile call or item that was answered with results; `seconds` in the daemon.
  void RequestTook(Method method, const std::vector<std::string>& targets, Source source,
                   double seconds);

  // Counts one job of a worker with its passes. `targets`: of the job.
  void Job(const worker::JobOutcome& outcome, const std::vector<std::string>& targets);

  // Queues in which a request may wait: for a thread that may read from the disk, for a worker.
  enum class Queue { kDisk, kWorker };
  void Waited(Queue queue, absl::Duration time) {
    queue_seconds_[static_cast<size_t>(queue)]->Observe(absl::ToDoubleSeconds(time));
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
  void AddServiceFamilies(const worker::Hello& hello, std::string_view version);
  PassCounters& Pass(std::string_view pass, std::string_view target)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(pass_mutex_);
  size_t TargetIndex(std::string_view target) const;
  Histogram& CompileSeconds(const worker::JobOutcome& outcome, std::string_view target);
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
  std::array<Histogram*, 2> queue_seconds_{};
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
