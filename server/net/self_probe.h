// The daemon watches itself: asks, at intervals, whether it answers. Asking may hang with whatever
// else does (gRPC's caller does work of other connections while it waits): whoever reads the
// counters is told so, though the probe's own thread cannot tell anybody then.
#ifndef KILN_SERVER_NET_SELF_PROBE_H_
#define KILN_SERVER_NET_SELF_PROBE_H_

#include <chrono>
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
    // Ok: it answered. Meant to block for a bounded time.
    std::function<absl::Status()> ask;
    // Of that time; asking for longer has failed.
    absl::Duration bound = absl::InfiniteDuration();
    // The answer has changed, from or to Ok; in the probe's thread. May be null.
    std::function<void(const absl::Status& status)> on_change;
  };
  struct Counters {
    uint64_t answered = 0;
    uint64_t failed = 0;
    absl::Status last;  // Ok before the first; of the one under way, when its time is over
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
  bool asking_ = false;
  std::chrono::steady_clock::time_point asked_ = {};
  std::thread thread_;
};

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_SELF_PROBE_H_
