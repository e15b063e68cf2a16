// Tells each refused call at its time: see refusals.h.
#include "server/engine/refusals.h"

#include <chrono>
#include <utility>

#include "absl/time/clock.h"

namespace kiln::server {
namespace {

// Interval between looks while some are held: precise wake-ups would cost more than telling some
// refusals together.
constexpr absl::Duration kLook = absl::Milliseconds(20);

// Time of a clock that is never set back.
absl::Duration Uptime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

void TellAll(const std::vector<Refusals::Tell>& refusals) {
  for (const Refusals::Tell& tell : refusals) tell();
}

}  // namespace

Refusals::Refusals() : thread_([this] { Loop(); }) {}
Refusals::~Refusals() {
  Stop();
  thread_.join();
}

bool Refusals::Hold(const worker::Owner& owner, const void* caller, absl::Duration longest,
                    Tell* tell) {
  absl::MutexLock lock(&mutex_);
  return !stopping_ && queue_.Hold(owner.group, caller, longest, Uptime(), tell);
}

void Refusals::Leave(const void* caller) {
  std::vector<Tell> own;
  {
    absl::MutexLock lock(&mutex_);
    own = queue_.Leave(caller);
  }
  TellAll(own);
}

void Refusals::HasRoom(size_t jobs) {
  absl::MutexLock lock(&mutex_);
  room_ = queue_.held() == 0 ? 0 : room_ + jobs;
}

void Refusals::Stop() {
  std::vector<Tell> all;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    all = queue_.Next(queue_.held());
  }
  TellAll(all);
}

size_t Refusals::held() const {
  absl::MutexLock lock(&mutex_);
  return queue_.held();
}

void Refusals::Loop() {
  for (;;) {
    std::vector<Tell> due, early;
    {
      absl::MutexLock lock(&mutex_);
      const auto held = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return stopping_ || queue_.held() > 0;
      };
      mutex_.Await(absl::Condition(&held));
      mutex_.AwaitWithTimeout(absl::Condition(&stopping_), kLook);
      if (stopping_) return;
      due = queue_.Due(Uptime());
      early = queue_.Next(std::exchange(room_, 0));
    }
    TellAll(due);
    TellAll(early);
  }
}

}  // namespace kiln::server
