#include "core/lir/schedule/list_scheduler.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace kiln::lir::schedule {

namespace {

constexpr uint32_t kNone = ~uint32_t{0};

// Ready nodes of the latency policy. Three heaps, because "unblocked or now" changes with the
// clock: `open` are unblocked; `blocked` wait, by policy; `clock` are the same by time only, to
// find those that become unblocked. Entries of nodes that have moved on are skipped.
class LatencyQueue {
 public:
  explicit LatencyQueue(const std::vector<DagNode>& dag)
      : dag_(dag), unblocked_(dag.size()), open_state_(dag.size()) {}

  void Push(uint32_t n, int unblocked) {
    unblocked_[n] = unblocked;
    blocked_.push(Key(n, unblocked));
    clock_.push({unblocked, n});
    ++size_;
  }
  bool empty() const { return size_ == 0; }

  uint32_t Pop(int now) {
    for (; !clock_.empty() && clock_.top().first <= now; clock_.pop()) {
      const uint32_t n = clock_.top().second;
      if (open_state_[n] != 0) continue;
      open_state_[n] = 1;
      open_.push(Key(n, 0));
    }
    while (!blocked_.empty() && open_state_[std::get<3>(blocked_.top())] != 0) blocked_.pop();
    bool take_open = !open_.empty();
    if (take_open && !blocked_.empty()) {
      // All open nodes count as unblocked now.
      auto first = open_.top();
      std::get<1>(first) = now;
      take_open = first < blocked_.top();
    }
    Heap& heap = take_open ? open_ : blocked_;
    const uint32_t n = std::get<3>(heap.top());
    heap.pop();
    open_state_[n] = 2;
    --size_;
    return n;
  }

  int unblocked(uint32_t n) const { return unblocked_[n]; }

 private:
  using KeyType = std::tuple<int, int, int, uint32_t>;
  using Heap = std::priority_queue<KeyType, std::vector<KeyType>, std::greater<KeyType>>;
  using Clock = std::pair<int, uint32_t>;

  KeyType Key(uint32_t n, int unblocked) const {
    return {dag_[n].exit_unblocked_time, unblocked, -dag_[n].delay, n};
  }

  const std::vector<DagNode>& dag_;
  std::vector<int> unblocked_;
  std::vector<char> open_state_;  // 0 blocked, 1 open, 2 taken
  Heap open_, blocked_;
  std::priority_queue<Clock, std::vector<Clock>, std::greater<Clock>> clock_;
  size_t size_ = 0;
};

}  // namespace

std::vector<uint32_t> OrderForLatency(const std::vector<DagNode>& dag) {
  std::vector<uint32_t> order, parents(dag.size());
  std::vector<int> unblocked(dag.size());
  LatencyQueue ready(dag);
  for (uint32_t n = 0; n < dag.size(); ++n) {
    parents[n] = dag[n].num_parents;
    if (parents[n] == 0) ready.Push(n, 0);
  }
  int now = 0;
  while (!ready.empty()) {
    const uint32_t n = ready.Pop(now);
    const int issue = std::max(now, ready.unblocked(n));
    order.push_back(n);
    now = issue + dag[n].issue;
    for (const DagEdge& e : dag[n].children) {
      unblocked[e.to] = std::max(unblocked[e.to], issue + e.latency);
      if (--parents[e.to] == 0) ready.Push(e.to, unblocked[e.to]);
    }
  }
  assert(order.size() == dag.size());
  return order;
}

namespace {

// Bottom up. A slot (component of a value) becomes live at its last use and dead at its
// definition.
class PressureOrder {
 public:
  PressureOrder(const Target& t, const Function& f, const std::vector<DagNode>& dag,
                const std::vector<char>& live_after)
      : t_(t), f_(f), dag_(dag), live_after_(live_after) {}

