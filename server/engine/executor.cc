// A few threads for steps that may block: see executor.h.
#include "server/engine/executor.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/time/clock.h"

namespace kiln::server {
namespace {

// Time of a clock that is never set back.
absl::Duration Uptime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

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

void Executor::TryRun(const worker::Owner& owner, std::function<void()> task,
                      std::function<void()> refuse) {
  auto own = std::make_shared<Task>(Task{std::move(task), std::move(refuse), absl::Now()});
  std::shared_ptr<Task> refused;
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_) {
      refused = own;
    } else if (queue_.size() < limit_) {
      queue_.Push(owner, own);
    } else {
      auto other = queue_.Displace(owner);
      refused = other.has_value() ? *std::move(other) : own;
      if (refused != own) queue_.Push(owner, own);
    }
  }
  if (refused != nullptr) refused->refuse();
}

void Executor::Run(const worker::Owner& owner, std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  if (stopping_) return;
  continuations_.Push(owner, std::make_shared<Task>(Task{std::move(task), nullptr, absl::Now()}));
}

size_t Executor::queued() const {
  absl::MutexLock lock(&mutex_);
  return queue_.size() + continuations_.size();
}

void Executor::Loop() {
  for (;;) {
    std::optional<Queue::Taken> taken;
    Queue* from = nullptr;
    absl::Duration begun;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(
          +[](Executor* self) { return self->stopping_ || self->HasTask(); }, this));
      if (!HasTask()) return;
      from = continuations_.empty() ? &queue_ : &continuations_;
      begun = Uptime();
      taken = from->Take(begun);
    }
    waited_(absl::Now() - taken->item->queued_at);
    taken->item->run();
    absl::MutexLock lock(&mutex_);
    from->Finish(taken->turn, Uptime() - begun);
  }
}

}  // namespace kiln::server
