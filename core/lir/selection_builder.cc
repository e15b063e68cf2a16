#include "core/lir/selection_builder.h"

#include <cassert>

namespace kiln::lir {

void SelectionBuilder::EnterTail() {
  const BlockId jumped = block();
  const BlockId tail = NewBlock();
  AddPhysicalEdge(jumped, tail);
  Enter(tail);
}

SelectionBuilder::IfBlocks SelectionBuilder::NewIf(bool has_else) {
  IfBlocks blocks;
  blocks.then_block = NewBlock();
  if (has_else) blocks.else_block = NewBlock();
  blocks.join = NewBlock();
  AddEdge(block(), blocks.then_block);
  AddEdge(block(), blocks.other());
  return blocks;
}

InstId SelectionBuilder::Emit(uint16_t op, const InstFields& fields, absl::Span<const Operand> defs,
                              absl::Span<const Operand> uses) {
  if (!in_prologue_) return Builder::Emit(op, fields, defs, uses);
  prologue_.push_back(MakeInst(function(), op, fields, defs, uses));
  return prologue_.back();
}

void SelectionBuilder::SortBlocks() {
  Function& f = function();
  assert(layout_.size() == f.blocks.size());
  std::vector<BlockId> place(f.blocks.size());
  std::vector<Block> sorted;
  sorted.reserve(f.blocks.size());
  for (size_t i = 0; i < layout_.size(); ++i) {
    place[layout_[i].index] = BlockId(i);
    sorted.push_back(std::move(f.blocks[layout_[i].index]));
  }
  for (Block& block : sorted) {
    for (Edge& e : block.succs) e.to = place[e.to.index];
    for (BlockId& b : block.physical_succs) b = place[b.index];
  }
  if (f.exit_block.valid()) f.exit_block = place[f.exit_block.index];
  f.blocks = std::move(sorted);
}

void SelectionBuilder::Finish() {
  assert(!in_prologue_);
  SortBlocks();
  std::vector<InstId>& first = function().blocks[0].insts;
  first.insert(first.begin(), prologue_.begin(), prologue_.end());
}

}  // namespace kiln::lir
