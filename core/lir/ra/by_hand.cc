#include "core/lir/ra/by_hand.h"

#include <vector>

#include "core/lir/parse.h"
#include "core/lir/ra/check.h"

namespace kiln::lir::ra {

Function TakeInserted(Function* done) {
  std::vector<Inst> insts;
  std::vector<InstId> now(done->insts.size());
  for (const bool inserted : {false, true}) {
    for (size_t k = 0; k < done->insts.size(); ++k) {
      if (((done->insts[k].flags & kInsertedCopy) != 0) != inserted) continue;
      now[k] = InstId(insts.size());
      insts.push_back(done->insts[k]);
    }
  }
  done->insts = insts;
  Function ssa;
  for (Block& b : done->blocks) {
    for (InstId& i : b.insts) i = now[i.index];
  }
  ssa = *done;
  const auto is_inserted = [&](InstId i) { return (done->inst(i).flags & kInsertedCopy) != 0; };
  std::erase_if(ssa.insts, [](const Inst& in) { return (in.flags & kInsertedCopy) != 0; });
  for (Block& b : ssa.blocks) std::erase_if(b.insts, is_inserted);
  std::erase_if(ssa.reserved,
                [](const Reserved& r) { return r.spilled_pool != Reserved::kNoPool; });
  return ssa;
}

absl::Status CheckByHand(const Machine& machine, const std::string& text) {
  auto done = Parse(machine, text);
  if (!done.ok()) return absl::InvalidArgumentError(done.status().message());
  const Function ssa = TakeInserted(&*done);
  return CheckAllocation(machine, ssa, *done);
}

}  // namespace kiln::lir::ra
