#include "core/intel/messages/flag_room.h"

#include <algorithm>

#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

constexpr int kGranuleLanes = 16;

}  // namespace

FlagRoom::FlagRoom(const lir::Function& f, uint32_t granules)
    : f_(f),
      granules_(granules),
      each_((f.dispatch_width + kGranuleLanes - 1) / kGranuleLanes),
      spans_(f.values.size()) {
  std::vector<bool> crosses(f.values.size());
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const std::vector<lir::InstId>& insts = f.blocks[b].insts;
    for (uint32_t i = 0; i < insts.size(); ++i) {
      for (const lir::Operand& o : f.uses(insts[i])) {
        if (!IsFlag(f, o)) continue;
        spans_[o.id].last = i;
        if (spans_[o.id].block != lir::BlockId(b)) crosses[o.id] = true;
      }
      for (const lir::Operand& o : f.defs(insts[i])) {
        if (IsFlag(f, o)) spans_[o.id] = {lir::BlockId(b), i, i};
      }
    }
  }
  for (size_t v = 0; v < crosses.size(); ++v) {
    if (!crosses[v]) continue;
    crossing_ += each_;
    spans_[v].block = lir::BlockId();  // counted
  }
}

void FlagRoom::Enter(lir::BlockId block) {
  const std::vector<lir::InstId>& insts = f_.block(block).insts;
  std::vector<uint32_t> ends(insts.size() + 1, 0);
  taken_.assign(insts.size(), 0);
  uint32_t live = crossing_;
  for (size_t i = 0; i < insts.size(); ++i) {
    live -= ends[i];
    for (const lir::Operand& o : f_.defs(insts[i])) {
      if (!IsFlag(f_, o) || !spans_[o.id].block.valid()) continue;
      live += each_;
      ends[spans_[o.id].last + 1] += each_;
    }
    taken_[i] = live;
  }
}

bool FlagRoom::Double(lir::ValueId flag) {
  const Span& span = spans_[flag.index];
  if (!span.block.valid()) return false;
  const auto first = taken_.begin() + span.first, last = taken_.begin() + span.last + 1;
  if (std::any_of(first, last, [&](uint32_t n) { return n + each_ > granules_; })) return false;
  std::for_each(first, last, [&](uint32_t& n) { n += each_; });
  return true;
}

}  // namespace kiln::intel
