// The balanced policy: the latency order as far as registers allow, on top of an order that needs
// few.
//
// In: a base order of the window (the pressure order, or the original one) and the units that are
// live at each of its instructions. Top down, as in the latency policy; but an instruction may run
// ahead of its place in the base order only if no place it passes ends above the limit: its results
// are live there in addition, and operands that die with it are not live there any longer. Where
// nothing may, the next of the base order goes. So the result fits if the base order does, and
// where the base does not fit nothing is made worse.
//
// Claims: of what is ready, those with longer paths have a claim on the registers they open, though
// they wait for operands or their unit, or do not fit. Another may open registers only if it leaves
// as many. Without that, what is ready early and opens little (addresses of later messages) takes
// the registers that the messages themselves need, and one message at a time is in flight.
//
// Sources: Goodman and Hsu, Code Scheduling and Register Allocation in Large Basic Blocks (ICS
// 1988) switch between two heuristics at a threshold and promise no fit; the base order is what
// gives it.
//
// Cost: nodes x (ready nodes + kTries x (logarithms of both + kFarthest)) at worst. Only for blocks
// whose latency order does not fit.
// Limit: components of whole registers count for themselves here; who uses the result measures it.
#ifndef KILN_CORE_LIR_SCHEDULE_HOIST_SCHEDULER_H_
#define KILN_CORE_LIR_SCHEDULE_HOIST_SCHEDULER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/issue_clock.h"
#include "core/lir/schedule/list_scheduler.h"
#include "core/lir/schedule/window_slots.h"
#include "core/lir/target.h"

namespace kiln::lir::schedule {

// As OrderPressure::Profile gives it: by pool, units live before the window, then for each
// instruction those behind it and those it defines.
using PressureProfile = std::vector<std::vector<int64_t>>;

class HoistScheduler {
 public:
  HoistScheduler(const Target& target, const Function& f) : slots_(target, f) {}

  // `profile` is that of `base`; `limit` by pool. Returns the cycles of the order, as
  // EstimateCycles counts them.
  int Order(const Dag& dag, Exits exits, const NodeOrder& base, PressureProfile profile,
            const std::vector<int64_t>& limit, const std::vector<char>& live_after,
            NodeOrder* order);

 private:
  static constexpr uint32_t kTries = 32;      // candidates looked at for each place
  static constexpr uint32_t kFarthest = 192;  // places of the base order that one may run ahead

  // (time and exit, -longest path and node): the order of LatencyScheduler, the least is first.
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
  PressureProfile profile_;  // by pool, then 1 + place in the base order
  std::vector<int64_t> limit_;
  const NodeOrder* base_ = nullptr;
  std::vector<uint32_t> place_;    // by node, in the base order
  uint32_t next_ = 0;              // first place of the base order not issued
  std::vector<char> issued_;       // by node
  std::vector<uint32_t> parents_;  // not yet issued
  IssueClock clock_;
  std::vector<uint32_t> ready_;
  std::vector<Key> keys_;               // scratch: of those
  std::vector<int64_t> opens_;          // by node and pool: units that are live behind it, net
  std::vector<uint32_t> rank_;          // by node: how many have longer paths
  std::vector<int64_t> claims_;         // by rank and pool: of ready nodes, a binary indexed tree
  std::vector<int64_t> live_;           // by pool: units live now
  std::vector<int64_t> behind_, dead_;  // scratch: units that a candidate leaves live, and not
  std::vector<int64_t> added_;          // scratch, by pool and place from next_ on
};

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_HOIST_SCHEDULER_H_
