// The end of a process that gets no more memory: one line, one exit code, and nothing allocated.
//
// An allocation that fails would be an exception in whichever thread asked, in the middle of
// anything: a reply half made, a lock held by a library that expects none. So the process ends at
// the place, with nothing said to anybody that is not true; clients see a connection that ends, and
// what was acknowledged is in the disk cache's log. Three ways lead here: `operator new`, which
// asks its handler, after the allocator was made to give back what it holds for later; abort(),
// which libraries call where malloc() or something else gives nothing; and an access through the
// null pointer that malloc() gave, which gRPC 1.51 does not look at (MemoryAllocator::MakeSlice).
// For the latter two it is tried whether there is memory: if there is, they are what they look
// like.
//
// Hooks of jemalloc's arenas would see each mapping that fails, and were tried: with hooks of
// another's jemalloc 5.3 may enter itself while it frees, and waits for a lock that it has.
#ifndef KILN_SERVER_MEMORY_EXHAUSTED_H_
#define KILN_SERVER_MEMORY_EXHAUSTED_H_

#include <signal.h>

namespace kiln::memory {

// What kilnd leaves with.
inline constexpr int kExhaustedExitCode = 3;

// From now on an allocation that fails calls `last_words`, which must allocate nothing, and ends
// the process with kExhaustedExitCode. Of several threads one speaks.
void EndWhenExhausted(void (*last_words)());

// For a handler of SIGABRT and SIGSEGV: ends the process as above where the signal may be for want
// of memory and there is none to be had, or returns. Safe in handlers of signals.
void EndIfExhausted(int signal, const siginfo_t& info);

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_EXHAUSTED_H_
