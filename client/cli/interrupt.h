// SIGINT and SIGTERM: end the command, after a handler has finished its work.
//
// Both are blocked in every thread and waited for in one, so that handlers are ordinary code.
// Without a handler the process ends at once: calls in flight are cancelled by the closed
// connection, workers end with their parent. With one, the first signal calls it and the second
// ends the process. Each worker process is its own process group: Ctrl-C in a terminal does not
// reach them.
#ifndef KILN_CLIENT_CLI_INTERRUPT_H_
#define KILN_CLIENT_CLI_INTERRUPT_H_

#include <atomic>
#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace kiln::client {

// One object in a process, made in main() before any other thread is started.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Sets the handler of the first signal, called from another thread; null: the process ends. When
  // this returns, the earlier handler is not running any more.
  void Handle(std::function<void()> handler);

  // Returns true if a signal has come while there was a handler.
  bool happened() const { return happened_.load(); }

 private:
  void Loop();

  std::atomic<bool> happened_{false};
  std::atomic<bool> over_{false};
  absl::Mutex mutex_;
  std::function<void()> handler_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_INTERRUPT_H_
