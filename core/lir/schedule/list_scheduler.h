// One list scheduler, two directions, policies as comparators.
//
// * Latency (top down): of the nodes whose producers have issued, takes the one with the smallest
//   (exit_unblocked_time, time at which it is unblocked or now, -longest path, original order).
//   Without preferred exits the first part is infinite for all nodes and has no effect. A node is
//   unblocked when its operands are available and its unit is free. So the scheduler waits for the
//   operands of the first exit even if another node could issue meanwhile (as in Mesa,
//   brw_schedule_instructions.cpp); enum Exits lists the alternatives.
// * Pressure (bottom up): of the nodes whose consumers are placed, takes the one that makes the
//   fewest units live above it, net of those it defines; then the latest in the original order.
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
#include "core/lir/machine.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/issue_clock.h"
#include "core/lir/schedule/window_slots.h"

namespace kiln::lir::schedule {

// Orders of the nodes, as indices.
using NodeOrder = std::vector<uint32_t>;

// How the latency policy treats preferred exits.
enum class Exits : uint8_t {
  kFirst,       // as above
  kAmongReady,  // (time, exit_unblocked_time, ...): breaks ties of nodes that can issue at a time
  kIgnored,
};

// Alternatives to try for a window: they differ only if it has preferred exits.
inline absl::Span<const Exits> WorthTrying(bool has_exits) {
  static constexpr Exits kAll[] = {Exits::kFirst, Exits::kAmongReady, Exits::kIgnored};
  return absl::MakeConstSpan(kAll).last(has_exits ? 3 : 1);
}

class LatencyScheduler {
 public:
  // Returns the cycles of the order, as EstimateCycles counts them.
  int Order(const Dag& dag, Exits exits, NodeOrder* order);

 private:
  // (exit's rank, -longest path, original order) in one number: the smallest is first.
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
  std::vector<Key> open_[kTimingUnits];  // heaps: operands available by now, by unit ...
  std::vector<BlockedKey> blocked_;      // ... or not yet
  std::vector<TimedNode> by_time_;       // the blocked by time alone; only if exits are first
};

class PressureScheduler {
 public:
  PressureScheduler(const Machine& machine, const Function& f);

  // `live_after`: per value, true if it is needed after the window; only entries of values in the
  // window are read.
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

// Returns the cycles of this order (IssueClock).
int EstimateCycles(const Dag& dag, const NodeOrder& order);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_
