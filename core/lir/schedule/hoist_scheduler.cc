// A worked example, on the machine of lir/testing.h: a load has a latency of 200 cycles and keeps
// its unit busy for 20, an add takes 14, each issues for 2. The limit is 4 registers. The source
// sums four loads, one after another; the base order is the original one (profile: registers live
// before the window, then at each node).
//
//   0 %1 = load %0    1 %2 = add %0, %1    2 %3 = load %0    3 %4 = add %2, %3    4 %5 = load %0
//   5 %6 = add %4, %5    6 %7 = load %0    7 %8 = add %6, %7    8 store %0, %8
//   profile: 1, 2 2 3 2 3 2 3 2 1
//
// The latency order 0 2 4 6 1 3 5 7 8 takes 276 cycles and needs 5 registers (%0 and four results);
// the original one takes 822 cycles and needs 3. Each load opens one register; an add opens none,
// since operands die with it.
//
// * Cycle 0: loads 0, 2, 4 and 6 are ready, the longest path (270 cycles) is that of 0, and it is
//   next in the base order anyway: 0 issues. Load 6 would not leave the claims of 0, 2 and 4: one
//   register live, one for 6 and three claimed make 5.
// * Cycle 20, when the unit is free again: 2 is the first candidate and passes node 1, where it
//   adds a register: 2 becomes 3, at most 4, so it fits. Issuing 2 corrects the profile:
//   1, 2 3 3 2 3 2 3 2 1.
// * Cycle 40: 4 passes nodes 1, 2 and 3, of which 2 has been issued and does not count. It fits:
//   1, 2 4 4 3 3 2 3 2 1.
// * Now 4 registers are live, and load 6 has no room. So add 1 issues, next in the base order, when
//   its operand is available in cycle 200, and add 3 in cycle 220. %2 and %3 died: 3 are live.
// * Cycle 222: 6 is ready, leaves all claims (only add 5 is ready, and opens nothing), and passes
//   node 5, where 2 becomes 3. It issues while 5 still waits for its operand until cycle 240.
// * The rest has no choice: 5 in cycle 240, 7 when %7 is available in cycle 422, 8 in cycle 436.
//
// Result: 0 2 4 1 3 6 5 7 8, 438 cycles with 4 registers.
#include "core/lir/schedule/hoist_scheduler.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace kiln::lir::schedule {

void HoistScheduler::Prepare(const Dag& dag, const NodeOrder& base) {
  const size_t count = dag.nodes.size();
  base_ = &base;
  place_.resize(count);
  for (uint32_t k = 0; k < count; ++k) place_[base[k]] = k;
  next_ = 0;
  issued_.assign(count, 0);
  parents_.resize(count);
  clock_.Start(dag);
  ready_.clear();
  for (uint32_t n = 0; n < count; ++n) {
    parents_[n] = dag.nodes[n].num_parents;
    if (parents_[n] == 0) ready_.push_back(n);
  }
}

int HoistScheduler::Order(const Dag& dag, Exits exits, const NodeOrder& base,
                          PressureProfile profile, const std::vector<int64_t>& limit,
                          const std::vector<char>& live_after, NodeOrder* order) {
  Prepare(dag, base);
  slots_.Number(dag, live_after);
  profile_ = std::move(profile);
  limit_ = limit;
  live_.clear();
  for (const std::vector<int64_t>& p : profile_) live_.push_back(p[0]);
  FindClaims(dag);
  order->clear();
  while (order->size() < dag.nodes.size()) {
    const uint32_t n = Choose(dag, exits);
    Issue(dag, n);
    order->push_back(n);
  }
  return clock_.cycles();
}

