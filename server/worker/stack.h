// A stack of its own for what a worker does, larger than a process gets, and a death that is named.
//
// glslang, SPIRV-Tools and a few passes recurse to the depth of what they are given; a sum of
// 12,000 terms is too deep for the usual 8 MiB. The limit of the main thread's stack is fixed when
// a program starts, and threads cannot be started in the sandbox: so the stack is mapped here,
// before the sandbox closes, with a gap below it. It takes memory only where it was used. Who runs
// into the gap dies of SIGSEGV as before, with a note on the board that says what it was.
#ifndef KILN_SERVER_WORKER_STACK_H_
#define KILN_SERVER_WORKER_STACK_H_

#include <cstddef>
#include <functional>

#include "server/worker/board.h"

namespace kiln::worker {

// Runs `work` on a stack of `bytes`, and returns when it does. `board` is told of an overflow; it
// lives as long as the process. To be called once. Where there is no memory for such a stack, and
// under sanitisers, which keep books on stacks, `work` runs on that of the caller.
void RunOnLargeStack(size_t bytes, Board* board, const std::function<void()>& work);

// The note of an overflow, by which the parent knows it.
inline constexpr char kStackOverflowNote[] = "the stack overflowed";

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_STACK_H_
