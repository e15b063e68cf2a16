// SIGINT and SIGTERM: see interrupt.h.
#include "client/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

#include "client/exit_code.h"

namespace kiln::client {
namespace {

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void BlockInterrupts() {
  sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Interrupt::Interrupt(std::function<void()> on_first)
    : thread_([this, call = std::move(on_first)] { Loop(call); }) {}

Interrupt::~Interrupt() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
}

void Interrupt::Loop(const std::function<void()>& on_first) {
  sigset_t set = Signals();
  int signal = 0;
  while (sigwait(&set, &signal) == 0 && !over_) {
    if (happened_.exchange(true)) _exit(kExitInterrupted);
    on_first();
  }
}

}  // namespace kiln::client
