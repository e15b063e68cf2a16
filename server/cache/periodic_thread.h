// A thread that does one task again and again, and sooner when it is woken.
#ifndef KILN_SERVER_CACHE_PERIODIC_THREAD_H_
#define KILN_SERVER_CACHE_PERIODIC_THREAD_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kiln::cache {

// All operations but Start and the destructor are thread-safe. Times are of the steady clock: the
// system's may be set back.
class PeriodicThread {
 public:
  PeriodicThread() = default;
  ~PeriodicThread() { Stop(); }
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  // Runs `task` at once, and then `interval` after each end of it. At most once.
  void Start(std::chrono::nanoseconds interval, std::function<void()> task);
  // Waits for a task under way; there is no other after it. Not to be called by the task.
  void Stop();
  // The next run begins now, or as soon as the one under way has ended. Does not wait for it.
  void Wake();
  // Waits until the first run has ended, `patience` at most. Returns whether it has.
  bool AwaitFirst(std::chrono::nanoseconds patience);

 private:
  void Run(std::chrono::nanoseconds interval, const std::function<void()>& task);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false, woken_ = false, ran_once_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_PERIODIC_THREAD_H_