  std::vector<uint32_t> Run() {
    const uint32_t count = static_cast<uint32_t>(dag_.size());
    Number();
    std::vector<uint32_t> waiting(count);
    std::vector<std::vector<uint32_t>> parents(count);
    for (uint32_t n = 0; n < count; ++n) {
      waiting[n] = static_cast<uint32_t>(dag_[n].children.size());
      for (const DagEdge& e : dag_[n].children) parents[e.to].push_back(n);
    }
    placed_.assign(count, 0);
    is_ready_.assign(count, 0);
    for (uint32_t n = 0; n < count; ++n) {
      if (waiting[n] == 0) MakeReady(n);
    }
    std::vector<uint32_t> order;
    while (!heap_.empty()) {
      const auto [cost, position] = heap_.top();
      heap_.pop();
      const uint32_t n = count - 1 - position;
      if (placed_[n] || cost != Cost(n)) continue;  // the cost fell, a newer entry exists
      placed_[n] = 1;
      order.push_back(n);
      Place(n);
      for (uint32_t p : parents[n]) {
        if (--waiting[p] == 0) MakeReady(p);
      }
    }
    assert(order.size() == count);
    std::reverse(order.begin(), order.end());
    return order;
  }

 private:
  struct Slot {
    bool live = false;
    int units = 0;
    std::vector<uint32_t> users;  // nodes of the window
  };

  void Number() {
    uses_.resize(dag_.size());
    defs_.resize(dag_.size());
    for (uint32_t n = 0; n < dag_.size(); ++n) {
      for (const Operand& o : f_.uses(dag_[n].inst)) Add(o, &uses_[n]);
      std::sort(uses_[n].begin(), uses_[n].end());
      uses_[n].erase(std::unique(uses_[n].begin(), uses_[n].end()), uses_[n].end());
      for (uint32_t s : uses_[n]) slots_[s].users.push_back(n);
      for (const Operand& o : f_.defs(dag_[n].inst)) Add(o, &defs_[n]);
    }
  }

  void Add(const Operand& o, std::vector<uint32_t>* out) {
    if (o.kind != Operand::Kind::kValue) return;
    const Value& v = f_.value(o.value());
    const auto [at, added] =
        first_slot_.insert({o.id, static_cast<uint32_t>(slots_.size())});
    if (added) {
      const int units = static_cast<int>(t_.units_per_comp(f_, v));
      for (uint32_t c = 0; c < v.comps; ++c) slots_.push_back({live_after_[o.id] != 0, units, {}});
    }
    for (uint32_t c = 0; c < o.comps; ++c) out->push_back(at->second + o.comp + c);
  }

  int Cost(uint32_t n) const {
    int cost = 0;
    for (uint32_t s : uses_[n]) cost += slots_[s].live ? 0 : slots_[s].units;
    for (uint32_t s : defs_[n]) cost -= slots_[s].live ? slots_[s].units : 0;
    return cost;
  }

  void MakeReady(uint32_t n) {
    is_ready_[n] = 1;
    heap_.push({Cost(n), static_cast<uint32_t>(dag_.size()) - 1 - n});
  }

  void Place(uint32_t n) {
    for (uint32_t s : defs_[n]) slots_[s].live = false;
    for (uint32_t s : uses_[n]) {
      if (std::exchange(slots_[s].live, true)) continue;
      // Other users of it have become cheaper.
      for (uint32_t u : slots_[s].users) {
        if (is_ready_[u] && !placed_[u]) MakeReady(u);
      }
    }
  }

  const Target& t_;
  const Function& f_;
  const std::vector<DagNode>& dag_;
  const std::vector<char>& live_after_;
  std::map<uint32_t, uint32_t> first_slot_;  // value -> slot of its component 0
  std::vector<Slot> slots_;
  std::vector<std::vector<uint32_t>> uses_, defs_;  // slots, per node
  std::vector<char> placed_, is_ready_;
  using Entry = std::pair<int, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> heap_;
};

}  // namespace

std::vector<uint32_t> OrderForPressure(const Target& target, const Function& f,
                                       const std::vector<DagNode>& dag,
                                       const std::vector<char>& live_after) {
  return PressureOrder(target, f, dag, live_after).Run();
}

int EstimateCycles(const std::vector<DagNode>& dag, const std::vector<uint32_t>& order) {
  std::vector<int> unblocked(dag.size());
  int now = 0, end = 0;
  for (uint32_t n : order) {
    const int issue = std::max(now, unblocked[n]);
    now = issue + dag[n].issue;
    end = std::max(end, now);
    for (const DagEdge& e : dag[n].children) {
      unblocked[e.to] = std::max(unblocked[e.to], issue + e.latency);
    }
  }
  for (int u : unblocked) end = std::max(end, u);
  return end;
}

}  // namespace kiln::lir::schedule
