// SIGINT and SIGTERM: see interrupt.h.
#include "client/cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

#include "client/cli/exit_code.h"

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

Interrupt::Interrupt() {
  sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { Loop(); });
}

Interrupt::~Interrupt() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
}

void Interrupt::Handle(std::function<void()> handler) {
  absl::MutexLock lock(&mutex_);
  handler_ = std::move(handler);
}

void Interrupt::Loop() {
  sigset_t set = Signals();
  int signal = 0;
  while (sigwait(&set, &signal) == 0 && !over_) {
    absl::MutexLock lock(&mutex_);
    if (handler_ == nullptr || happened_.exchange(true)) _exit(kExitInterrupted);
    handler_();
  }
}

}  // namespace kiln::client
