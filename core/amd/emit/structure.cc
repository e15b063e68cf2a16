#include "core/amd/emit/structure.h"

#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"

namespace kiln::amd {
namespace {

// Returns the operation of a block that consists of it alone; kNumLirOps for others.
uint16_t OnlyOp(const lir::Function& f, size_t block) {
  if (block >= f.blocks.size() || f.blocks[block].insts.size() != 1) return kNumLirOps;
  return f.inst(f.blocks[block].insts[0]).op;
}

uint16_t TerminatorOp(const lir::Function& f, size_t block) {
  const lir::InstId last = TerminatorOf(f, block);
  return last.valid() ? f.inst(last).op : uint16_t{kNumLirOps};
}

bool LeavesAtOnce(const lir::Function& f, size_t block) {
  if (TerminatorOp(f, block) != kMaskIf) return false;
  const uint16_t leave = OnlyOp(f, block + 1);
  if (leave != kMaskBreak && leave != kMaskContinue) return false;
  // Its condition, if it had one, would not be the if's.
  if (!f.uses(f.blocks[block + 1].insts[0]).empty()) return false;
  return OnlyOp(f, block + 2) == kMaskEndif;
}

}  // namespace

lir::InstId TerminatorOf(const lir::Function& f, size_t block) {
  if (f.blocks[block].insts.empty()) return {};
  const lir::InstId last = f.blocks[block].insts.back();
  const bool ends = Gfx1030Machine().ops[f.inst(last).op].flags & lir::kOpTerminator;
  return ends ? last : lir::InstId();
}

Structure StructureOf(const lir::Function& f) {
  Structure s;
  const size_t blocks = f.blocks.size();
  s.continue_block.resize(blocks);
  s.leaves_at_once.resize(blocks);
  s.only_endif.resize(blocks);
  std::vector<size_t> loops;
  for (size_t b = 0; b < blocks; ++b) {
    s.leaves_at_once[b] = LeavesAtOnce(f, b);
    s.only_endif[b] = OnlyOp(f, b) == kMaskEndif;
    switch (TerminatorOp(f, b)) {
      case kMaskLoop: loops.push_back(b); break;
      case kMaskWhile:
        if (!loops.empty()) loops.pop_back();
        break;
      case kMaskContinue: {
        // The last edge is the one of the lanes that continue. Back to the head: they meet at the
        // mask_while.
        if (loops.empty() || f.blocks[b].succs.empty()) break;
        const lir::BlockId to = f.blocks[b].succs.back().to;
        if (to.index > b) s.continue_block[loops.back()] = to;
        break;
      }
      default: break;
    }
  }
  return s;
}

}  // namespace kiln::amd
