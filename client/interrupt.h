// SIGINT and SIGTERM: the first stops the command cleanly, the second at once.
//
// Both are blocked in every thread and waited for in one, so that what is done about them is
// ordinary code. Worker processes are process groups of their own: Ctrl-C in a terminal does not
// reach them.
#ifndef KILN_CLIENT_INTERRUPT_H_
#define KILN_CLIENT_INTERRUPT_H_

#include <atomic>
#include <functional>
#include <thread>

namespace kiln::client {

// Blocks the signals. In main(), before any thread is started.
void BlockInterrupts();

class Interrupt {
 public:
  // `on_first` is called from another thread.
  explicit Interrupt(std::function<void()> on_first);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool happened() const { return happened_.load(); }

 private:
  void Loop(const std::function<void()>& on_first);

  std::atomic<bool> happened_{false};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_INTERRUPT_H_
