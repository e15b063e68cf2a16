// The end of a process that gets no more memory: one line, one exit code, and nothing allocated.
//
// An allocation that fails would be an exception in whichever thread asked, in the middle of
// anything: a reply half made, a lock held by a library that expects none. So the process ends at
// the place, with nothing said to anybody that is not true; clients see a connection that ends, and
// what was acknowledged is in the disk cache's log. Not all callers look at what malloc() gives
// (gRPC 1.51 writes to the null pointer in MemoryAllocator::MakeSlice), so the allocator does:
// where jemalloc is linked, its arenas map memory through a hook that ends the process when the
// system gives none, after they have given back what they hold for later. That needs
// `retain:false` (allocator.cc): with it jemalloc asks for what is needed and no more. Two other
// ways lead here: `operator new`, which asks its handler where an allocator without the hook has
// failed, and abort(), which libraries call where something else is refused, a thread for example:
// then whether there is memory is tried.
#ifndef KILN_SERVER_MEMORY_EXHAUSTED_H_
#define KILN_SERVER_MEMORY_EXHAUSTED_H_

namespace kiln::memory {

// What kilnd leaves with.
inline constexpr int kExhaustedExitCode = 3;

// From now on an allocation that fails calls `last_words`, which must allocate nothing, and ends
// the process with kExhaustedExitCode. Of several threads one speaks.
void EndWhenExhausted(void (*last_words)());

// For a handler of SIGABRT: ends the process as above where there is no memory to be had, or
// returns. Safe in handlers of signals.
void EndIfExhausted();

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_EXHAUSTED_H_
