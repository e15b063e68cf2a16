#include "core/lir/schedule/list_scheduler.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace kiln::lir::schedule {

namespace {

constexpr uint32_t kNone = ~uint32_t{0};

template <class T>
void PushHeap(std::vector<T>* heap, T key) {
  heap->push_back(key);
  std::push_heap(heap->begin(), heap->end(), std::greater<T>());
}

template <class T>
T PopHeap(std::vector<T>* heap) {
  std::pop_heap(heap->begin(), heap->end(), std::greater<T>());
  const T key = heap->back();
  heap->pop_back();
  return key;
}

// Of a latency key: 10 bits for the node, 31 for the path, the rest for the rank of the exit.
constexpr int kNodeBits = 10, kDelayBits = 31;
static_assert(kMaxWindow == size_t{1} << kNodeBits);

uint32_t NodeOf(uint64_t key) { return static_cast<uint32_t>(key & (kMaxWindow - 1)); }

}  // namespace

// Exits are compared by rank, which takes fewer bits than the time.
void LatencyScheduler::Prepare(const Dag& dag) {
  const size_t count = dag.nodes.size();
  exit_rank_.clear();
  std::vector<int> exits;
  for (const DagNode& n : dag.nodes) {
    if (n.exit_unblocked_time != kNoExit) exits.push_back(n.exit_unblocked_time);
  }
  if (!exits.empty()) {
    exits.push_back(kNoExit);
    std::sort(exits.begin(), exits.end());
    exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
    for (const DagNode& n : dag.nodes) {
      const auto at = std::lower_bound(exits.begin(), exits.end(), n.exit_unblocked_time);
      exit_rank_.push_back(static_cast<uint32_t>(at - exits.begin()));
    }
    state_.assign(count, kBlocked);
  }
  key_.resize(count);
  parents_.resize(count);
  for (uint32_t n = 0; n < count; ++n) {
    const uint64_t rank = exit_rank_.empty() ? 0 : exit_rank_[n];
    const uint64_t shortness =
        (uint64_t{1} << kDelayBits) - 1 - static_cast<uint32_t>(dag.nodes[n].delay);
    key_[n] = ((rank << kDelayBits | shortness) << kNodeBits) | n;
    parents_[n] = dag.nodes[n].num_parents;
  }
  unblocked_.assign(count, 0);
  open_.clear();
  blocked_.clear();
  clock_.clear();
}

uint64_t LatencyScheduler::TimeKey(uint32_t n, int time) const {
  const uint64_t rank = exit_rank_.empty() ? 0 : exit_rank_[n];
  return rank << 32 | static_cast<uint32_t>(time);
}

void LatencyScheduler::Push(uint32_t n, int unblocked, int now) {
  if (unblocked <= now) {
    if (!exit_rank_.empty()) state_[n] = kOpen;
    PushHeap(&open_, key_[n]);
    return;
  }
  PushHeap(&blocked_, BlockedKey(TimeKey(n, unblocked), key_[n]));
  if (!exit_rank_.empty()) PushHeap(&clock_, Clock(unblocked, n));
}

// Moves what is unblocked by now. Without exits `blocked_` is in order of time itself; else the
// clock finds those, and entries that have moved on stay in `blocked_` until they come up.
void LatencyScheduler::Open(int now) {
  if (exit_rank_.empty()) {
    while (!blocked_.empty() && blocked_.front().first <= static_cast<uint64_t>(now)) {
      PushHeap(&open_, PopHeap(&blocked_).second);
    }
    return;
  }
  while (!clock_.empty() && clock_.front().first <= now) {
    const uint32_t n = PopHeap(&clock_).second;
    if (state_[n] != kBlocked) continue;
    state_[n] = kOpen;
    PushHeap(&open_, key_[n]);
  }
  while (!blocked_.empty() && state_[NodeOf(blocked_.front().second)] != kBlocked) {
    PopHeap(&blocked_);
  }
}

