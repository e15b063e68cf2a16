#include "core/front/check/flow_cost.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace kiln::front {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

// Weights in steps of some 10 ns, from timings of SPIRV-Tools 2023.1 on shapes dominated by one
// each.
constexpr uint64_t kEdgeOfIteration = 4;   // an edge or a dominator in the iteration: hash tables
constexpr uint64_t kBlock = 200;           // a block, in tables of all blocks
constexpr uint64_t kEdgeOfConstruct = 24;  // an edge in a construct, a tree of pointers
constexpr uint64_t kWalks = 3;             // dominator chains followed for an edge of a construct
constexpr uint64_t kExit = 3;     // a dominator on the way outwards from an exited construct
constexpr uint64_t kCopied = 4;   // a construct copied for a back edge
constexpr uint64_t kPhiEdge = 2;  // a predecessor sorted for a phi
constexpr uint64_t kScanned = 8;  // entries of an array scanned in one step
constexpr uint64_t kMax = uint64_t{1} << 50;

uint64_t Times(uint64_t a, uint64_t b) { return a != 0 && b > kMax / a ? kMax : a * b; }

// Edges by their source node, in the order of their addition.
class Graph {
 public:
  explicit Graph(uint32_t nodes) : first_(nodes + 1, 0) {}
  Graph(uint32_t nodes, const std::vector<std::pair<uint32_t, uint32_t>>& edges) : Graph(nodes) {
    for (const auto& [from, to] : edges) ++first_[from + 1];
    for (uint32_t n = 0; n < nodes; ++n) first_[n + 1] += first_[n];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    to_.resize(edges.size());
    for (const auto& [from, to] : edges) to_[next[from]++] = to;
  }
  absl::Span<const uint32_t> operator[](uint32_t node) const {
    return absl::MakeConstSpan(to_).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  uint32_t nodes() const { return static_cast<uint32_t>(first_.size()) - 1; }

 private:
  std::vector<uint32_t> first_, to_;
};

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

Edges Reversed(Edges edges) {
  for (auto& [from, to] : edges) std::swap(from, to);
  return edges;
}

struct Search {
  std::vector<uint32_t> postorder;
  uint64_t stack = 0;       // sum over edges of the nodes on the stack
  uint64_t back_edges = 0;  // to nodes on the stack
};

enum State : uint8_t { kNew, kOpen, kDone };

void DepthFirst(const Graph& graph, uint32_t root, std::vector<uint8_t>* state, Search* search) {
  std::vector<std::pair<uint32_t, uint32_t>> stack = {{root, 0}};
  (*state)[root] = kOpen;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    const absl::Span<const uint32_t> edges = graph[node];
    if (next == edges.size()) {
      (*state)[node] = kDone;
      search->postorder.push_back(node);
      stack.pop_back();
      continue;
    }
    const uint32_t to = edges[next++];
    search->stack += stack.size();
    if ((*state)[to] == kOpen) ++search->back_edges;
    if ((*state)[to] != kNew) continue;
    (*state)[to] = kOpen;
    stack.push_back({to, 0});
  }
}

Search DepthFirst(const Graph& graph, uint32_t root) {
  Search search;
  std::vector<uint8_t> state(graph.nodes(), kNew);
  DepthFirst(graph, root, &state, &search);
  return search;
}

// Returns nodes from which all others are reachable: those without incoming edges, then one for
// each remaining cycle.
std::vector<uint32_t> Roots(const Graph& graph, const Graph& reverse,
                            const std::vector<uint32_t>& order) {
  std::vector<uint32_t> roots;
  std::vector<uint8_t> state(graph.nodes(), kNew);
  Search ignored;
  for (uint32_t node : order) {
    if (!reverse[node].empty()) continue;
    roots.push_back(node);
    DepthFirst(graph, node, &state, &ignored);
  }
  for (uint32_t node : order) {
    if (state[node] != kNew) continue;
    roots.push_back(node);
    DepthFirst(graph, node, &state, &ignored);
  }
  return roots;
}

// The dominator tree of the nodes that a search reached.
struct Tree {
  std::vector<uint32_t> parent;    // kNone: not reached, or the root
  std::vector<uint32_t> depth;     // the root's is 1; 0: not reached
  std::vector<uint32_t> by_depth;  // reached nodes, parents before children
  uint64_t steps = 0;
};

