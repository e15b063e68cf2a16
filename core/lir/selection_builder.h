// A builder for instruction selection, which names a block before it fills it, and finds only on
// its way what the start of the program has to compute.
//
// Selection walks structured code once: it makes the blocks of a construct when it comes to its
// head, enters them in the order of the layout, and puts code that runs once (constants, addresses,
// values of the launch) in front of all. Finish brings blocks and prologue into their places.
#ifndef KILN_CORE_LIR_SELECTION_BUILDER_H_
#define KILN_CORE_LIR_SELECTION_BUILDER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/build.h"

namespace kiln::lir {

class SelectionBuilder : public Builder {
 public:
  using Builder::Builder;

  // ---- blocks
  // Makes a block at the present depth of loops. Its place in the layout is where it is entered.
  BlockId NewBlock() { return Builder::NewBlock(loop_depth_); }
  void BeginLoop() { ++loop_depth_; }
  void EndLoop() { --loop_depth_; }
  // Makes the block the current one, and the next of the layout. Each block is entered once.
  void Enter(BlockId block) {
    SetBlock(block);
    layout_.push_back(block);
  }
  // Enters a new block behind a jump of the current block that lanes took and the thread did not:
  // it goes on there without them.
  void EnterTail();

  struct IfBlocks {
    BlockId then_block;
    BlockId else_block;  // invalid: there is no else side
    BlockId join;
    BlockId other() const { return else_block.valid() ? else_block : join; }
  };
  // Makes the blocks of an if whose head is the current block, with the edges from there.
  IfBlocks NewIf(bool has_else);

  // ---- instructions
  // While an object is alive, instructions go to the start of the program.
  class Prologue {
   public:
    explicit Prologue(SelectionBuilder& b) : b_(b), outer_(std::exchange(b.in_prologue_, true)) {}
    ~Prologue() { b_.in_prologue_ = outer_; }
    Prologue(const Prologue&) = delete;

   private:
    SelectionBuilder& b_;
    const bool outer_;
  };

  // Appends an instruction to the current block, or to the prologue.
  InstId Emit(uint16_t op, const InstFields& fields, absl::Span<const Operand> defs,
              absl::Span<const Operand> uses);
  InstId Emit(uint16_t op, const InstFields& fields, std::initializer_list<Operand> defs,
              std::initializer_list<Operand> uses) {
    return Emit(op, fields, absl::Span<const Operand>(defs.begin(), defs.size()),
                absl::Span<const Operand>(uses.begin(), uses.size()));
  }

  // Sorts the blocks into the layout and puts the prologue in front of the first one. Ends the
  // building: block ids from before are invalid. Linear.
  void Finish();

 private:
  void SortBlocks();

  uint16_t loop_depth_ = 0;
  std::vector<BlockId> layout_;  // in the order of Enter
  std::vector<InstId> prologue_;
  bool in_prologue_ = false;
};

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_SELECTION_BUILDER_H_
