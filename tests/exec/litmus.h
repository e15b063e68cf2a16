// Litmus programs of two threads, from GLSL through a target's compiler into its simulator's memory
// mode.
//
// A thread is what runs the lanes of a program together. Lane l of one thread works with lane l of
// the other, so that each is a test of its own. The tests of a target remove from the machine code
// what keeps the order, one instruction or bit at a time: outcomes that Vulkan's memory model
// forbids never occur in the whole program, and do occur in the others.
#ifndef KILN_TESTS_EXEC_LITMUS_H_
#define KILN_TESTS_EXEC_LITMUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/targets.h"
#include "core/sim/scene/dispatch.h"
#include "core/target/compiled.h"

namespace kiln::exec {

// Says where the two threads are, and where x and y are.
enum class Between { kThreadsShared, kThreads, kWorkgroups };
inline constexpr Between kEverywhere[] = {Between::kThreadsShared, Between::kThreads,
                                          Between::kWorkgroups};
inline constexpr Between kInBuffers[] = {Between::kThreads, Between::kWorkgroups};
inline constexpr Between kOneWorkgroup[] = {Between::kThreadsShared, Between::kThreads};

// "shared", "buffer", "workgroups".
const char* NameOf(Between between);

struct Outcome {
  uint32_t a[2], b[2];  // by thread
};

// The means that keep the order: instructions or bits of these kinds are needed, each alone, on a
// machine that gives no order by itself. Fences and the waits for them are not needed if the
// program waits for all accesses that they order; waits before them are not if the thread has read
// nothing (the wait is there for another path through the program).
enum class Needed { kFences, kWaits, kBoth, kNothing };

struct LitmusProgram {
  const char* name;
  const char* body;  // GLSL, behind the head of litmus.cc
  bool (*forbidden)(const Outcome& outcome);
  Needed needed;
  absl::Span<const Between> places;
};

const std::vector<LitmusProgram>& LitmusPrograms();

// Returns the program at one width. Errors: those of GLSL's and of the target's compiler.
absl::StatusOr<Variant> CompileLitmus(Target target, const LitmusProgram& program, Between between,
                                      int width);

// Returns the data of a run: the two buffers, all 0, and the number of workgroups.
sim::scene::Dispatch LitmusDispatch(Between between);

// Returns the outcomes of all lanes of a run; failures are GoogleTest's. `contract`: missing waits
// are errors.
std::vector<Outcome> RunLitmus(Target target, const Variant& variant, Between between,
                               uint64_t seed, bool contract);

// Returns true if a lane has the forbidden outcome with some seed.
bool IsSeen(Target target, const Variant& variant, const LitmusProgram& program, Between between,
            bool contract);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_LITMUS_H_
