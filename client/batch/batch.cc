// Compiles many files: see batch.h.
#include "client/batch/batch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace kiln::client {
namespace {

class Batch {
 public:
  Batch(size_t items, const BatchOptions& options, const CompileItem& compile)
      : items_(items), options_(options), compile_(compile) {}

  absl::Status Run(const WriteItem& write, const Tick& tick) {
    std::vector<std::thread> threads;
    size_t count = std::min(options_.jobs, items_);
    for (size_t i = 0; i < count; ++i) threads.emplace_back([this] { Work(); });
    WriteInOrder(write, tick);
    for (std::thread& thread : threads) thread.join();
    // Stopped early: writes finished items after the gap.
    absl::MutexLock lock(&mutex_);
    for (const auto& [i, lines] : finished_) {
      absl::Status written = write(i, lines);
      if (error_.ok()) error_ = written;
      if (!written.ok()) break;
    }
    return error_;
  }

 private:
  void Work() {
    for (;;) {
      size_t i = 0;
      {
        absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(this, &Batch::MayTake));
        if (!error_.ok() || next_ >= items_) return;
        i = next_++;
      }
      absl::StatusOr<ItemLines> lines = compile_(i);
      absl::MutexLock lock(&mutex_);
      if (lines.ok()) {
        ++done_;
        finished_.emplace(i, *std::move(lines));
      } else if (error_.ok()) {
        error_ = lines.status();
      }
    }
  }

  bool MayTake() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !error_.ok() || next_ >= items_ || next_ < written_ + options_.window;
  }
  bool MayWrite() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !error_.ok() || (!finished_.empty() && finished_.begin()->first == written_);
  }

  void WriteInOrder(const WriteItem& write, const Tick& tick) {
    absl::MutexLock lock(&mutex_);
    while (written_ < items_ && error_.ok()) {
      bool ready =
          mutex_.AwaitWithTimeout(absl::Condition(this, &Batch::MayWrite), absl::Milliseconds(100));
      size_t done = done_;
      std::optional<ItemLines> lines;
      if (ready && error_.ok()) {
        lines = std::move(finished_.begin()->second);
        finished_.erase(finished_.begin());
      }
      size_t i = written_;
      // Written without the lock, and counted afterwards: the order is kept, and the window stays
      // bounded.
      mutex_.Unlock();
      absl::Status status = lines.has_value() ? write(i, *lines) : absl::OkStatus();
      tick(done);
      mutex_.Lock();
      if (lines.has_value()) ++written_;
      if (!status.ok() && error_.ok()) error_ = status;
    }
  }

  const size_t items_;
  const BatchOptions options_;
  const CompileItem& compile_;
  absl::Mutex mutex_;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;     // not yet taken
  size_t written_ ABSL_GUARDED_BY(mutex_) = 0;  // all items before it are written
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<size_t, ItemLines> finished_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::Status RunBatch(size_t items, const BatchOptions& options, const CompileItem& compile,
                      const WriteItem& write, const Tick& tick) {
  return Batch(items, options, compile).Run(write, tick);
}

}  // namespace kiln::client
