// Sends finished spans to a collector, in batches, from a thread of its own.
//
// Add never waits: spans that find the queue full, in number or in bytes, are dropped and counted.
// A batch is sent when there are enough spans or the oldest has waited for long enough. As
// OTLP/HTTP wants it, answers 429, 502, 503 and 504 and failed connections are tried again, after
// growing delays with jitter or as long as Retry-After says; every other error drops the batch. A
// span is counted once: exported, or by the reason why it was not.
#ifndef KILN_SERVER_TRACE_EXPORTER_H_
#define KILN_SERVER_TRACE_EXPORTER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/trace/otlp_json.h"
#include "server/trace/span.h"

namespace kiln::trace {

// An HTTP connection to the collector.
class Transport {
 public:
  struct Answer {
    int status = 0;  // of HTTP; 0: there was no answer
    std::optional<absl::Duration> retry_after;
    std::string body;
    std::string error;  // why there was no answer
  };
  virtual ~Transport() = default;
  // Sends the body and waits for the answer, for at most `timeout`. Called by one thread.
  virtual Answer Post(const std::string& body, absl::Duration timeout) = 0;
  // A Post that is under way ends at that time at the latest. Called by any thread.
  virtual void EndBy(absl::Time end) = 0;
};

class Exporter {
 public:
  struct Options {
    size_t queue = 2048;                             // bound on waiting spans
    size_t queue_bytes = size_t{2} << 20;            // and on their bytes
    size_t batch = 512;                              // spans of a request, at most
    absl::Duration delay = absl::Seconds(5);         // how long a span waits for others
    absl::Duration timeout = absl::Seconds(10);      // of a request
    int tries = 5;                                   // of a batch
    absl::Duration first_delay = absl::Seconds(1);   // before the second try; then twice as long
    absl::Duration longest_wait = absl::Minutes(1);  // bounds the delay and Retry-After
    Resource resource;
    std::string version;
    // Called when exports begin to fail, with the reason, and with "" when one succeeds again.
    // May be empty.
    std::function<void(const std::string& why)> on_change;
  };
  // Bound on the memory of all that waits or is being sent: the queue, a batch, and the batch as a
  // JSON document (four times its bytes) and as text.
  static constexpr uint64_t kMaxBytes = uint64_t{16} << 20;

  // All counts are of spans but the last three, which are of requests to the collector.
  struct Counters {
    uint64_t exported = 0;
    uint64_t queue_full = 0;   // dropped: no room in the queue
    uint64_t rejected = 0;     // by the collector: the whole batch, or some of it
    uint64_t unreachable = 0;  // no try succeeded, or the daemon ended before
    size_t queued = 0;         // not sent yet, the batch under way included
    uint64_t accepted_requests = 0, retried_requests = 0, failed_requests = 0;
  };

  Exporter(Options options, std::unique_ptr<Transport> transport);
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  // Never blocks. After Stop the span is dropped.
  void Add(Span span);
  Counters counters() const;
  size_t queue_limit() const { return options_.queue; }
  // Sends what is queued, for at most `limit`; the rest is dropped.
  void Stop(absl::Duration limit);

 private:
  void Run();
  bool IsReady() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the next batch; empty: all is sent and the exporter stops.
  std::vector<Span> TakeBatch();
  void Send(const std::vector<Span>& batch);
  // Returns false if the exporter stops meanwhile.
  bool Wait(absl::Duration delay);
  absl::Duration DelayBefore(int next_try, const Transport::Answer& answer);
  void Count(uint64_t Counters::*spans, uint64_t number);
  void Tell(const std::string& why);

  const Options options_;
  const std::unique_ptr<Transport> transport_;
  mutable absl::Mutex mutex_;
  std::deque<Span> queue_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;      // of queue_
  size_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;  // spans of the batch that is being sent
  Counters counters_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time end_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool fails_ = false;  // as told last; of the thread alone
  std::thread thread_;
};

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_EXPORTER_H_
