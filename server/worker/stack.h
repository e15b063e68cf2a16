// Runs a worker's work on a stack of its own, larger than a process gets, and names an overflow.
//
// glslang, SPIRV-Tools and a few passes recurse as deep as their input nests; a sum of 12,000 terms
// is too deep for the usual 8 MiB. The limit of the main thread's stack is fixed when a program
// starts, and threads cannot be started in the sandbox. So the stack is mapped here, before the
// sandbox closes, with a gap below it. It takes memory only where it is used. Code that runs into
// the gap dies of SIGSEGV as before, with a note on the board that names the overflow.
#ifndef KILN_SERVER_WORKER_STACK_H_
#define KILN_SERVER_WORKER_STACK_H_

#include <cstddef>
#include <functional>

#include "server/worker/board.h"

namespace kiln::worker {

// Runs `work` on a stack of `bytes`, and returns when it does. Notes an overflow on `board`, which
// lives as long as the process. To be called once. If there is no memory for such a stack, and
// under sanitisers, which keep books on stacks, `work` runs on the caller's stack.
void RunOnLargeStack(size_t bytes, Board* board, const std::function<void()>& work);

// The note of an overflow; the parent recognises it.
inline constexpr char kStackOverflowNote[] = "the stack overflowed";

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_STACK_H_
