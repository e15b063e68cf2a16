// Memory mode: messages take effect late, and out of order as far as memory_rules.h allows.
//
// Problem: a simulator in which a message acts when it is issued never shows the effect of a
// missing fence, a missing wait before one, or two exchanged accesses.
//
// Algorithm: a message to shared or global memory is kept in flight with the payload it had.
// Between instructions time passes: at random, some lanes of a message of a thread take effect,
// provided that every earlier message of that thread that the table orders before them has. A wait
// for the token of a message with a response makes that message, and all that the table orders
// before it, take effect first. Some reads are answered from cache lines that earlier reads of the
// thread have loaded (kReadsMayBeStale): changes are logged, and such a read sees memory without
// the changes that are younger than the line. All random choices come from one seed: the same seed
// gives the same run.
//
// Invariants: a register is written when the lane takes effect, so a program that does not wait
// reads the old content. A thread may end with writes in flight; Finish performs them.
//
// Limits: the sampler and the blocks of a thread's own scratch memory act at once (no other thread
// writes the memory that they read). A lane's components take effect together. The log has
// kMaxChanges entries: lines older than it are read anew. Only some workgroups run at the same time
// (simulator.h); between one such set and the next nothing is in flight.
//
// Cost: messages in flight of a thread (at most tens) times lanes, per lane that takes effect.
#ifndef KILN_CORE_SIM_EU_MEMORY_ORDER_H_
#define KILN_CORE_SIM_EU_MEMORY_ORDER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/splitmix.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/memory_rules.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"
#include "core/sim/scene/memory_history.h"

namespace kiln::sim::eu {

class MemoryOrder {
 public:
  // Called for accesses outside buffers and images when they take effect; `sent` is the thread at
  // issue.
  using NoteOutside =
      std::function<void(const Op& op, const Message& message, const MemoryView& memory,
                         const Thread& sent, uint64_t accesses)>;

  MemoryOrder(uint64_t seed, NoteOutside note_outside);

  // Adds a workgroup to those that run, with its memory; its threads must not move in memory until
  // Finish. Returns the number of its first thread: threads are numbered through all workgroups
  // that run.
  uint32_t StartGroup(absl::Span<Thread> threads, const MemoryView* memory);

  // Returns true if the message is kept in flight; the caller executes others.
  static bool Keeps(const Message& message);

  // Adds a message that thread number `index` sends now for the enabled lanes.
  absl::Status Issue(uint32_t index, const Op& op, const Message& message,
                     const MessageRegisters& registers, uint32_t enabled);

  // Waits for the destinations of these tokens, a bit each. Returns false if not all have arrived:
  // the caller lets other threads run and calls again.
  absl::StatusOr<bool> Wait(uint32_t index, uint16_t tokens);

  // Between two instructions.
  absl::Status Pass();

  // Performs all messages in flight, when all workgroups have ended.
  absl::Status Finish();

  // Returns a random number below n, n > 0.
  uint32_t Draw(uint32_t n) { return random_.Draw(n); }

 private:
  enum class Memory : uint8_t { kGlobal, kShared };
  static constexpr uint64_t kMaxChanges = 256;

  struct InFlight {
    const Op* op = nullptr;
    Message message;
    MessageRegisters registers;
    Event event = Event::kRead;
    Memory memory = Memory::kGlobal;
    int token = -1;
    uint32_t enabled = 0;
    uint32_t left = 0;  // lanes that have not taken effect; a block or fence: bit 0
    std::unique_ptr<const Thread> payload;  // the thread at issue
    std::array<ByteRange, 32> bytes;        // by lane
  };
  struct ThreadState {
    Thread* thread = nullptr;
    const MemoryView* memory = nullptr;
    std::vector<std::unique_ptr<InFlight>> messages;  // oldest first
    // By Memory: when a line was last read, if not changed or fenced since.
    std::array<std::unordered_map<uintptr_t, uint64_t>, 2> lines;
  };

  static bool Ordered(const InFlight& earlier, const InFlight& later, int lane);
  static bool Blocked(const ThreadState& state, size_t message, int lane);
  absl::Status Complete(ThreadState& state, size_t message);
  absl::Status CompleteLane(ThreadState& state, size_t message, int lane);
  absl::Status Perform(ThreadState& state, InFlight& message, int lane);
  absl::Status Execute(ThreadState& state, InFlight& message, int lane);
  absl::Status Read(ThreadState& state, InFlight& message, int lane);
  bool IsCached(const std::unordered_map<uintptr_t, uint64_t>& lines, const ByteRange& range) const;
  static void Clean(ThreadState& state);

  Splitmix random_;
  NoteOutside note_outside_;
  uint32_t pace_;                 // a lane takes effect at one in so many opportunities
  uint32_t staleness_;            // one in so many reads uses an old line
  scene::MemoryHistory history_;  // bytes are named by where they are
  std::vector<ThreadState> threads_;
};

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_MEMORY_ORDER_H_
