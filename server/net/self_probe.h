// Probes the daemon at intervals: asks if it answers. The question may hang together with the
// daemon (gRPC's caller does work of other connections while it waits); then the probe's own thread
// cannot report it, but readers of the counters see it.
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
    // Asks the daemon; Ok if it answered. Should block for a bounded time.
    std::function<absl::Status()> ask;
    // That bound; a probe that takes longer has failed.
    absl::Duration bound = absl::InfiniteDuration();
    // Called when the answer changes to or from Ok, in the probe's thread. May be null.
    std::function<void(const absl::Status& status)> on_change;
  };
  struct Counters {
    uint64_t answered = 0;
    uint64_t failed = 0;
    absl::Status last;  // Ok before the first; a probe under way counts when its time is over
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
  // Returns false if the probe is to end.
  bool Wait();

  const Options options_;
  // Not Abseil's mutex: a clock that is set back would lengthen its waits by as much.
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
