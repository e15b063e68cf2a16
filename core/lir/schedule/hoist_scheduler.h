// The balanced policy: follows the latency order as far as registers allow, on top of a base order
// that needs few.
//
// In: a base order of the window (the pressure order, or the original one) and the number of units
// live at each of its instructions. It works top down, like the latency policy; but an instruction
// may be issued ahead of its position in the base order only if no position that it passes ends
// above the limit: its results are live there in addition, and operands that die with it are no
// longer live there. If no candidate may, the next instruction of the base order is issued. So the
// result fits if the base order does, and it does not exceed the limit where the base order does
// not.
//
// Claims: of the ready nodes, those with longer paths claim the registers that they open, although
// they still wait for operands or their unit, or do not fit. Another node may open registers only
// if it leaves that many. Without claims, nodes that are ready early and open few registers
// (addresses of later messages) take the registers that the messages themselves need, and only one
// message at a time is in flight.
//
// Sources: Goodman and Hsu, Code Scheduling and Register Allocation in Large Basic Blocks (ICS
// 1988) switch between two heuristics at a threshold and promise no fit; here the base order
// guarantees it.
//
// Cost: nodes x (ready nodes + kTries x (logarithms of both + kFarthest)) at worst. Only for blocks
// whose latency order does not fit. Limit: components that share a register are counted separately
// here, so the result may need more; the caller measures it (OrderPressure).
#ifndef KILN_CORE_LIR_SCHEDULE_HOIST_SCHEDULER_H_
#define KILN_CORE_LIR_SCHEDULE_HOIST_SCHEDULER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/machine.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/issue_clock.h"
#include "core/lir/schedule/list_scheduler.h"
#include "core/lir/schedule/window_slots.h"

namespace kiln::lir::schedule {

// As returned by OrderPressure::Profile: by pool, units live before the window, then for each
// instruction those live after it together with those it defines.
using PressureProfile = std::vector<std::vector<int64_t>>;

class HoistScheduler {
 public:
  HoistScheduler(const Machine& machine, const Function& f) : slots_(machine, f) {}

  // `profile` is that of `base`; `limit` by pool. Returns the cycles of the order, as
  // EstimateCycles counts them.
  int Order(const Dag& dag, Exits exits, const NodeOrder& base, PressureProfile profile,
            const std::vector<int64_t>& limit, const std::vector<char>& live_after,
            NodeOrder* order);

 private:
  static constexpr uint32_t kTries = 32;      // candidates tried for each position
  static constexpr uint32_t kFarthest = 192;  // positions of the base order to run ahead at most

  // (time and exit, -longest path and node): the order of LatencyScheduler, the smallest is first.
  using Key = std::pair<uint64_t, uint64_t>;
  static uint32_t NodeOf(const Key& key) { return static_cast<uint32_t>(key.second); }

  void Prepare(const Dag& dag, const NodeOrder& base);
  Key KeyOf(const Dag& dag, Exits exits, uint32_t n) const;
  uint32_t Choose(const Dag& dag, Exits exits);
  void FindClaims(const Dag& dag);
  void Claim(uint32_t n, int sign);
  bool LeavesRoom(uint32_t n) const;
  bool LeavesClaims(uint32_t n) const;
  bool Fits(uint32_t n);
  int64_t LastOther(uint32_t slot, uint32_t n) const;
  void Live(uint32_t n);
  void Issue(const Dag& dag, uint32_t n);

  WindowSlots slots_;
  PressureProfile profile_;  // by pool, then 1 + position in the base order
  std::vector<int64_t> limit_;
  const NodeOrder* base_ = nullptr;
  std::vector<uint32_t> place_;    // by node, position in the base order
  uint32_t next_ = 0;              // first position of the base order not issued
  std::vector<char> issued_;       // by node
  std::vector<uint32_t> parents_;  // not yet issued
  IssueClock clock_;
  std::vector<uint32_t> ready_;
  std::vector<Key> keys_;              // scratch: of those
  std::vector<int64_t> opens_;         // scratch: of ready nodes
  std::vector<uint32_t> rank_;         // by node and pool: units that it opens
  std::vector<int64_t> claims_;        // by node: number of nodes with longer paths
  std::vector<int64_t> live_;          // by pool: units live now
  std::vector<int64_t> after_, dead_;  // scratch: units live after a candidate, and dead ones
  std::vector<int64_t> added_;         // scratch, by pool and position from next_ on
};

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_HOIST_SCHEDULER_H_