// Returns the first of the best few candidates, by the latency policy, that fits; its effect is in
// `added_`.
uint32_t HoistScheduler::Choose(const Dag& dag, Exits exits) {
  const uint32_t fallback = (*base_)[next_];
  keys_.clear();
  for (uint32_t n : ready_) {
    if (n == fallback || LeavesRoom(n)) keys_.push_back(KeyOf(dag, exits, n));
  }
  const auto first = std::min_element(keys_.begin(), keys_.end());
  const uint32_t best = NodeOf(*first);
  if (best == fallback || (LeavesClaims(best) && Fits(best))) return best;
  // Usually the first one fits; the others are sorted only if it does not.
  *first = keys_.back();
  keys_.pop_back();
  keys_.erase(std::remove_if(
                  keys_.begin(), keys_.end(),
                  [&](const Key& k) { return NodeOf(k) != fallback && !LeavesClaims(NodeOf(k)); }),
              keys_.end());
  std::make_heap(keys_.begin(), keys_.end(), std::greater<>());
  for (uint32_t k = 1; k < kTries; ++k) {
    std::pop_heap(keys_.begin(), keys_.end(), std::greater<>());
    const uint32_t n = NodeOf(keys_.back());
    if (n == fallback || Fits(n)) return n;
    keys_.pop_back();
  }
  return fallback;
}

HoistScheduler::Key HoistScheduler::KeyOf(const Dag& dag, Exits exits, uint32_t n) const {
  const DagNode& node = dag.nodes[n];
  const auto time = static_cast<uint64_t>(clock_.TimeOf(dag, n));
  const int unblocked = exits == Exits::kIgnored ? kNoExit : node.exit_unblocked_time;
  const auto exit = static_cast<uint64_t>(unblocked);
  const auto shortness = static_cast<uint64_t>(std::numeric_limits<int>::max() - node.delay);
  return {exits == Exits::kFirst ? exit << 32 | time : time << 32 | exit, shortness << 32 | n};
}

// A node opens the units of its definitions minus those of operands that only it uses.
void HoistScheduler::FindClaims(const Dag& dag) {
  const size_t pools = profile_.size(), count = dag.nodes.size();
  opens_.assign(count * pools, 0);
  for (uint32_t n = 0; n < count; ++n) {
    int64_t* opens = &opens_[n * pools];
    for (uint32_t s : slots_.defs(n)) {
      const WindowSlots::Slot& slot = slots_.slot(s);
      if (slot.live_after || slot.num_users != 0) opens[slot.pool] += slot.units;
    }
    for (uint32_t s : slots_.uses(n)) {
      const WindowSlots::Slot& slot = slots_.slot(s);
      if (!slot.live_after && slot.num_users == 1) opens[slot.pool] -= slot.units;
    }
    for (size_t p = 0; p < pools; ++p) opens[p] = std::max<int64_t>(opens[p], 0);
  }
  NodeOrder longest(count);
  std::iota(longest.begin(), longest.end(), 0);
  std::stable_sort(longest.begin(), longest.end(),
                   [&](uint32_t a, uint32_t b) { return dag.nodes[a].delay > dag.nodes[b].delay; });
  rank_.resize(count);
  for (uint32_t k = 0; k < count; ++k) rank_[longest[k]] = k;
  claims_.assign((count + 1) * pools, 0);
  for (uint32_t n : ready_) Claim(n, 1);
}

// Adds the node's claim, or removes it (`sign` -1).
void HoistScheduler::Claim(uint32_t n, int sign) {
  const size_t pools = profile_.size();
  for (uint32_t k = rank_[n] + 1; k <= rank_.size(); k += k & (~k + 1)) {
    for (size_t p = 0; p < pools; ++p) claims_[k * pools + p] += sign * opens_[n * pools + p];
  }
}

// Returns true if the units that the node opens are free, ignoring claims.
bool HoistScheduler::LeavesRoom(uint32_t n) const {
  const size_t pools = profile_.size();
  for (size_t p = 0; p < pools; ++p) {
    const int64_t opens = opens_[n * pools + p];
    if (opens != 0 && live_[p] + opens > limit_[p]) return false;
  }
  return true;
}

