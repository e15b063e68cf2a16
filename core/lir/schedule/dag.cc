#include "core/lir/schedule/dag.h"

#include <algorithm>
#include <cassert>

#include "core/lir/exits.h"

namespace kiln::lir::schedule {

DagBuilder::DagBuilder(const Machine& machine, const Function& f, bool allocated)
    : t_(machine), f_(f), allocated_(allocated), clobbered_(machine.clobbered) {
  for (size_t b = 0; b < f_.blocks.size() && first_exits_.empty(); ++b) {
    for (InstId i : f_.blocks[b].insts) {
      if (f_.inst(i).flags & kPreferredExit) first_exits_.push_back(i);
    }
  }
  if (!allocated_) {
    at_exits_ = NeededAtExits(t_, f_);
    definer_.assign(f_.values.size(), kNone);
    return;
  }
  shapes_.reserve(f_.values.size());
  for (const Value& v : f_.values) {
    Shape s;
    s.pool = t_.files[v.file].pool;
    s.per_comp = t_.units_per_comp(f_, v);
    if (v.whole_registers) s.written = std::max(1u, t_.alignment(f_, v));
    shapes_.push_back(s);
  }
  pools_.resize(t_.pools.size());
  for (size_t p = 0; p < pools_.size(); ++p) {
    pools_[p].access.resize(t_.pools[p].units);
    pools_[p].cuts.resize(t_.pools[p].units / 64 + 1);
  }
  if (f_.exit_block.valid()) FindPlacesNeededAtExits();
}

// Finds the operands by which the exit block reads units that it has not written itself. In
// allocated code names of values say nothing about units, so this goes by units.
void DagBuilder::FindPlacesNeededAtExits() {
  std::vector<std::vector<char>> written;
  for (const PoolInfo& pool : t_.pools) written.emplace_back(pool.units, 0);
  uint32_t first, end;
  for (InstId i : f_.block(f_.exit_block).insts) {
    for (const Operand& o : f_.uses(i)) {
      if (!ReadsForAllLanes(t_, f_, i, o)) continue;
      Units(o, false, &first, &end);
      const std::vector<char>& own = written[shapes_[o.id].pool];
      if (std::find(own.begin() + first, own.begin() + end, 0) != own.begin() + end) {
        at_exits_.push_back(o);
      }
    }
    for (const Operand& o : f_.defs(i)) {
      if (!IsValue(o)) continue;
      Units(o, false, &first, &end);
      std::vector<char>& own = written[shapes_[o.id].pool];
      std::fill(own.begin() + first, own.begin() + end, 1);
    }
  }
}

void DagBuilder::Build(absl::Span<const InstId> window, InstId terminator, Dag* dag) {
  assert(window.size() <= kMaxWindow);
  dag_ = dag;
  dag_->last_unit = terminator.valid() ? t_.timing(t_, f_, terminator).unit : 0;
  Begin(window);
  for (uint32_t n = 0; n < window.size(); ++n) {
    if (clobbered_ != 0) Clobbers(n);
    Operands(n);
    Effects(n);
  }
  Finish();
  Times();
  Forget();
}

void DagBuilder::Begin(absl::Span<const InstId> window) {
  dag_->nodes.assign(window.size(), DagNode());
  dag_->has_exits = false;
  constexpr size_t kEdges = 4, kReads = 2;  // of most instructions
  raw_.clear();
  raw_.reserve(kEdges * window.size());
  readers_.clear();
  readers_.reserve(kReads * window.size());
  last_edge_.assign(window.size(), kNone);
  memory_.fill(Access());
  ordered_reads_ = effects_ = exits_ = Access();
  clobberable_.assign(clobbered_ == 0 ? 0 : t_.pools.size(), Access());
  for (uint32_t n = 0; n < window.size(); ++n) {
    const InstId i = window[n];
    DagNode& node = dag_->nodes[n];
    node.inst = i;
    const Timing timing = t_.timing(t_, f_, i);
    node.issue = std::max(1, timing.issue);
    node.latency = std::max(1, timing.latency);
    node.read = timing.read;
    node.busy = timing.busy;
    node.unit = timing.unit;
    if (f_.inst(i).flags & kPreferredExit) {
      dag_->has_exits = true;
      const bool first =
          std::find(first_exits_.begin(), first_exits_.end(), i) != first_exits_.end();
      if (first) node.percent_after = timing.percent_after;
    }
    for (const Operand& o : f_.uses(i)) {
      if (o.kind == Operand::Kind::kFixed && o.id >= fixed_.size()) {
        fixed_.resize(o.id + 1);
        fixed_read_.resize(o.id + 1);
      }
      if (o.kind == Operand::Kind::kFixed) fixed_read_[o.id] = 1;
      if (allocated_) Cut(o, false);
    }
    if (!allocated_) continue;
    if (!at_exits_.empty() && IsExit(t_, f_, i)) {
      for (const Operand& o : at_exits_) Cut(o, false);
    }
    for (const Operand& o : f_.defs(i)) Cut(o, true);
    for (uint32_t pools = t_.ops[f_.inst(i).op].clobbers, p = 0; pools != 0; pools >>= 1, ++p) {
      if (pools & 1) CutRange(p, 0, t_.pools[p].units);
    }
  }
}

// Adds an edge to the current node; the last edge from each producer shows whether it exists
// already.
void DagBuilder::AddEdge(uint32_t from, uint32_t to, int latency) {
  if (from == kNone || from == to) return;
  uint32_t& last = last_edge_[from];
  if (last != kNone && raw_[last].to == to) {
    raw_[last].latency = std::max(raw_[last].latency, latency);
    return;
  }
  last = static_cast<uint32_t>(raw_.size());
  raw_.push_back({from, to, latency});
  ++dag_->nodes[from].num_children;
  ++dag_->nodes[to].num_parents;
}

void DagBuilder::AddReader(Access* a, uint32_t n) {
  if (a->readers != kNone && readers_[a->readers].node == n) return;
  readers_.push_back({n, a->readers});
  a->readers = static_cast<uint32_t>(readers_.size()) - 1;
}

void DagBuilder::Read(Access* a, uint32_t n) {
  if (a->writer != kNone) AddEdge(a->writer, n, dag_->nodes[a->writer].latency);
  AddReader(a, n);
}

// Orders memory accesses and side effects. They are ordered where they are executed, so the issuer
// only waits for a busy unit. The edge carries that wait as its latency, so that the longest paths
// include it: the operands of the first of several writes to one unit are more urgent than those of
// the last.
void DagBuilder::Order(Access* a, uint32_t n) {
  for (uint32_t r = a->readers; r != kNone; r = readers_[r].next) AddEdge(readers_[r].node, n, 0);
  if (a->writer != kNone) {
    const DagNode& writer = dag_->nodes[a->writer];
    AddEdge(a->writer, n, writer.unit == dag_->nodes[n].unit ? writer.busy : 0);
  }
  a->writer = n;
  a->readers = kNone;
}

// A write of registers waits until they have been read and written.
void DagBuilder::Write(Access* a, uint32_t n) {
  const std::vector<DagNode>& nodes = dag_->nodes;
  for (uint32_t r = a->readers; r != kNone; r = readers_[r].next) {
    AddEdge(readers_[r].node, n, nodes[readers_[r].node].read);
  }
  if (a->writer != kNone) AddEdge(a->writer, n, nodes[a->writer].latency);
  a->writer = n;
  a->readers = kNone;
}

void DagBuilder::Units(const Operand& o, bool is_def, uint32_t* first, uint32_t* end) const {
  const Shape& s = shapes_[o.id];
  const uint32_t units = t_.pools[s.pool].units;
  *first = *end = std::min(o.reg, units);
  if (o.reg >= units) return;
  uint32_t n = o.comps * s.per_comp;
  if (is_def) n = (n + s.written - 1) / s.written * s.written;
  *end = std::min(o.reg + n, units);
}

void DagBuilder::Cut(const Operand& o, bool is_def) {
  if (!IsValue(o)) return;
  uint32_t first, end;
  Units(o, is_def, &first, &end);
  if (first != end) CutRange(shapes_[o.id].pool, first, end);
}

void DagBuilder::CutRange(uint32_t pool, uint32_t first, uint32_t end) {
  std::vector<uint64_t>& cuts = pools_[pool].cuts;
  cuts[first / 64] |= uint64_t{1} << (first % 64);
  cuts[end / 64] |= uint64_t{1} << (end % 64);
}

template <class F>
void DagBuilder::ForUnits(const Operand& o, bool is_def, F&& f) {
  uint32_t at, end;
  Units(o, is_def, &at, &end);
  ForRange(&pools_[shapes_[o.id].pool], at, end, f);
}

template <class F>
void DagBuilder::ForRange(PoolState* pool, uint32_t at, uint32_t end, F&& f) {
  while (at < end) {
    f(&pool->access[at]);
    // Advances to the next cut; there is one at `end`.
    uint32_t word = ++at / 64;
    uint64_t rest = pool->cuts[word] >> (at % 64) << (at % 64);
    while (rest == 0) rest = pool->cuts[++word];
    at = word * 64 + static_cast<uint32_t>(__builtin_ctzll(rest));
  }
}

void DagBuilder::Operands(uint32_t n) {
  const InstId i = dag_->nodes[n].inst;
  for (const Operand& o : f_.uses(i)) {
    if (o.kind == Operand::Kind::kFixed) Read(&fixed_[o.id], n);
    if (!IsValue(o)) continue;
    if (allocated_) {
      ForUnits(o, false, [&](Access* a) { Read(a, n); });
    } else if (const uint32_t w = definer_[o.id]; w != kNone) {
      AddEdge(w, n, dag_->nodes[w].latency);
    }
  }
  for (const Operand& o : f_.defs(i)) {
    // Fixed registers that are not read in the window (null) order nothing.
    const bool fixed = o.kind == Operand::Kind::kFixed && o.id < fixed_.size();
    if (fixed && fixed_read_[o.id]) Write(&fixed_[o.id], n);
    if (!IsValue(o)) continue;
    if (allocated_) {
      ForUnits(o, true, [&](Access* a) { Write(a, n); });
    } else {
      definer_[o.id] = n;
    }
  }
}

// An operation writes the units that it clobbers. Before allocation, a definition of a value in
// such a pool counts as a write of the pool as well, and a use as a read.
void DagBuilder::Clobbers(uint32_t n) {
  const InstId i = dag_->nodes[n].inst;
  const uint8_t clobbers = t_.ops[f_.inst(i).op].clobbers;
  const auto in_pool = [&](const Operand& o, size_t p) {
    return IsValue(o) && t_.files[f_.value(o.value()).file].pool == p;
  };
  for (size_t p = 0; p < t_.pools.size(); ++p) {
    if (!(clobbered_ >> p & 1)) continue;
    const bool clobbered = clobbers >> p & 1;
    if (allocated_ && clobbered) {
      ForRange(&pools_[p], 0, t_.pools[p].units, [&](Access* a) { Write(a, n); });
    }
    if (allocated_) continue;
    const auto defs = f_.defs(i), uses = f_.uses(i);
    const auto mine = [&](const Operand& o) { return in_pool(o, p); };
    if (std::any_of(uses.begin(), uses.end(), mine)) {
      AddEdge(clobberable_[p].writer, n, 0);
      AddReader(&clobberable_[p], n);
    }
    if (clobbered || std::any_of(defs.begin(), defs.end(), mine)) Order(&clobberable_[p], n);
  }
}

void DagBuilder::Effects(uint32_t n) {
  const OpInfo& op = t_.ops[f_.inst(dag_->nodes[n].inst).op];
  uint32_t flags = op.flags;
  if (f_.inst(dag_->nodes[n].inst).flags & kUnordered) flags &= ~uint32_t{kOpReadsMemory};
  assert(op.memory_class < kMemoryClasses);
  Access& memory = memory_[op.memory_class];
  if (flags & kOpBarrier) {
    for (Access& a : memory_) Order(&a, n);
    Order(&effects_, n);
    if (flags & (kOpExit | kOpTurnsOff)) Order(&exits_, n);
    if (flags & kOpExit) AfterPlacesNeededAtExits(n);
    return;
  }
  if (flags & kOpExit) return Exit(n);
  const bool inserted = allocated_ && (f_.inst(dag_->nodes[n].inst).flags & kInsertedCopy) != 0;
  const bool reads_lanes = (f_.inst(dag_->nodes[n].inst).flags & kReadsLanes) != 0;
  if (inserted || reads_lanes || (flags & kOpAcrossLanes)) {
    AddEdge(exits_.writer, n, 0);
    AddReader(&exits_, n);
  }
  if (flags & kOpWritesMemory) {
    Order(&memory, n);
  } else if (flags & kOpReadsMemory) {
    // Reads need no latency after a write: the memory pipe keeps them in order.
    AddEdge(memory.writer, n, 0);
    AddReader(&memory, n);
    if (flags & kOpOrderedRead) Order(&ordered_reads_, n);
  } else if (flags & kOpSideEffect) {
    Order(&effects_, n);
  }
}

// Memory writes before an exit stay before it, those after it stay after it.
void DagBuilder::Exit(uint32_t n) {
  Order(&effects_, n);
  Order(&exits_, n);
  for (Access& a : memory_) {
    AddEdge(a.writer, n, 0);
    AddReader(&a, n);
  }
  AfterPlacesNeededAtExits(n);
}

void DagBuilder::AfterPlacesNeededAtExits(uint32_t n) {
  for (const Operand& o : at_exits_) {
    if (allocated_) {
      ForUnits(o, false, [&](Access* a) {
        AddEdge(a->writer, n, 0);
        AddReader(a, n);
      });
    } else if (const uint32_t w = definer_[o.id]; w != kNone) {
      AddEdge(w, n, 0);
    }
  }
}

// Sorts the edges by producer; those of one producer keep the order in which they were found,
// ascending.
void DagBuilder::Finish() {
  uint32_t at = 0;
  for (DagNode& n : dag_->nodes) {
    n.first_child = at;
    at += n.num_children;
    n.num_children = 0;
  }
  dag_->edges.resize(raw_.size());
  for (const RawEdge& e : raw_) {
    DagNode& n = dag_->nodes[e.from];
    dag_->edges[n.first_child + n.num_children++] = {e.to, e.latency};
  }
}

// Computes times; nodes are in an order that respects the edges. Downward: the earliest issue.
// Upward: the longest path, and the first exit.
void DagBuilder::Times() {
  std::vector<DagNode>& nodes = dag_->nodes;
  earliest_.assign(nodes.size(), 0);
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    for (const DagEdge& e : dag_->children(n)) {
      earliest_[e.to] =
          std::max(earliest_[e.to], earliest_[n] + std::max(e.latency, nodes[n].issue));
    }
  }
  for (uint32_t n = static_cast<uint32_t>(nodes.size()); n-- > 0;) {
    DagNode& node = nodes[n];
    node.delay = node.latency;
    if (node.unit == dag_->last_unit) node.delay = std::max(node.delay, node.busy);
    if (f_.inst(node.inst).flags & kPreferredExit) node.exit_unblocked_time = earliest_[n];
    for (const DagEdge& e : dag_->children(n)) {
      const DagNode& child = nodes[e.to];
      node.delay = std::max(node.delay, std::max(e.latency, node.issue) + child.delay);
      node.exit_unblocked_time = std::min(node.exit_unblocked_time, child.exit_unblocked_time);
    }
  }
}

// Restores the tables by value and by unit to their state before this window.
void DagBuilder::Forget() {
  fixed_.assign(fixed_.size(), Access());
  fixed_read_.assign(fixed_read_.size(), 0);
  if (!allocated_) {
    for (const DagNode& n : dag_->nodes) {
      for (const Operand& o : f_.defs(n.inst)) {
        if (IsValue(o)) definer_[o.id] = kNone;
      }
    }
    return;
  }
  for (PoolState& pool : pools_) {
    for (size_t w = 0; w < pool.cuts.size(); ++w) {
      for (uint64_t rest = pool.cuts[w]; rest != 0; rest &= rest - 1) {
        const size_t unit = w * 64 + static_cast<size_t>(__builtin_ctzll(rest));
        if (unit < pool.access.size()) pool.access[unit] = Access();
      }
      pool.cuts[w] = 0;
    }
  }
}

Dag BuildDag(const Machine& machine, const Function& f, absl::Span<const InstId> window,
             bool allocated) {
  Dag dag;
  DagBuilder(machine, f, allocated).Build(window, InstId(), &dag);
  return dag;
}

}  // namespace kiln::lir::schedule
