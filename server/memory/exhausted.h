// Ends a process that gets no more memory: one line, one exit code, and nothing allocated.
//
// A failed allocation would be an exception in the thread that asked, at any point: a reply half
// made, a lock held by a library that expects no exception. So the process ends at once and answers
// nothing wrong; clients see a connection that ends, and acknowledged records are in the disk
// cache's log. Three ways lead here: `operator new`, which calls its handler, after the allocator
// was made to give back what it holds for later; abort(), which libraries call if malloc() or
// something else fails; and an access through the null pointer that malloc() returned, which gRPC
// 1.51 does not check (MemoryAllocator::MakeSlice). In the latter two cases a trial allocation
// decides: if it succeeds, the signal has another cause and is handled as usual.
//
// Rejected: hooks of jemalloc's arenas, which would see each mapping that fails. With custom hooks
// jemalloc 5.3 may enter itself while it frees, and waits for a lock that it holds.
#ifndef KILN_SERVER_MEMORY_EXHAUSTED_H_
#define KILN_SERVER_MEMORY_EXHAUSTED_H_

#include <signal.h>

namespace kiln::memory {

// kilnd's exit code in this case.
inline constexpr int kExhaustedExitCode = 3;

// From now on a failed allocation calls `last_words`, which must not allocate, and ends the process
// with kExhaustedExitCode. If several threads fail, one calls it.
void EndWhenExhausted(void (*last_words)());

// For a handler of SIGABRT and SIGSEGV: ends the process as above if the signal may come from lack
// of memory and a trial allocation fails, or returns. Safe in signal handlers.
void EndIfExhausted(int signal, const siginfo_t& info);

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_EXHAUSTED_H_
