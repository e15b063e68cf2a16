// The end of a process that gets no more memory: see exhausted.h.
#include "server/memory/exhausted.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <new>

// jemalloc's, where that is linked (not in sanitised builds).
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) __attribute__((weak));

namespace kiln::memory {
namespace {

// What gRPC asks for at once is no more than a message's part: who cannot have so much has nothing.
constexpr size_t kTrial = size_t{32} << 20;
// Tries of one allocation, each after the allocator has given back what was free.
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

template <typename T>
bool Read(const char* name, T* value) {
  size_t size = sizeof(T);
  return mallctl(name, value, &size, nullptr, 0) == 0;
}

// All arenas (MALLCTL_ARENAS_ALL is 4096): what one thread has given back, another can have.
void GiveBack() {
  if (mallctl != nullptr) mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);
}

// operator new calls it until it gets its memory. How often for one allocation is not said.
void OnNewFailed() {
  thread_local int tries = 0;
  thread_local int64_t last = 0;
  const int64_t now = Now();
  tries = now - last < kSameAllocationNs ? tries + 1 : 1;
  last = now;
  if (tries > kTries) End();
  GiveBack();
}

// jemalloc's extent_hooks_t: how an arena has memory from the system. Only the first is ours.
struct ExtentHooks {
  using Alloc = void*(ExtentHooks*, void* at, size_t size, size_t alignment, bool* zero,
                      bool* commit, unsigned arena);
  Alloc* alloc;
  void* others[8];
};

ExtentHooks::Alloc* g_map = nullptr;  // jemalloc's own

// Maps what malloc() of any caller needs, or ends the process. What is to lie `at` an address may
// fail: jemalloc then takes another. For its own records it asks for aligned memory, and may hold
// locks that giving back needs.
void* MapOrEnd(ExtentHooks* hooks, void* at, size_t size, size_t alignment, bool* zero,
               bool* commit, unsigned arena) {
  thread_local bool giving_back = false;
  void* mapped = g_map(hooks, at, size, alignment, zero, commit, arena);
  if (mapped != nullptr || at != nullptr) return mapped;
  const bool may_give_back = alignment <= static_cast<size_t>(getpagesize()) && !giving_back;
  for (int i = 0; may_give_back && i < kTries; ++i) {
    giving_back = true;
    GiveBack();
    giving_back = false;
    mapped = g_map(hooks, nullptr, size, alignment, zero, commit, arena);
    if (mapped != nullptr) return mapped;
  }
  End();
}

// That of large allocations: only they begin it, while others are begun with the hooks.
void BeginLastArena() {
  size_t large = 0;
  if (!Read("opt.oversize_threshold", &large) || large == 0) return;
  void* volatile one = malloc(large);  // seen by the compiler as needed
  free(one);
}

// Arenas are begun when a thread first needs one, with jemalloc's own hooks: they are all begun
// here. Each is 2 MiB of address space, and there are four for each processor.
void HookAllArenas() {
  if (mallctl == nullptr) return;
  BeginLastArena();
  static ExtentHooks hooks;
  ExtentHooks* own = nullptr;
  unsigned arenas = 0;
  if (!Read("arena.0.extent_hooks", &own) || !Read("arenas.narenas", &arenas)) return;
  hooks = *own;
  g_map = own->alloc;
  hooks.alloc = MapOrEnd;
  char name[64];
  for (unsigned i = 0; i < arenas; ++i) {
    ExtentHooks* ours = &hooks;
    snprintf(name, std::size(name), "arena.%u.extent_hooks", i);
    mallctl(name, nullptr, nullptr, &ours, sizeof ours);
  }
}

}  // namespace

void EndWhenExhausted(void (*last_words)()) {
  g_last_words = last_words;
  std::set_new_handler(OnNewFailed);
  HookAllArenas();
}

void EndIfExhausted() {
  if (g_last_words == nullptr) return;
  void* trial = mmap(nullptr, kTrial, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (trial == MAP_FAILED) End();
  munmap(trial, kTrial);
}

}  // namespace kiln::memory
