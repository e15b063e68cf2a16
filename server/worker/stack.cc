// Runs a worker's work on a stack of its own: see stack.h.
#include "server/worker/stack.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <csignal>
#include <cstdint>

namespace kiln::worker {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitised = true;
#else
constexpr bool kSanitised = false;
#endif

// Larger than a function's frame, which could otherwise step over it.
constexpr size_t kGapBytes = size_t{16} << 20;

// Arguments of the handler and of the context's entry, which cannot be passed to them.
struct Running {
  Board* board = nullptr;
  const char* gap = nullptr;
  const std::function<void()>* work = nullptr;
  ucontext_t caller = {}, callee = {};
};
Running g_running;

void OnSegmentationFault(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  const auto gap = reinterpret_cast<uintptr_t>(g_running.gap);
  if (address >= gap && address - gap < kGapBytes) g_running.board->SetNote(kStackOverflowNote);
  // The instruction is executed again and ends the process: SA_RESETHAND.
}

void NoteOverflows() {
  static char handler_stack[64 << 10];
  stack_t alternate = {};
  alternate.ss_sp = handler_stack;
  alternate.ss_size = sizeof handler_stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = OnSegmentationFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigaction(SIGSEGV, &action, nullptr);
}

void Enter() { (*g_running.work)(); }

}  // namespace

void RunOnLargeStack(size_t bytes, Board* board, const std::function<void()>& work) {
  if (kSanitised) return work();
  void* memory = mmap(nullptr, kGapBytes + bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kGapBytes, PROT_NONE) != 0) return work();
  g_running.board = board;
  g_running.gap = static_cast<const char*>(memory);
  g_running.work = &work;
  NoteOverflows();
  getcontext(&g_running.callee);
  g_running.callee.uc_stack.ss_sp = static_cast<char*>(memory) + kGapBytes;
  g_running.callee.uc_stack.ss_size = bytes;
  g_running.callee.uc_link = &g_running.caller;
  makecontext(&g_running.callee, Enter, 0);
  swapcontext(&g_running.caller, &g_running.callee);
}

}  // namespace kiln::worker
