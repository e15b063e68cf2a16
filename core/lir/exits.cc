#include "core/lir/exits.h"

namespace kiln::lir {

bool ReadsForAllLanes(const Machine& t, const Function& f, InstId i, const Operand& use) {
  if (!IsValue(use)) return false;
  return (f.inst(i).flags & kNoMask) || !t.files[f.value(use.value()).file].masked_writes;
}

std::vector<Operand> NeededAtExits(const Machine& t, const Function& f) {
  std::vector<Operand> needed;
  if (!f.exit_block.valid()) return needed;
  const Block& exit = f.block(f.exit_block);
  std::vector<char> own(f.values.size(), 0);
  for (ValueId p : exit.params) own[p.index] = 1;
  for (InstId i : exit.insts) {
    for (const Operand& o : f.uses(i)) {
      if (ReadsForAllLanes(t, f, i, o) && !own[o.id]) needed.push_back(o);
    }
    for (const Operand& o : f.defs(i)) {
      if (IsValue(o)) own[o.id] = 1;
    }
  }
  return needed;
}

}  // namespace kiln::lir