uint32_t LatencyScheduler::Pop(int now) {
  Open(now);
  bool take_open = !open_.empty();
  if (take_open && !blocked_.empty()) {
    // All open nodes count as unblocked now.
    const Key first = open_.front();
    take_open = BlockedKey(TimeKey(NodeOf(first), now), first) < blocked_.front();
  }
  assert(take_open || !blocked_.empty());
  const uint32_t n = NodeOf(take_open ? PopHeap(&open_) : PopHeap(&blocked_).second);
  if (!exit_rank_.empty()) state_[n] = kTaken;
  return n;
}

int LatencyScheduler::Order(const Dag& dag, NodeOrder* order) {
  Prepare(dag);
  order->clear();
  for (uint32_t n = 0; n < dag.nodes.size(); ++n) {
    if (parents_[n] == 0) Push(n, 0, 0);
  }
  int now = 0, end = 0;
  while (order->size() < dag.nodes.size()) {
    const uint32_t n = Pop(now);
    const int issue = std::max(now, unblocked_[n]);
    order->push_back(n);
    now = issue + dag.nodes[n].issue;
    for (const DagEdge& e : dag.children(n)) {
      unblocked_[e.to] = std::max(unblocked_[e.to], issue + e.latency);
      end = std::max(end, unblocked_[e.to]);
      if (--parents_[e.to] == 0) Push(e.to, unblocked_[e.to], now);
    }
  }
  return std::max(now, end);
}

PressureScheduler::PressureScheduler(const Target& target, const Function& f)
    : t_(target), f_(f), first_slot_(f.values.size(), kNone) {}

// Bottom up. A slot (component of a value) becomes live at its last use and dead at its
// definition.
void PressureScheduler::Order(const Dag& dag, const std::vector<char>& live_after,
                              NodeOrder* order) {
  count_ = static_cast<uint32_t>(dag.nodes.size());
  NumberSlots(dag, live_after);
  FindParents(dag);
  state_.assign(count_, kWaiting);
  heap_.clear();
  for (uint32_t n = 0; n < count_; ++n) {
    if (waiting_[n] == 0) MakeReady(n);
  }
  order->clear();
  while (!heap_.empty()) {
    const uint64_t top = PopHeap(&heap_);
    const uint32_t n = count_ - 1 - static_cast<uint32_t>(top);
    const int cost = static_cast<int>(static_cast<int64_t>(top >> 32) - (int64_t{1} << 31));
    if (state_[n] == kPlaced || cost != cost_[n]) continue;  // the cost fell, a newer entry exists
    state_[n] = kPlaced;
    order->push_back(n);
    Place(n);
    for (uint32_t p = parent_range_[n].first; p < parent_range_[n].end; ++p) {
      if (--waiting_[parents_[p]] == 0) MakeReady(parents_[p]);
    }
  }
  assert(order->size() == count_);
  std::reverse(order->begin(), order->end());
}

void PressureScheduler::NumberSlots(const Dag& dag, const std::vector<char>& live_after) {
  slots_.clear();
  last_seen_.clear();
  node_slots_.clear();
  uses_.resize(count_);
  defs_.resize(count_);
  cost_.assign(count_, 0);
  for (uint32_t n = 0; n < count_; ++n) {
    uses_[n].first = static_cast<uint32_t>(node_slots_.size());
    for (const Operand& o : f_.uses(dag.nodes[n].inst)) Add(o, live_after, true, n);
    uses_[n].end = defs_[n].first = static_cast<uint32_t>(node_slots_.size());
    for (const Operand& o : f_.defs(dag.nodes[n].inst)) Add(o, live_after, false, n);
    defs_[n].end = static_cast<uint32_t>(node_slots_.size());
  }
  uint32_t at = 0;
  for (Slot& s : slots_) {
    s.first_user = at;
    at += s.num_users;
    s.num_users = 0;
  }
  users_.resize(at);
  for (uint32_t n = 0; n < count_; ++n) {
    for (uint32_t k = uses_[n].first; k < uses_[n].end; ++k) {
      Slot& s = slots_[node_slots_[k]];
      users_[s.first_user + s.num_users++] = n;
      if (!s.live) cost_[n] += s.units;
    }
  }
  for (const DagNode& node : dag.nodes) {
    const auto forget = [&](absl::Span<const Operand> operands) {
      for (const Operand& o : operands) {
        if (o.kind == Operand::Kind::kValue) first_slot_[o.id] = kNone;
      }
    };
    forget(f_.uses(node.inst));
    forget(f_.defs(node.inst));
  }
}

