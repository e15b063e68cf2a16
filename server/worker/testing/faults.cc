// Makes faults happen on demand: see faults.h.
#include "server/worker/testing/faults.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "server/worker/testing/escapes.h"
#include "server/worker/testing/lies.h"
#include "server/worker/worker_main.h"

namespace kiln::worker {
namespace {

void SleepUntilCancelled(uint32_t milliseconds, const std::atomic<bool>* cancelled) {
  for (uint32_t t = 0; t < milliseconds; ++t) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) return;
    timespec ms = {0, 1'000'000};
    nanosleep(&ms, nullptr);
  }
}

[[noreturn]] void HangForEver() {
  for (;;) SleepUntilCancelled(1000, nullptr);
}

[[noreturn]] void AllocateForEver() {
  std::vector<std::unique_ptr<std::string>> hoard;
  for (;;) hoard.push_back(std::make_unique<std::string>(16 << 20, 'x'));
}

// Not a tail call, and nothing that a compiler may optimise away.
int Recurse(int depth) {
  volatile char frame[1000];
  frame[depth % 1000] = 1;
  return depth < 0 ? 0 : Recurse(depth + 1) + frame[depth % 1000];
}

// Makes the allocator run into a protected page, with a handler that never returns: locks that the
// allocator holds then are held for ever.
[[noreturn]] void HangInAllocator() {
  constexpr size_t kPage = 4096, kBytes = 16 * kPage;
  signal(SIGSEGV, [](int) { HangForEver(); });
  for (;;) {
    void* block = aligned_alloc(kPage, kBytes);
    mprotect(block, kBytes, PROT_NONE);
    free(block);
    for (int i = 0; i < 100; ++i) {
      void* again = calloc(1, kBytes);
      asm volatile("" : : "r"(again) : "memory");
    }
  }
}

[[noreturn]] void WriteGarbage() {
  const std::string garbage(64 << 10, '\xA5');
  for (size_t at = 0; at < garbage.size();) {
    const ssize_t n = send(kSocketFd, garbage.data() + at, garbage.size() - at, 0);
    if (n <= 0) break;
    at += static_cast<size_t>(n);
  }
  HangForEver();
}

// Uses so much processor time; 0: never ends.
void Spin(uint32_t milliseconds) {
  timespec time = {};
  const auto used = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  };
  for (const int64_t until = used() + milliseconds; milliseconds == 0 || used() < until;) {
    for (volatile int n = 0; n < 1000;) n = n + 1;
  }
}

[[noreturn]] void TryEscape(const Fault& fault, Board* board) {
  board->SetNote(Escape(fault.attempt(), fault.number()));
  abort();
}

}  // namespace

void InjectFault(const Fault& fault, Board* board) {
  switch (fault.kind()) {
    case Fault::CRASH:
      signal(SIGSEGV, SIG_DFL);  // a sanitiser's handler would exit instead
      raise(SIGSEGV);
      break;
    case Fault::ABORT: board->SetNote("injected: assertion failed"); abort();
    case Fault::HANG: HangForEver();
    case Fault::SPIN: Spin(fault.milliseconds()); break;
    case Fault::ALLOCATE: AllocateForEver();
    case Fault::SYSCALL:
      if (int fd = socket(AF_INET, SOCK_STREAM, 0); fd >= 0) close(fd);
      break;
    case Fault::SLOW: SleepUntilCancelled(fault.milliseconds(), board->cancelled()); break;
    case Fault::RECURSE: Recurse(0); break;
    case Fault::EXIT: _exit(0);
    case Fault::HANG_IN_ALLOCATOR: HangInAllocator();
    case Fault::GARBAGE: WriteGarbage();
    case Fault::LIE:
    case Fault::LIE_ON: BeginLying(fault.kind() == Fault::LIE_ON); break;
    case Fault::ESCAPE: TryEscape(fault, board);
    default: break;
  }
}

}  // namespace kiln::worker
