#include "core/front/plan/cfg.h"

#include <algorithm>
#include <utility>

#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMaxLoopDepth = 256;
// Exits remembered for each subtree. With more, always_jumps is false, which only makes the output
// less tidy.
constexpr size_t kMaxExits = 64;

class CfgBuilder {
 public:
  CfgBuilder(const SpirvModule& module, const SpirvFunction& function, Cfg& cfg)
      : m_(module), f_(function), cfg_(cfg), blocks_(cfg.blocks) {}

  absl::Status Run();

 private:
  absl::Status Successors();
  absl::Status AddTarget(CfgBlock& from, uint32_t label);
  void DepthFirst();
  absl::Status LoopNest();
  absl::Status CollectLoop(uint32_t header);
  uint32_t FindLoop(uint32_t b);
  bool InNaturalLoop(uint32_t b, uint32_t header) const;
  absl::Status Tree();
  void Attach(uint32_t b, uint32_t parent);
  uint32_t CommonAncestor(uint32_t a, uint32_t b) const;
  bool IsAncestor(uint32_t a, uint32_t b) const { return CommonAncestor(a, b) == a; }
  void Number();
  absl::Status CheckBackEdges();
  void Jumps();
  bool Returns(uint32_t b) const;
  void ArrangeOnlyBlock();

  const SpirvModule& m_;
  const SpirvFunction& f_;
  Cfg& cfg_;
  std::vector<CfgBlock>& blocks_;
  std::vector<BlockList> predecessors_;                    // forward
  std::vector<std::pair<uint32_t, uint32_t>> back_edges_;  // latch, header
  std::vector<BlockList> latches_;
  std::vector<uint32_t> nest_;      // innermost natural loop's header (a header: itself)
  std::vector<uint32_t> outer_;     // header: header of the loop around it
  std::vector<uint32_t> collapse_;  // union-find of LoopNest
  std::vector<uint32_t> depth_;     // in the tree; the entry is 1
  std::vector<uint32_t> jump_;      // skew-binary jump pointers for CommonAncestor
  std::vector<uint32_t> merge_of_;  // loop header that declares this block its merge, or none
  std::vector<BlockList> children_;
};

absl::Status CfgBuilder::AddTarget(CfgBlock& from, uint32_t label) {
  const SpirvDef& def = m_.Def(label);
  if (def.kind != SpirvDef::kLabel || def.index < f_.first_block || def.index >= f_.end_block) {
    return Invalid("branch to an id that is not a block of the function", label);
  }
  const uint32_t target = def.index - f_.first_block;
  if (target == 0) return Invalid("branch to the entry block", label);
  from.successors.push_back(target);
  return absl::OkStatus();
}

absl::Status CfgBuilder::Successors() {
  for (uint32_t b = 0; b < blocks_.size(); ++b) {
    const SpirvBlock& block = m_.blocks[f_.first_block + b];
    if (block.first == block.end) return Invalid("empty block", block.label);
    const SpirvInst inst = m_.Inst(m_.body_offsets[block.end - 1]);
    absl::Status status = absl::OkStatus();
    CfgBlock& from = blocks_[b];
    if (inst.op == spv::Op::OpBranch) {
      status = AddTarget(from, inst.operand(1));
    } else if (inst.op == spv::Op::OpBranchConditional) {
      status = AddTarget(from, inst.operand(2));
      if (status.ok()) status = AddTarget(from, inst.operand(3));
    } else if (inst.op == spv::Op::OpSwitch) {
      status = AddTarget(from, inst.operand(2));
      const size_t literal = m_.SwitchLiteralWords(inst);
      for (size_t i = 3 + literal; i < inst.size() && status.ok(); i += literal + 1) {
        status = AddTarget(from, inst.operand(i));
      }
    }
    if (!status.ok()) return status;
    const bool is_switch = inst.op == spv::Op::OpSwitch;
    const uint32_t otherwise = is_switch ? from.successors.front() : kNoBlock;
    std::sort(from.successors.begin(), from.successors.end());
    from.successors.erase(std::unique(from.successors.begin(), from.successors.end()),
                          from.successors.end());
    if (is_switch && from.successors.size() > kComparedCases) blocks_[otherwise].many_edges = true;
  }
  return absl::OkStatus();
}

// Reverse postorder, forward predecessors and back edges, without recursion.
void CfgBuilder::DepthFirst() {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(blocks_.size(), kNew);
  std::vector<std::pair<uint32_t, size_t>> stack = {{0, 0}};
  std::vector<uint32_t> postorder;
  state[0] = kOpen;
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    const BlockList& successors = blocks_[b].successors;
    if (next == successors.size()) {
      state[b] = kDone;
      postorder.push_back(b);
      stack.pop_back();
      continue;
    }
    // Visits the last successor first, so that the reversed postorder keeps the order of the
    // source.
    const uint32_t s = successors[successors.size() - 1 - next++];
    if (state[s] == kOpen) {
      back_edges_.push_back({b, s});
      continue;
    }
    predecessors_[s].push_back(b);
    if (state[s] == kNew) {
      state[s] = kOpen;
      stack.push_back({s, 0});
    }
  }
  cfg_.by_order.assign(postorder.rbegin(), postorder.rend());
  for (uint32_t i = 0; i < cfg_.by_order.size(); ++i) {
    blocks_[cfg_.by_order[i]].order = i;
    blocks_[cfg_.by_order[i]].reachable = true;
  }
  for (const auto& [latch, header] : back_edges_) {
    blocks_[header].loop_header = true;
    latches_[header].push_back(latch);
  }
}

