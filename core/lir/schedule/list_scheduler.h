// One list scheduler, two directions, policies as comparators.
//
// Latency (top down): of the nodes whose producers have issued, the one with the least
//   (exit_unblocked_time, time at which it is unblocked or now, -longest path, original order).
//   Without preferred exits the first part is infinite for all and changes nothing. A node is
//   unblocked when its operands are there and its unit takes it. What the first exit waits for is
//   thus waited for though something else could issue meanwhile (as in Mesa,
//   brw_schedule_instructions.cpp); Exits says what else the preference may mean.
// Pressure (bottom up): of the nodes whose consumers are placed, the one that makes the fewest
// units
//   live above it, net of those it defines; then the latest in the original order.
//
// Deterministic: the keys end in the original order. O(n log n) heap operations over nodes and
// edges. Each policy is an object that keeps its tables from one window to the next.
#ifndef KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_
#define KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/lir.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/issue_clock.h"
#include "core/lir/schedule/window_slots.h"
#include "core/lir/target.h"

namespace kiln::lir::schedule {

// Orders of the nodes, as indices.
using NodeOrder = std::vector<uint32_t>;

// What the latency policy makes of preferred exits.
enum class Exits : uint8_t {
  kFirst,       // as above
  kAmongReady,  // (time, exit_unblocked_time, ...): they choose among what can issue at one time
  kIgnored,
};

// What is worth trying for a window: the policies differ only if it has preferred exits.
inline absl::Span<const Exits> WorthTrying(bool has_exits) {
  static constexpr Exits kAll[] = {Exits::kFirst, Exits::kAmongReady, Exits::kIgnored};
  return absl::MakeConstSpan(kAll).last(has_exits ? 3 : 1);
}

class LatencyScheduler {
 public:
  // Returns the cycles of the order, as EstimateCycles counts them.
  int Order(const Dag& dag, Exits exits, NodeOrder* order);

 private:
  // (exit's rank, -longest path, original order) in one number: the least is first.
  using Key = uint64_t;
  // (exit's rank if exits are first, time unblocked), key.
  using BlockedKey = std::pair<uint64_t, Key>;
  using TimedNode = std::pair<int, uint32_t>;

  void Prepare(const Dag& dag, Exits exits);
  void RankExits(const Dag& dag);
  void Push(const Dag& dag, uint32_t n);
  void Open(const Dag& dag);
  uint32_t Pop(const Dag& dag);
  uint64_t TimeKey(uint32_t n, int time) const;

  std::vector<Key> key_;             // by node
  std::vector<uint32_t> exit_rank_;  // by node; empty without exits, and where they are ignored
  bool exits_first_ = false;
  std::vector<uint32_t> parents_;  // not yet issued
  IssueClock clock_;
  enum State : char { kBlocked, kOpen, kTaken };
  std::vector<char> state_;              // only if exits are first
  std::vector<Key> open_[kTimingUnits];  // heaps: operands there by now, by unit ...
  std::vector<BlockedKey> blocked_;      // ... or not yet
  std::vector<TimedNode> by_time_;       // the blocked by time only; only if exits are first
};

class PressureScheduler {
 public:
  PressureScheduler(const Target& target, const Function& f);

  // `live_after`: per value, whether something after the window needs it; the function only reads
  // entries of values in the window.
  void Order(const Dag& dag, const std::vector<char>& live_after, NodeOrder* order);

 private:
  struct Range {
    uint32_t first = 0, end = 0;
  };

  void Begin(const Dag& dag, const std::vector<char>& live_after);
  void FindParents(const Dag& dag);
  void MakeReady(uint32_t n);
  void Push(uint32_t n);
  void Place(uint32_t n);

  WindowSlots slots_;
  uint32_t count_ = 0;               // of nodes
  std::vector<char> live_;           // by slot
  std::vector<Range> parent_range_;  // by node, in parents_
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> waiting_;  // children not placed
  std::vector<int> cost_;
  enum State : char { kWaiting, kReady, kPlaced };
  std::vector<char> state_;
  std::vector<uint64_t> heap_;  // cost, then from the end
};

// Cycles of this order (IssueClock).
int EstimateCycles(const Dag& dag, const NodeOrder& order);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_
