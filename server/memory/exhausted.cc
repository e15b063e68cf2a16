// Ends a process that gets no more memory: see exhausted.h.
#include "server/memory/exhausted.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

// jemalloc's function; null where jemalloc is not linked (sanitised builds).
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));

namespace kiln::memory {
namespace {

// Size of a trial allocation. gRPC allocates no more than a message's part at once, so a process
// that cannot have this much is out of memory.
constexpr size_t kTrial = size_t{32} << 20;
// How often one allocation is tried, each time after the allocator has given back free memory.
constexpr int kTries = 3;
constexpr int64_t kSameAllocationNs = 100'000'000;

void (*g_last_words)() = nullptr;

[[noreturn]] void End() {
  static std::atomic<bool> ending = false;
  if (!ending.exchange(true)) {
    g_last_words();
    _exit(kExhaustedExitCode);
  }
  for (;;) pause();
}

int64_t Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Purges all arenas (MALLCTL_ARENAS_ALL is 4096), so that memory freed by one thread is available
// to another.
void GiveBack() {
  if (mallctl != nullptr) mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

// Called by operator new until it gets its memory; the standard does not tell which allocation a
// call belongs to.
void OnNewFailed() {
  thread_local int tries = 0;
  thread_local int64_t last = 0;
  const int64_t now = Now();
  tries = now - last < kSameAllocationNs ? tries + 1 : 1;
  last = now;
  if (tries > kTries) End();
  GiveBack();
}

}  // namespace

void EndWhenExhausted(void (*last_words)()) {
  g_last_words = last_words;
  std::set_new_handler(OnNewFailed);
}

void EndIfExhausted(int signal, const siginfo_t& info) {
  // An access within the first bytes is one through a null pointer.
  constexpr uintptr_t kNull = uintptr_t{64} << 10;
  const bool null_access = signal == SIGSEGV && reinterpret_cast<uintptr_t>(info.si_addr) < kNull;
  if (g_last_words == nullptr || (signal != SIGABRT && !null_access)) return;
  void* trial = mmap(nullptr, kTrial, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (trial == MAP_FAILED) End();
  munmap(trial, kTrial);
}

}  // namespace kiln::memory