uint32_t CfgBuilder::FindLoop(uint32_t b) {
  while (collapse_[b] != b) {
    collapse_[b] = collapse_[collapse_[b]];
    b = collapse_[b];
  }
  return b;
}

absl::Status CfgBuilder::CollectLoop(uint32_t header) {
  std::vector<uint32_t> work;
  for (uint32_t latch : latches_[header]) work.push_back(latch);
  while (!work.empty()) {
    const uint32_t b = FindLoop(work.back());
    work.pop_back();
    if (b == header) continue;
    if (blocks_[b].order < blocks_[header].order) {
      return Invalid("irreducible control flow", m_.blocks[f_.first_block + header].label);
    }
    collapse_[b] = header;
    if (blocks_[b].loop_header) outer_[b] = header;
    if (nest_[b] == kNoBlock) nest_[b] = header;
    for (uint32_t p : predecessors_[b]) work.push_back(p);
  }
  return absl::OkStatus();
}

absl::Status CfgBuilder::LoopNest() {
  for (uint32_t b = 0; b < blocks_.size(); ++b) collapse_[b] = b;
  for (auto it = cfg_.by_order.rbegin(); it != cfg_.by_order.rend(); ++it) {
    if (!blocks_[*it].loop_header) continue;
    nest_[*it] = *it;
    const absl::Status status = CollectLoop(*it);
    if (!status.ok()) return status;
  }
  std::vector<uint32_t> depth(blocks_.size(), 0);
  for (uint32_t b : cfg_.by_order) {
    if (!blocks_[b].loop_header) continue;
    depth[b] = outer_[b] == kNoBlock ? 1 : depth[outer_[b]] + 1;
    if (depth[b] > kMaxLoopDepth) {
      return Refused("nesting_too_deep", {"nested loops", depth[b], kMaxLoopDepth},
                     m_.blocks[f_.first_block + b].label);
    }
  }
  return absl::OkStatus();
}

bool CfgBuilder::InNaturalLoop(uint32_t b, uint32_t header) const {
  for (uint32_t h = nest_[b]; h != kNoBlock; h = outer_[h]) {
    if (h == header) return true;
  }
  return false;
}

void CfgBuilder::Attach(uint32_t b, uint32_t parent) {
  blocks_[b].parent = parent;
  depth_[b] = depth_[parent] + 1;
  const uint32_t j = jump_[parent];
  jump_[b] = depth_[parent] - depth_[j] == depth_[j] - depth_[jump_[j]] ? jump_[j] : parent;
}

uint32_t CfgBuilder::CommonAncestor(uint32_t a, uint32_t b) const {
  if (depth_[a] < depth_[b]) std::swap(a, b);
  while (depth_[a] > depth_[b]) a = depth_[jump_[a]] >= depth_[b] ? jump_[a] : blocks_[a].parent;
  while (a != b) {
    if (jump_[a] != jump_[b]) {
      a = jump_[a];
      b = jump_[b];
    } else {
      a = blocks_[a].parent;
      b = blocks_[b].parent;
    }
  }
  return a;
}

absl::Status CfgBuilder::Tree() {
  for (uint32_t b : cfg_.by_order) {
    const SpirvBlock& block = m_.blocks[f_.first_block + b];
    if (block.continue_target == 0 || !blocks_[b].loop_header) continue;
    const SpirvDef& def = m_.Def(block.merge);
    if (def.kind != SpirvDef::kLabel || def.index < f_.first_block || def.index >= f_.end_block) {
      return Invalid("merge block is not a block of the function", block.merge);
    }
    merge_of_[def.index - f_.first_block] = b;
  }
  depth_[0] = 1;
  jump_[0] = 0;
  for (uint32_t b : cfg_.by_order) {
    if (b == 0) continue;
    uint32_t parent = predecessors_[b][0];
    for (uint32_t p : predecessors_[b]) parent = CommonAncestor(parent, p);
    CfgBlock& block = blocks_[b];
    block.label = predecessors_[b].size() > 1 || block.many_edges;
    const uint32_t header = merge_of_[b];
    if (header != kNoBlock && blocks_[header].order < block.order && depth_[header] != 0 &&
        IsAncestor(header, parent)) {
      parent = header;
      block.label = true;
    }
    Attach(b, parent);
    block.outside = block.label && blocks_[parent].loop_header && !InNaturalLoop(b, parent);
    if (block.label) {
      (block.outside ? blocks_[parent].outside_labels : blocks_[parent].labels).push_back(b);
    }
    children_[parent].push_back(b);
  }
  return absl::OkStatus();
}

