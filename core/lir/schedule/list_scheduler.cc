#include "core/lir/schedule/list_scheduler.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace kiln::lir::schedule {

namespace {

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

// Bits of a latency key: 10 for the node, 31 for the path, the rest for the rank of the exit.
constexpr int kNodeBits = 10, kDelayBits = 31;
static_assert(kMaxWindow == size_t{1} << kNodeBits);

uint32_t NodeOf(uint64_t key) { return static_cast<uint32_t>(key & (kMaxWindow - 1)); }

}  // namespace

void LatencyScheduler::Prepare(const Dag& dag, Exits exits) {
  const size_t count = dag.nodes.size();
  exit_rank_.clear();
  if (dag.has_exits && exits != Exits::kIgnored) RankExits(dag);
  exits_first_ = !exit_rank_.empty() && exits == Exits::kFirst;
  if (exits_first_) state_.assign(count, kBlocked);
  key_.resize(count);
  parents_.resize(count);
  for (uint32_t n = 0; n < count; ++n) {
    const uint64_t rank = exit_rank_.empty() ? 0 : exit_rank_[n];
    const uint64_t shortness =
        (uint64_t{1} << kDelayBits) - 1 - static_cast<uint32_t>(dag.nodes[n].delay);
    key_[n] = ((rank << kDelayBits | shortness) << kNodeBits) | n;
    parents_[n] = dag.nodes[n].num_parents;
  }
  clock_.Start(dag);
  for (std::vector<Key>& heap : open_) heap.clear();
  blocked_.clear();
  by_time_.clear();
}

// Replaces exit times by ranks, which take fewer bits and compare the same.
void LatencyScheduler::RankExits(const Dag& dag) {
  std::vector<int> exits;
  for (const DagNode& n : dag.nodes) exits.push_back(n.exit_unblocked_time);
  std::sort(exits.begin(), exits.end());
  exits.erase(std::unique(exits.begin(), exits.end()), exits.end());
  for (const DagNode& n : dag.nodes) {
    const auto at = std::lower_bound(exits.begin(), exits.end(), n.exit_unblocked_time);
    exit_rank_.push_back(static_cast<uint32_t>(at - exits.begin()));
  }
}

uint64_t LatencyScheduler::TimeKey(uint32_t n, int time) const {
  const uint64_t rank = exits_first_ ? exit_rank_[n] : 0;
  return rank << 32 | static_cast<uint32_t>(time);
}

void LatencyScheduler::Push(const Dag& dag, uint32_t n) {
  const int unblocked = clock_.unblocked(n);
  if (unblocked <= clock_.now()) {
    if (exits_first_) state_[n] = kOpen;
    PushHeap(&open_[dag.nodes[n].unit], key_[n]);
    return;
  }
  PushHeap(&blocked_, BlockedKey(TimeKey(n, unblocked), key_[n]));
  if (exits_first_) PushHeap(&by_time_, TimedNode(unblocked, n));
}

// Opens the nodes that are unblocked by now. Unless exits are first, `blocked_` is in order of time
// itself. Otherwise `by_time_` finds them, and entries no longer blocked stay in `blocked_` until
// they reach the top.
void LatencyScheduler::Open(const Dag& dag) {
  if (!exits_first_) {
    while (!blocked_.empty() && blocked_.front().first <= static_cast<uint64_t>(clock_.now())) {
      const Key key = PopHeap(&blocked_).second;
      PushHeap(&open_[dag.nodes[NodeOf(key)].unit], key);
    }
    return;
  }
  while (!by_time_.empty() && by_time_.front().first <= clock_.now()) {
    const uint32_t n = PopHeap(&by_time_).second;
    if (state_[n] != kBlocked) continue;
    state_[n] = kOpen;
    PushHeap(&open_[dag.nodes[n].unit], key_[n]);
  }
  while (!blocked_.empty() && state_[NodeOf(blocked_.front().second)] != kBlocked) {
    PopHeap(&blocked_);
  }
}