// The slots of an operand of the node, uses `once` each.
void PressureScheduler::Add(const Operand& o, const std::vector<char>& live_after, bool once,
                            uint32_t node) {
  if (o.kind != Operand::Kind::kValue) return;
  uint32_t& first = first_slot_[o.id];
  if (first == kNone) {
    first = static_cast<uint32_t>(slots_.size());
    const Value& v = f_.value(o.value());
    Slot slot;
    slot.live = live_after[o.id] != 0;
    slot.units = static_cast<int>(t_.units_per_comp(f_, v));
    slots_.resize(slots_.size() + v.comps, slot);
    last_seen_.resize(slots_.size(), kNone);
  }
  for (uint32_t s = first + o.comp; s < first + o.comp + o.comps; ++s) {
    if (once) {
      if (std::exchange(last_seen_[s], node) == node) continue;
      ++slots_[s].num_users;
    }
    node_slots_.push_back(s);
  }
}

void PressureScheduler::FindParents(const Dag& dag) {
  waiting_.resize(count_);
  parent_range_.resize(count_);
  parents_.resize(dag.edges.size());
  uint32_t at = 0;
  for (uint32_t n = 0; n < count_; ++n) {
    waiting_[n] = dag.nodes[n].num_children;
    parent_range_[n] = {at, at};
    at += dag.nodes[n].num_parents;
  }
  for (uint32_t n = 0; n < count_; ++n) {
    for (const DagEdge& e : dag.children(n)) parents_[parent_range_[e.to].end++] = n;
  }
}

// All users of its definitions are placed, so what they save is known for good.
void PressureScheduler::MakeReady(uint32_t n) {
  state_[n] = kReady;
  for (uint32_t k = defs_[n].first; k < defs_[n].end; ++k) {
    const Slot& s = slots_[node_slots_[k]];
    if (s.live) cost_[n] -= s.units;
  }
  Push(n);
}

void PressureScheduler::Push(uint32_t n) {
  const uint64_t cost = static_cast<uint64_t>(cost_[n] + (int64_t{1} << 31));
  PushHeap(&heap_, cost << 32 | (count_ - 1 - n));
}

void PressureScheduler::Place(uint32_t n) {
  for (uint32_t k = defs_[n].first; k < defs_[n].end; ++k) slots_[node_slots_[k]].live = false;
  for (uint32_t k = uses_[n].first; k < uses_[n].end; ++k) {
    Slot& s = slots_[node_slots_[k]];
    if (std::exchange(s.live, true)) continue;
    // Other users of it have become cheaper.
    for (uint32_t u = s.first_user; u < s.first_user + s.num_users; ++u) {
      cost_[users_[u]] -= s.units;
      if (state_[users_[u]] == kReady) Push(users_[u]);
    }
  }
}

int EstimateCycles(const Dag& dag, const NodeOrder& order) {
  std::vector<int> unblocked(dag.nodes.size());
  int now = 0, end = 0;
  for (uint32_t n : order) {
    const int issue = std::max(now, unblocked[n]);
    now = issue + dag.nodes[n].issue;
    end = std::max(end, now);
    for (const DagEdge& e : dag.children(n)) {
      unblocked[e.to] = std::max(unblocked[e.to], issue + e.latency);
    }
  }
  for (int u : unblocked) end = std::max(end, u);
  return end;
}

}  // namespace kiln::lir::schedule
