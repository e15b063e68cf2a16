// The daemon watches itself: see self_probe.h.
#include "server/net/self_probe.h"

#include <utility>

namespace kiln::net {

SelfProbe::SelfProbe(Options options) : options_(std::move(options)), thread_([this] { Run(); }) {}

void SelfProbe::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

SelfProbe::Counters SelfProbe::counters() const {
  absl::MutexLock lock(&mutex_);
  return counters_;
}

bool SelfProbe::Wait() {
  absl::MutexLock lock(&mutex_);
  return !mutex_.AwaitWithTimeout(absl::Condition(&stopping_), options_.interval);
}

void SelfProbe::Run() {
  while (Wait()) {
    absl::Status status = options_.ask();
    bool changed;
    {
      absl::MutexLock lock(&mutex_);
      ++(status.ok() ? counters_.answered : counters_.failed);
      changed = status.ok() != counters_.last.ok();
      counters_.last = status;
    }
    if (changed && options_.on_change) options_.on_change(status);
  }
}

}  // namespace kiln::net