bool HoistScheduler::LeavesClaims(uint32_t n) const {
  const size_t pools = profile_.size();
  for (size_t p = 0; p < pools; ++p) {
    const int64_t opens = opens_[n * pools + p];
    if (opens == 0) continue;
    int64_t units = live_[p] + opens;
    for (uint32_t k = rank_[n]; k != 0; k &= k - 1) units += claims_[k * pools + p];
    if (units > limit_[p]) return false;
  }
  return true;
}

// Returns the last position in the base order at which another node that has not been issued uses
// the slot, or -1.
int64_t HoistScheduler::LastOther(uint32_t slot, uint32_t n) const {
  int64_t last = -1;
  for (uint32_t user : slots_.users(slot)) {
    if (user != n && !issued_[user]) last = std::max(last, int64_t{place_[user]});
  }
  return last;
}

// Computes `after_`, the units live after the node if it is issued now, and `dead_`, the units of
// its definitions without uses.
void HoistScheduler::Live(uint32_t n) {
  after_ = live_;
  dead_.assign(live_.size(), 0);
  for (uint32_t s : slots_.uses(n)) {
    const WindowSlots::Slot& slot = slots_.slot(s);
    if (!slot.live_after && LastOther(s, n) < 0) after_[slot.pool] -= slot.units;
  }
  for (uint32_t s : slots_.defs(n)) {
    const WindowSlots::Slot& slot = slots_.slot(s);
    (slot.live_after || slot.num_users != 0 ? after_ : dead_)[slot.pool] += slot.units;
  }
}

// Returns true if the node may be issued now, ahead of its position. Leaves in `added_` the units
// that it adds at each position it passes.
bool HoistScheduler::Fits(uint32_t n) {
  const uint32_t length = place_[n] - next_;
  if (length > kFarthest) return false;
  const size_t pools = profile_.size();
  Live(n);
  for (size_t p = 0; p < pools; ++p) {
    const int64_t units = after_[p] + dead_[p];
    if (units > limit_[p] && units > live_[p]) return false;
  }
  // First the change at each position, then the running sums.
  added_.assign(pools * length, 0);
  for (uint32_t s : slots_.defs(n)) {
    const WindowSlots::Slot& slot = slots_.slot(s);
    if (slot.live_after || slot.num_users != 0) added_[slot.pool * length] += slot.units;
  }
  for (uint32_t s : slots_.uses(n)) {
    const WindowSlots::Slot& slot = slots_.slot(s);
    if (slot.live_after) continue;
    const int64_t last = LastOther(s, n);
    if (last > int64_t{place_[n]}) continue;  // a later node needs it anyway
    // It is no longer live after its last other user.
    added_[slot.pool * length + (last < 0 ? 0 : static_cast<uint32_t>(last) - next_)] -= slot.units;
  }
  for (size_t p = 0; p < pools; ++p) {
    int64_t more = 0;
    for (uint32_t k = 0; k < length; ++k) {
      more = added_[p * length + k] += more;
      if (more > 0 && profile_[p][next_ + k + 1] + more > limit_[p] &&
          !issued_[(*base_)[next_ + k]]) {
        return false;
      }
    }
  }
  return true;
}

void HoistScheduler::Issue(const Dag& dag, uint32_t n) {
  if (place_[n] != next_) {
    const uint32_t length = place_[n] - next_;
    for (size_t p = 0; p < profile_.size(); ++p) {
      for (uint32_t k = 0; k < length; ++k) profile_[p][next_ + k + 1] += added_[p * length + k];
    }
  }
  Live(n);
  live_.swap(after_);
  clock_.Issue(dag, n);
  issued_[n] = 1;
  Claim(n, -1);
  ready_.erase(std::find(ready_.begin(), ready_.end(), n));
  for (const DagEdge& e : dag.children(n)) {
    if (--parents_[e.to] != 0) continue;
    ready_.push_back(e.to);
    Claim(e.to, 1);
  }
  while (next_ < base_->size() && issued_[(*base_)[next_]]) ++next_;
}

}  // namespace kiln::lir::schedule
