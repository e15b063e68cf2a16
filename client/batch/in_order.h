// Makes results of many items by threads, and hands them over in the order of the items.
//
// `jobs` threads take one item each; the results go to the caller's thread, which takes them in the
// order of the items. A slow item holds back its successors' results, but no more than `window` of
// them: then the threads wait. So memory is bounded by `jobs` items and `window` results, however
// many items there are. A stopped run hands over the finished results, in order, without the gaps.
#ifndef KILN_CLIENT_BATCH_IN_ORDER_H_
#define KILN_CLIENT_BATCH_IN_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace kiln::client {

struct BatchOptions {
  size_t jobs = 8;
  size_t window = 512;
};

// Takes the number of finished items; called in the caller's thread, at least ten times a second.
using Tick = std::function<void(size_t done)>;

template <typename Result>
class InOrder {
 public:
  // Makes the result of item i; called from several threads. An error stops the run.
  using Make = std::function<absl::StatusOr<Result>(size_t i)>;
  // Takes an item's result; called in the caller's thread, in order.
  using Take = std::function<absl::Status(size_t i, const Result& result)>;

  InOrder(size_t items, const BatchOptions& options, const Make& make)
      : items_(items), options_(options), make_(make) {}

  // Returns the first error of making or taking; items finished before it have been taken.
  absl::Status Run(const Take& take, const Tick& tick) {
    std::vector<std::thread> threads;
    size_t count = std::min(options_.jobs, items_);
    for (size_t i = 0; i < count; ++i) threads.emplace_back([this] { Work(); });
    TakeInOrder(take, tick);
    for (std::thread& thread : threads) thread.join();
    // Stopped early: takes finished items after the gap.
    absl::MutexLock lock(&mutex_);
    for (const auto& [i, result] : finished_) {
      absl::Status taken = take(i, result);
      if (error_.ok()) error_ = taken;
      if (!taken.ok()) break;
    }
    return error_;
  }

 private:
  void Work() {
    for (;;) {
      size_t i = 0;
      {
        absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(this, &InOrder::MayBegin));
        if (!error_.ok() || next_ >= items_) return;
        i = next_++;
      }
      absl::StatusOr<Result> result = make_(i);
      absl::MutexLock lock(&mutex_);
      if (result.ok()) {
        ++done_;
        finished_.emplace(i, *std::move(result));
      } else if (error_.ok()) {
        error_ = result.status();
      }
    }
  }

  bool MayBegin() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !error_.ok() || next_ >= items_ || next_ < taken_ + options_.window;
  }
  bool MayTakeResult() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !error_.ok() || (!finished_.empty() && finished_.begin()->first == taken_);
  }

  void TakeInOrder(const Take& take, const Tick& tick) {
    absl::MutexLock lock(&mutex_);
    while (taken_ < items_ && error_.ok()) {
      bool ready = mutex_.AwaitWithTimeout(absl::Condition(this, &InOrder::MayTakeResult),
                                           absl::Milliseconds(100));
      size_t done = done_;
      std::optional<Result> result;
      if (ready && error_.ok()) {
        result = std::move(finished_.begin()->second);
        finished_.erase(finished_.begin());
      }
      size_t i = taken_;
      // Taken without the lock, and counted afterwards: the order is kept, and the window stays
      // bounded.
      mutex_.Unlock();
      absl::Status status = result.has_value() ? take(i, *result) : absl::OkStatus();
      tick(done);
      mutex_.Lock();
      if (result.has_value()) ++taken_;
      if (!status.ok() && error_.ok()) error_ = status;
    }
  }

  const size_t items_;
  const BatchOptions options_;
  const Make& make_;
  absl::Mutex mutex_;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;   // not yet begun
  size_t taken_ ABSL_GUARDED_BY(mutex_) = 0;  // all items before it are taken
  size_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<size_t, Result> finished_ ABSL_GUARDED_BY(mutex_);
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_IN_ORDER_H_
