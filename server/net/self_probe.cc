// Probes the daemon at intervals: see self_probe.h.
#include "server/net/self_probe.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kiln::net {

SelfProbe::SelfProbe(Options options) : options_(std::move(options)), thread_([this] { Run(); }) {}

void SelfProbe::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

SelfProbe::Counters SelfProbe::counters() const {
  std::lock_guard<std::mutex> lock(mutex_);
  Counters counters = counters_;
  auto asks = absl::FromChrono(std::chrono::steady_clock::now() - asked_);
  if (asking_ && asks > options_.bound) {
    counters.last = absl::DeadlineExceededError("the health check has not returned");
  }
  return counters;
}

bool SelfProbe::Wait() {
  // Bounded by a century, which is as good as never and does not overflow.
  auto interval = absl::ToChronoMilliseconds(std::min(options_.interval, absl::Hours(876'000)));
  std::unique_lock<std::mutex> lock(mutex_);
  return !wake_.wait_until(lock, std::chrono::steady_clock::now() + interval,
                           [this] { return stopping_; });
}

void SelfProbe::Run() {
  while (Wait()) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      asking_ = true;
      asked_ = std::chrono::steady_clock::now();
    }
    absl::Status status = options_.ask();
    bool changed;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      asking_ = false;
      ++(status.ok() ? counters_.answered : counters_.failed);
      changed = status.ok() != counters_.last.ok();
      counters_.last = status;
    }
    if (changed && options_.on_change) options_.on_change(status);
  }
}

}  // namespace kiln::net
