// A few threads for what may block: see executor.h.
#include "server/executor.h"

#include <utility>

#include "absl/time/clock.h"

namespace kiln::server {

Executor::Executor(int threads, size_t limit, Waited waited)
    : limit_(limit), waited_(std::move(waited)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
}

void Executor::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  for (std::thread& t : threads_) {
    if (t.joinable()) t.join();
  }
}

bool Executor::TryRun(std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  if (stopping_ || queue_.size() >= limit_) return false;
  queue_.push_back({std::move(task), absl::Now()});
  return true;
}

void Executor::Run(std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  if (stopping_) return;
  queue_.push_back({std::move(task), absl::Now()});
}

size_t Executor::queued() const {
  absl::MutexLock lock(&mutex_);
  return queue_.size();
}

void Executor::Loop() {
  for (;;) {
    Task task;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(
          +[](Executor* self) { return self->stopping_ || !self->queue_.empty(); }, this));
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    waited_(absl::Now() - task.queued_at);
    task.run();
  }
}

}  // namespace kiln::server