// Runs the iteration of Cooper, Harvey and Kennedy, over numbers in postorder. Returns false if it
// exceeds `most` steps.
bool Iterate(const std::vector<uint32_t>& postorder, const Graph& reverse, uint64_t most,
             std::vector<uint32_t>* dominator, uint64_t* steps) {
  std::vector<uint32_t> number(reverse.nodes(), kNone);
  for (uint32_t i = 0; i < postorder.size(); ++i) number[postorder[i]] = i;
  const uint32_t root = static_cast<uint32_t>(postorder.size()) - 1;
  dominator->assign(postorder.size(), kNone);
  std::vector<uint32_t>& dom = *dominator;
  dom[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = root; b-- > 0;) {
      uint32_t idom = kNone;
      for (uint32_t node : reverse[postorder[b]]) {
        ++*steps;
        uint32_t p = number[node];
        if (p == kNone || dom[p] == kNone) continue;
        if (idom == kNone) idom = p;
        for (; p != idom; ++*steps) {
          if (p < idom)
            p = dom[p];
          else
            idom = dom[idom];
        }
      }
      if (*steps > most) return false;
      changed = changed || (idom != kNone && dom[b] != idom);
      if (idom != kNone) dom[b] = idom;
    }
  }
  return true;
}

bool Dominators(const std::vector<uint32_t>& postorder, const Graph& reverse, uint64_t most,
                Tree* tree) {
  std::vector<uint32_t> dominator;
  if (!Iterate(postorder, reverse, most / kEdgeOfIteration, &dominator, &tree->steps)) return false;
  tree->parent.assign(reverse.nodes(), kNone);
  tree->depth.assign(reverse.nodes(), 0);
  for (uint32_t i = static_cast<uint32_t>(postorder.size()); i-- > 0;) {
    const uint32_t node = postorder[i];
    const bool is_root = i + 1 == postorder.size() || dominator[i] == kNone;
    if (!is_root) tree->parent[node] = postorder[dominator[i]];
    tree->depth[node] = is_root ? 1 : tree->depth[tree->parent[node]] + 1;
    tree->by_depth.push_back(node);
  }
  return true;
}

class Meter {
 public:
  Meter(const FlowFunction& function, uint64_t most)
      : f_(function), n_(static_cast<uint32_t>(function.blocks.size())), most_(most) {}

  FlowCost Run() {
    if (n_ == 0) return {};
    Connect();
    if (Order() && DominatorTrees()) {
      Subtrees();
      Constructs();
      Exits();
      Values();
    }
    return {steps_, nesting_};
  }

 private:
  void Add(uint64_t steps) { steps_ = std::min(steps_ + std::min(steps, kMax), kMax); }
  uint64_t Left() const { return most_ - std::min(most_, steps_); }
  uint32_t Block(uint32_t label) const {
    const auto known = block_.find(label);
    return known == block_.end() ? kNone : known->second;
  }

  void Connect() {
    for (uint32_t b = 0; b < n_; ++b) block_.emplace(f_.blocks[b].label, b);
    merge_.assign(n_, kNone);
    continue_.assign(n_, kNone);
    merge_of_.assign(n_, kNone);
    for (uint32_t b = 0; b < n_; ++b) {
      const FlowBlock& block = f_.blocks[b];
      if (block.merge != 0) merge_[b] = Block(block.merge);
      if (block.continue_target != 0) continue_[b] = Block(block.continue_target);
      for (uint32_t to : {merge_[b], continue_[b]}) {
        if (to != kNone) structural_.push_back({b, to});
      }
      if (merge_[b] != kNone) merge_of_[merge_[b]] = b;
      for (uint32_t t = block.first_target; t < block.end_target; ++t) {
        const uint32_t to = Block(f_.targets[t]);
        if (to == kNone) continue;
        plain_.push_back({b, to});
        structural_.push_back({b, to});
      }
    }
  }