// Returns the smallest of the units' first nodes, each at the time when its unit is free, and of
// the first blocked node.
uint32_t LatencyScheduler::Pop(const Dag& dag) {
  Open(dag);
  BlockedKey best(~uint64_t{0}, ~Key{0});
  std::vector<Key>* from = nullptr;
  for (uint8_t u = 0; u < kTimingUnits; ++u) {
    if (open_[u].empty()) continue;
    const Key first = open_[u].front();
    const BlockedKey key(TimeKey(NodeOf(first), std::max(clock_.now(), clock_.free(u))), first);
    if (key < best) {
      best = key;
      from = &open_[u];
    }
  }
  if (!blocked_.empty() && (from == nullptr || blocked_.front() < best)) {
    best = PopHeap(&blocked_);
  } else {
    assert(from != nullptr);
    PopHeap(from);
  }
  const uint32_t n = NodeOf(best.second);
  if (exits_first_) state_[n] = kTaken;
  return n;
}

int LatencyScheduler::Order(const Dag& dag, Exits exits, NodeOrder* order) {
  Prepare(dag, exits);
  order->clear();
  order->reserve(dag.nodes.size());
  for (uint32_t n = 0; n < dag.nodes.size(); ++n) {
    if (parents_[n] == 0) Push(dag, n);
  }
  while (order->size() < dag.nodes.size()) {
    const uint32_t n = Pop(dag);
    order->push_back(n);
    clock_.Issue(dag, n);
    for (const DagEdge& e : dag.children(n)) {
      if (--parents_[e.to] == 0) Push(dag, e.to);
    }
  }
  return clock_.cycles();
}

PressureScheduler::PressureScheduler(const Machine& machine, const Function& f)
    : slots_(machine, f) {}

// Bottom up. A slot (component of a value) becomes live at its last use and dead at its
// definition.
void PressureScheduler::Order(const Dag& dag, const std::vector<char>& live_after,
                              NodeOrder* order) {
  count_ = static_cast<uint32_t>(dag.nodes.size());
  Begin(dag, live_after);
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

void PressureScheduler::Begin(const Dag& dag, const std::vector<char>& live_after) {
  slots_.Number(dag, live_after);
  live_.resize(slots_.size());
  for (uint32_t s = 0; s < slots_.size(); ++s) live_[s] = slots_.slot(s).live_after;
  cost_.assign(count_, 0);
  for (uint32_t n = 0; n < count_; ++n) {
    for (uint32_t s : slots_.uses(n)) {
      if (!live_[s]) cost_[n] += slots_.slot(s).units;
    }
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

// Called when all users of its definitions are placed, so the units that they save are final.
void PressureScheduler::MakeReady(uint32_t n) {
  state_[n] = kReady;
  for (uint32_t s : slots_.defs(n)) {
    if (live_[s]) cost_[n] -= slots_.slot(s).units;
  }
  Push(n);
}

void PressureScheduler::Push(uint32_t n) {
  const uint64_t cost = static_cast<uint64_t>(cost_[n] + (int64_t{1} << 31));
  PushHeap(&heap_, cost << 32 | (count_ - 1 - n));
}

void PressureScheduler::Place(uint32_t n) {
  for (uint32_t s : slots_.defs(n)) live_[s] = false;
  for (uint32_t s : slots_.uses(n)) {
    if (std::exchange(live_[s], true)) continue;
    // The slot's other users have become cheaper.
    for (uint32_t u : slots_.users(s)) {
      cost_[u] -= slots_.slot(s).units;
      if (state_[u] == kReady) Push(u);
    }
  }
}

int EstimateCycles(const Dag& dag, const NodeOrder& order) {
  IssueClock clock;
  clock.Start(dag);
  for (uint32_t n : order) clock.Issue(dag, n);
  return clock.cycles();
}

}  // namespace kiln::lir::schedule
