// The daemon watches itself: asks, at intervals, whether it answers.
#ifndef KILN_SERVER_NET_SELF_PROBE_H_
#define KILN_SERVER_NET_SELF_PROBE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
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
  // Not Abseil's: a clock that is set back would make its waits longer by as much.
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  Counters counters_;
  std::thread thread_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_SELF_PROBE_H_