  // Adds an entry node from which all blocks are reachable, and an exit node that is reachable from
  // all.
  bool Order() {
    const Graph forward(n_, structural_), back(n_, Reversed(structural_));
    std::vector<uint32_t> order(n_);
    for (uint32_t b = 0; b < n_; ++b) order[b] = b;
    for (uint32_t b : Roots(forward, back, order)) structural_.push_back({n_, b});
    std::reverse(order.begin(), order.end());
    for (uint32_t b : Roots(back, forward, order)) {
      structural_.push_back({b, n_ + 1});
      plain_.push_back({b, n_ + 1});
    }
    const Search all = DepthFirst(Graph(n_ + 2, structural_), n_);
    Add(all.stack / kScanned + uint64_t{n_} * kBlock);
    uint64_t constructs = 0;
    for (uint32_t b = 0; b < n_; ++b) {
      constructs += (merge_[b] != kNone) + (continue_[b] != kNone);
    }
    Add(Times(Times(all.back_edges, constructs), kCopied));
    return steps_ <= most_;
  }

  bool Dominate(const Edges& edges, uint32_t root, Tree* tree) {
    const std::vector<uint32_t> postorder = DepthFirst(Graph(n_ + 2, edges), root).postorder;
    const bool ended = Dominators(postorder, Graph(n_ + 2, Reversed(edges)), Left(), tree);
    Add(Times(tree->steps, kEdgeOfIteration));
    return ended && steps_ <= most_;
  }

  bool DominatorTrees() {
    if (!Dominate(plain_, 0, &plain_tree_) || !Dominate(structural_, 0, &tree_) ||
        !Dominate(Reversed(structural_), n_ + 1, &post_tree_)) {
      steps_ = std::max(steps_, most_ + 1);
      return false;
    }
    // The validator searches each block's dominator among the blocks before it.
    for (uint32_t b = 0; b < n_; ++b) {
      const uint32_t parent = plain_tree_.parent[b];
      if (parent < n_) Add(parent / kScanned);
    }
    return true;
  }

  // Computes preorder intervals of the structural dominator tree and sums over subtrees, on which
  // the following counts are based.
  void Subtrees() {
    const uint32_t nodes = n_ + 2;
    std::vector<uint32_t> cursor(nodes, 0);
    pre_.assign(nodes, 0);
    size_.assign(nodes, 1);
    walk_.assign(nodes, 0);
    post_walk_.assign(nodes, 0);
    edges_in_.assign(nodes, 0);
    for (const auto& [from, to] : structural_) {
      walk_[from] += kWalks * tree_.depth[to] + kEdgeOfConstruct;
      post_walk_[from] += post_tree_.depth[to];
      ++edges_in_[to];
    }
    for (auto it = tree_.by_depth.rbegin(); it != tree_.by_depth.rend(); ++it) {
      const uint32_t parent = tree_.parent[*it];
      if (parent == kNone) continue;
      size_[parent] += size_[*it];
      walk_[parent] = std::min(walk_[parent] + walk_[*it], kMax);
      post_walk_[parent] = std::min(post_walk_[parent] + post_walk_[*it], kMax);
    }
    for (uint32_t node : tree_.by_depth) {
      const uint32_t parent = tree_.parent[node];
      if (parent != kNone) {
        pre_[node] = cursor[parent];
        cursor[parent] += size_[node];
      }
      cursor[node] = pre_[node] + 1;
    }
    Nest();
  }

  bool Dominates(uint32_t a, uint32_t b) const {
    return a != kNone && b != kNone && tree_.depth[a] != 0 && tree_.depth[b] != 0 &&
           pre_[a] <= pre_[b] && pre_[b] < pre_[a] + size_[a];
  }

  void Nest() {
    nest_.assign(n_ + 2, 0);
    for (uint32_t node : tree_.by_depth) {
      const uint32_t parent = tree_.parent[node];
      if (parent >= n_ || node >= n_) continue;
      const bool inside = merge_[parent] != kNone && merge_[parent] != node;
      nest_[node] = nest_[parent] + (inside ? 1 : 0);
      nesting_ = std::max<uint64_t>(nesting_, nest_[node]);
    }
  }

  // Returns the sum over the subtree of a block, without that of another block inside of it.
  uint64_t Within(const std::vector<uint64_t>& sums, uint32_t block, uint32_t without) const {
    return sums[block] - (Dominates(block, without) ? sums[without] : 0);
  }

