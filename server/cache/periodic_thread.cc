// A thread for one task: see periodic_thread.h.
#include "server/cache/periodic_thread.h"

#include <utility>

namespace kiln::cache {

void PeriodicThread::Start(std::chrono::nanoseconds interval, std::function<void()> task) {
  thread_ = std::thread([this, interval, task = std::move(task)] { Run(interval, task); });
}

void PeriodicThread::Run(std::chrono::nanoseconds interval, const std::function<void()>& task) {
  for (;;) {
    task();
    std::unique_lock lock(mutex_);
    if (!std::exchange(ran_once_, true)) changed_.notify_all();
    changed_.wait_for(lock, interval, [this] { return stop_ || woken_; });
    if (stop_) return;
    woken_ = false;
  }
}

void PeriodicThread::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PeriodicThread::Wake() {
  {
    std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

bool PeriodicThread::AwaitFirst(std::chrono::nanoseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return ran_once_; });
}

}  // namespace kiln::cache
