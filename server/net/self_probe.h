// The daemon watches itself: asks, at intervals, whether it answers.
#ifndef KILN_SERVER_NET_SELF_PROBE_H_
#define KILN_SERVER_NET_SELF_PROBE_H_

#include <cstdint>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace kiln::net {

class SelfProbe {
 public:
  struct Options {
    absl::Duration interval;
    // Ok: it answered. Blocks, for a bounded time.
    std::function<absl::Status()> ask;
    // The answer has changed, from or to Ok; in the probe's thread. May be null.
    std::function<void(const absl::Status& status)> on_change;
  };
  struct Counters {
    uint64_t answered = 0;
    uint64_t failed = 0;
    absl::Status last;  // Ok before the first
  };

  explicit SelfProbe(Options options);
  ~SelfProbe() { Stop(); }
  SelfProbe(const SelfProbe&) = delete;
  SelfProbe& operator=(const SelfProbe&) = delete;

  // Waits for a probe under way.
  void Stop();
  Counters counters() const;

 private:
  void Run();
  // False: it is to end.
  bool Wait();

  const Options options_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  Counters counters_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_SELF_PROBE_H_
