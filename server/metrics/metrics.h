// What kilnd tells Prometheus.
//
// Names begin with kiln_, units are base units, counters end in _total. Labels come from bounded
// sets only: targets and passes as the workers announced them (anything else is "other"), statuses,
// tiers, reasons; never a hash, a shader's name or a client. Series for 60 passes and 4 targets:
// about 1,500. Counters are looked up once and kept, so that counting a cache hit is a few atomic
// additions. What other parts count themselves (cache tiers, queue) is read when scraped.
#ifndef KILN_SERVER_METRICS_METRICS_H_
#define KILN_SERVER_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
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
#include "proto/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/worker/pool.h"

namespace kiln::metrics {

class Metrics {
 public:
  Metrics(const worker::Hello& hello, std::string_view version);
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  const std::shared_ptr<prometheus::Registry>& registry() const { return registry_; }

  enum class Method { kCompile, kGetCapabilities };
  void RequestBegins() { in_flight_->Increment(); }
  // `seconds` in the daemon; `hit`: nothing had to be compiled.
  void RequestEnds(Method method, absl::StatusCode code, double seconds, bool hit);

  // One target of a request. `target` as validated.
  void Result(std::string_view target, kiln::v1alpha::TargetResult::Status status,
              kiln::v1alpha::CacheTier tier);

  // One job of a worker with its passes. `targets`: of the job.
  void Job(const worker::JobOutcome& outcome, const std::vector<std::string>& targets);

  void Coalesced() { coalesced_->Increment(); }
  // What requests in flight have of --request-bytes: more, or less again.
  void RequestBytes(double change) { request_bytes_->Increment(change); }
  enum class Shed { kQueueFull, kDraining, kBytes };
  void ShedRequest(Shed why) { shed_[static_cast<size_t>(why)]->Increment(); }
  // Requests refused for want of room; a draining daemon's are not among them.
  uint64_t Overloads() const;
  void WorkerExit(std::string_view reason);

 private:
  using Counter = prometheus::Counter;
  static constexpr size_t kStatuses = 9;
  static constexpr size_t kTiers = 5;
  static constexpr size_t kCodes = 17;

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
  void AddPassFamilies();
  void AddServiceFamilies(const worker::Hello& hello, std::string_view version);
  PassCounters& Pass(std::string_view pass, std::string_view target)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(pass_mutex_);
  size_t TargetIndex(std::string_view target) const;

  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  std::vector<std::string> targets_;  // and last "other"
  std::set<std::string, std::less<>> passes_;

  std::array<std::array<Counter*, kCodes>, 2> requests_{};
  std::array<prometheus::Histogram*, 2> request_seconds_{};  // hit, miss
  prometheus::Gauge* in_flight_ = nullptr;
  prometheus::Gauge* request_bytes_ = nullptr;
  std::vector<std::array<std::array<Counter*, kTiers>, kStatuses>> results_;
  std::vector<prometheus::Histogram*> compile_seconds_;
  prometheus::Histogram* translate_seconds_ = nullptr;
  prometheus::Histogram* queue_seconds_ = nullptr;
  Counter* coalesced_ = nullptr;
  Counter* lost_ = nullptr;
  std::array<Counter*, 3> shed_{};
  std::map<std::string, Counter*, std::less<>> exits_;

  absl::Mutex pass_mutex_;
  std::array<prometheus::Family<Counter>*, 6> pass_families_{};
  std::map<std::pair<std::string, std::string>, PassCounters> pass_counters_
      ABSL_GUARDED_BY(pass_mutex_);
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_METRICS_H_
