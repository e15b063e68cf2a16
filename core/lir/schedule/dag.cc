#include "core/lir/schedule/dag.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace kiln::lir::schedule {

namespace {

constexpr uint32_t kNone = ~uint32_t{0};

bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

// The last writer and the readers since then of one thing: a value, a unit, a fixed register.
struct Access {
  uint32_t writer = kNone;
  std::vector<uint32_t> readers;
};

class DagBuilder {
 public:
  DagBuilder(const Target& t, const Function& f, absl::Span<const InstId> window, bool allocated)
      : t_(t), f_(f), window_(window), allocated_(allocated), nodes_(window.size()) {}

  std::vector<DagNode> Build() {
    assert(window_.size() <= kMaxWindow);
    for (uint32_t n = 0; n < window_.size(); ++n) {
      nodes_[n].inst = window_[n];
      nodes_[n].issue = std::max(1, t_.issue_cycles(f_, window_[n]));
    }
    if (allocated_) {
      units_.resize(t_.pools.size());
      for (size_t p = 0; p < units_.size(); ++p) units_[p].resize(t_.pools[p].units);
    }
    for (InstId i : window_) {
      for (const Operand& o : f_.uses(i)) {
        if (o.kind == Operand::Kind::kFixed) fixed_[o.id];
      }
    }
    for (uint32_t n = 0; n < window_.size(); ++n) Operands(n);
    for (uint32_t n = 0; n < window_.size(); ++n) Effects(n);
    for (DagNode& n : nodes_) MergeEdges(&n);
    Times();
    return std::move(nodes_);
  }

 private:
  void AddEdge(uint32_t from, uint32_t to, int latency) {
    if (from == kNone || from == to) return;
    nodes_[from].children.push_back({to, latency});
  }
  int Latency(uint32_t n) const { return std::max(1, t_.latency(f_, window_[n])); }

  void Read(Access* a, uint32_t n) {
    if (a->writer != kNone) AddEdge(a->writer, n, Latency(a->writer));
    if (a->readers.empty() || a->readers.back() != n) a->readers.push_back(n);
  }
  void Write(Access* a, uint32_t n) {
    for (uint32_t r : a->readers) AddEdge(r, n, 0);
    AddEdge(a->writer, n, 0);
    a->writer = n;
    a->readers.clear();
  }

  template <class F>
  void ForUnits(const Operand& o, bool is_def, F&& f) {
    const Value& v = f_.value(o.value());
    uint32_t n = o.comps * t_.units_per_comp(f_, v);
    if (is_def && v.whole_registers) {
      const uint32_t a = std::max(1u, t_.alignment(f_, v));
      n = (n + a - 1) / a * a;
    }
    std::vector<Access>& units = units_[t_.files[v.file].pool];
    for (uint32_t u = o.reg; u < o.reg + n && u < units.size(); ++u) f(&units[u]);
  }

  void Operands(uint32_t n) {
    const InstId i = window_[n];
    for (const Operand& o : f_.uses(i)) {
      if (o.kind == Operand::Kind::kFixed) Read(&fixed_[o.id], n);
      if (!IsValue(o)) continue;
      if (allocated_) {
        ForUnits(o, false, [&](Access* a) { Read(a, n); });
      } else if (const auto w = values_.find(o.id); w != values_.end()) {
        AddEdge(w->second, n, Latency(w->second));
      }
    }
    for (const Operand& o : f_.defs(i)) {
      if (o.kind == Operand::Kind::kFixed) {
        // What nobody reads (null) orders nothing.
        if (const auto a = fixed_.find(o.id); a != fixed_.end()) Write(&a->second, n);
      }
      if (!IsValue(o)) continue;
      if (allocated_) {
        ForUnits(o, true, [&](Access* a) { Write(a, n); });
      } else {
        values_[o.id] = n;
      }
    }
  }

  void Effects(uint32_t n) {
    const uint16_t flags = t_.ops[f_.inst(window_[n]).op].flags;
    if (flags & kOpBarrier) {
      Write(&memory_, n);
      Write(&effects_, n);
      return;
    }
    if (flags & kOpExit) {  // what is written before it is written, what comes after is not
      Write(&effects_, n);
      AddEdge(memory_.writer, n, 0);
      memory_.readers.push_back(n);
      return;
    }
    if (flags & kOpWritesMemory) {
      Write(&memory_, n);
    } else if (flags & kOpReadsMemory) {
      // Reads need no latency after a write: the memory pipe keeps them in order.
      AddEdge(memory_.writer, n, 0);
      memory_.readers.push_back(n);
    } else if (flags & kOpSideEffect) {
      Write(&effects_, n);
    }
  }

  static void MergeEdges(DagNode* n) {
    std::sort(n->children.begin(), n->children.end(), [](const DagEdge& a, const DagEdge& b) {
      return a.to != b.to ? a.to < b.to : a.latency > b.latency;
    });
    n->children.erase(std::unique(n->children.begin(), n->children.end(),
                                  [](const DagEdge& a, const DagEdge& b) { return a.to == b.to; }),
                      n->children.end());
  }

  // Nodes are in an order that respects the edges. Down: earliest issue. Up: the longest path, and
  // the first exit.
  void Times() {
    std::vector<int> earliest(nodes_.size());
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      for (const DagEdge& e : nodes_[n].children) {
        ++nodes_[e.to].num_parents;
        earliest[e.to] = std::max(earliest[e.to], earliest[n] + std::max(e.latency, nodes_[n].issue));
      }
    }
    for (uint32_t n = static_cast<uint32_t>(nodes_.size()); n-- > 0;) {
      DagNode& node = nodes_[n];
      node.delay = Latency(n);
      if (t_.ops[f_.inst(node.inst).op].flags & kOpExit) node.exit_unblocked_time = earliest[n];
      for (const DagEdge& e : node.children) {
        const DagNode& child = nodes_[e.to];
        node.delay = std::max(node.delay, std::max(e.latency, node.issue) + child.delay);
        node.exit_unblocked_time = std::min(node.exit_unblocked_time, child.exit_unblocked_time);
      }
    }
  }

  const Target& t_;
  const Function& f_;
  const absl::Span<const InstId> window_;
  const bool allocated_;
  std::vector<DagNode> nodes_;
  std::map<uint32_t, uint32_t> values_;  // value -> node that defines it
  std::vector<std::vector<Access>> units_;
  std::map<uint32_t, Access> fixed_;
  Access memory_, effects_;
};

}  // namespace

std::vector<DagNode> BuildDag(const Target& target, const Function& f,
                              absl::Span<const InstId> window, bool allocated) {
  return DagBuilder(target, f, window, allocated).Build();
}

}  // namespace kiln::lir::schedule