// Numbers blocks in preorder, those outside a loop after those inside, and finds the innermost
// emitted loop of each.
void CfgBuilder::Number() {
  for (uint32_t b : cfg_.by_order) {
    std::stable_partition(children_[b].begin(), children_[b].end(),
                          [this](uint32_t c) { return !blocks_[c].outside; });
  }
  uint32_t number = 0;
  std::vector<std::pair<uint32_t, size_t>> stack = {{0, 0}};
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    CfgBlock& block = blocks_[b];
    if (next == 0) {
      block.pre = number++;
      cfg_.by_preorder.push_back(b);
    }
    if (next < children_[b].size() && blocks_[children_[b][next]].outside &&
        block.inside_end == 0) {
      block.inside_end = number;
    }
    if (next == children_[b].size()) {
      block.end = number;
      if (block.inside_end == 0) block.inside_end = number;
      stack.pop_back();
      continue;
    }
    const uint32_t child = children_[b][next++];
    blocks_[child].loop = block.loop_header && !blocks_[child].outside ? b : block.loop;
    stack.push_back({child, 0});
  }
}

// A latch must lie inside the loop as it will be emitted.
absl::Status CfgBuilder::CheckBackEdges() {
  for (const auto& [latch, header] : back_edges_) {
    if (!cfg_.InLoop(latch, header)) {
      return Invalid("loop is not structured", m_.blocks[f_.first_block + header].label);
    }
  }
  return absl::OkStatus();
}

// Computes always_jumps: no edge from the subtree of b leads to a label that is outside the subtree
// yet inside the innermost loop around b. An edge is described by one number that grows with the
// depth at which its label is emitted, so that "outside the subtree" and "inside the loop" are an
// upper and a lower bound.
void CfgBuilder::Jumps() {
  using Keys = absl::InlinedVector<uint32_t, 4>;
  std::vector<Keys> exits(blocks_.size());  // sorted, distinct
  std::vector<bool> many(blocks_.size(), false);
  for (auto it = cfg_.by_preorder.rbegin(); it != cfg_.by_preorder.rend(); ++it) {
    const uint32_t b = *it;
    Keys& keys = exits[b];
    if (Returns(b)) keys.push_back(1);
    for (uint32_t s : blocks_[b].successors) {
      const CfgBlock& target = blocks_[s];
      const bool back = target.loop_header && target.order <= blocks_[b].order;
      if (back) {
        keys.push_back(2 * depth_[s]);
      } else if (target.label) {
        keys.push_back(2 * depth_[target.parent] + (target.outside ? 0 : 1));
      }
    }
    for (uint32_t c : children_[b]) {
      keys.insert(keys.end(), exits[c].begin(), exits[c].end());
      many[b] = many[b] || many[c];
      exits[c] = {};
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    keys.erase(std::lower_bound(keys.begin(), keys.end(), 2 * depth_[b]), keys.end());
    if (keys.size() > kMaxExits) {
      many[b] = true;
      keys.clear();
    }
    const uint32_t loop = blocks_[b].loop;
    const uint32_t floor = loop == kNoBlock ? 1 : 2 * depth_[loop] + 1;
    blocks_[b].always_jumps = !many[b] && (keys.empty() || keys.back() < floor);
  }
}

bool CfgBuilder::Returns(uint32_t b) const {
  const SpirvBlock& block = m_.blocks[f_.first_block + b];
  const spv::Op op = m_.Inst(m_.body_offsets[block.end - 1]).op;
  return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

// Most small functions have one block, which has no successors: what the steps for more would give.
void CfgBuilder::ArrangeOnlyBlock() {
  CfgBlock& block = blocks_[0];
  block.reachable = true;
  block.inside_end = block.end = 1;
  block.always_jumps = !Returns(0);
  cfg_.by_order = cfg_.by_preorder = {0};
}

absl::Status CfgBuilder::Run() {
  const size_t n = f_.end_block - f_.first_block;
  blocks_.resize(n);
  if (n == 1) {
    const absl::Status single = Successors();
    if (single.ok()) ArrangeOnlyBlock();
    return single;
  }
  predecessors_.resize(n);
  latches_.resize(n);
  children_.resize(n);
  nest_.assign(n, kNoBlock);
  outer_.assign(n, kNoBlock);
  merge_of_.assign(n, kNoBlock);
  collapse_.resize(n);
  depth_.assign(n, 0);
  jump_.assign(n, 0);
  absl::Status status = Successors();
  if (!status.ok()) return status;
  DepthFirst();
  status = LoopNest();
  if (status.ok()) status = Tree();
  if (!status.ok()) return status;
  Number();
  status = CheckBackEdges();
  if (status.ok()) Jumps();
  return status;
}

}  // namespace

absl::StatusOr<Cfg> BuildCfg(const SpirvModule& module, const SpirvFunction& function) {
  Cfg cfg;
  if (function.first_block == function.end_block) {
    return Refused("import_linkage", "call of a function without a body", function.id);
  }
  const absl::Status status = CfgBuilder(module, function, cfg).Run();
  if (!status.ok()) return status;
  return cfg;
}

}  // namespace kiln::front