  void Constructs() {
    for (uint32_t b = 0; b < n_; ++b) {
      if (tree_.depth[b] == 0 || merge_[b] == kNone) continue;
      const FlowBlock& block = f_.blocks[b];
      const uint64_t walk = Within(walk_, b, merge_[b]);
      Add(walk);
      if (block.is_switch) {  // the cases are walked again, and runs of equal targets
        const uint64_t targets = block.end_target - block.first_target;
        Add(walk + targets * targets / (4 * kScanned));
      }
    }
    // By loop header: the block of the back edge.
    std::vector<uint32_t> latch(n_, kNone);
    for (const auto& [from, to] : plain_) {
      if (to < n_ && from < n_ && continue_[to] != kNone && Dominates(continue_[to], from))
        latch[to] = from;
    }
    for (uint32_t b = 0; b < n_; ++b) {
      const uint32_t target = continue_[b];
      if (target == kNone || tree_.depth[b] == 0) continue;
      Add(Within(walk_, target, latch[b]));
      Add(Within(post_walk_, target, latch[b]));
      Add(post_tree_.depth[target]);
    }
  }

  // Counts the checks of exits. An edge that leaves constructs must be a break or a continue: from
  // the header of each of them the validator goes up to the loop or switch around it, past those
  // that have ended, and searches the uses of labels on its way.
  void Exits() {
    std::vector<uint64_t> loops(n_ + 2, 0), uses(n_ + 2, 0);
    for (uint32_t label : f_.phi_parents) {
      if (const uint32_t b = Block(label); b != kNone) ++edges_in_[b];
    }
    for (uint32_t node : tree_.by_depth) {
      const uint32_t parent = tree_.parent[node];
      uses[node] = edges_in_[node] + (parent == kNone ? 0 : uses[parent]);
      loops[node] = parent == kNone ? 0 : loops[parent];
      if (node < n_ && merge_[node] != kNone &&
          (continue_[node] != kNone || f_.blocks[node].is_switch)) {
        ++loops[node];
      }
    }
    for (const auto& [from, to] : plain_) {
      if (to >= n_ || tree_.depth[from] == 0) continue;
      const bool repeats = continue_[to] != kNone && Dominates(to, from);
      const uint64_t ends = nest_[to] + (repeats || merge_of_[to] != kNone ? 1 : 0);
      if (nest_[from] <= ends) continue;
      const uint64_t way =
          Times(tree_.depth[from], kExit + loops[from] / 2) + uses[from] / kScanned;
      Add(Times(nest_[from] - ends, way));
    }
  }

  // Counts the checks of values: they must be defined in blocks that dominate their uses, in the
  // graph without merge edges. The validator also sorts the predecessors of a block for each of its
  // phis.
  void Values() {
    uint64_t in = 0, out = 0;
    std::vector<uint64_t> edges(n_, 0);
    for (const auto& [from, to] : plain_) {
      if (to < n_) ++edges[to];
    }
    for (uint32_t b = 0; b < n_; ++b) {
      in += Times(f_.blocks[b].uses, plain_tree_.depth[b]);
      out += Times(f_.blocks[b].used, plain_tree_.depth[b]);
      Add(Times(f_.blocks[b].phis, edges[b] * kPhiEdge));
    }
    for (uint32_t label : f_.phi_parents) {
      if (const uint32_t b = Block(label); b != kNone) in += plain_tree_.depth[b];
    }
    Add(in > out ? in - out : 0);
  }

  const FlowFunction& f_;
  const uint32_t n_;
  const uint64_t most_;
  uint64_t steps_ = 0, nesting_ = 0;
  absl::flat_hash_map<uint32_t, uint32_t> block_;      // by label; the first of equal labels
  std::vector<uint32_t> merge_, continue_, merge_of_;  // by header; by merge block
  Edges plain_, structural_;  // from node n_ all blocks are reachable, from all of them n_ + 1
  Tree plain_tree_, tree_, post_tree_;
  std::vector<uint32_t> pre_, size_, nest_;
  std::vector<uint64_t> walk_, post_walk_, edges_in_;
};

}  // namespace

FlowCost CostOfFlow(const FlowFunction& function, uint64_t most) {
  return Meter(function, most).Run();
}

}  // namespace kiln::front
