#include "core/intel/optimise/def_use.h"

namespace kiln::intel {

DefUse FindDefUse(const lir::Function& f) {
  DefUse d;
  d.def.resize(f.values.size());
  d.uses.resize(f.values.size());
  d.block.resize(f.insts.size());
  const auto use = [&](const lir::Operand& o) {
    if (IsValue(o)) ++d.uses[o.id];
  };
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    for (lir::InstId id : f.blocks[b].insts) {
      d.block[id.index] = lir::BlockId(b);
      for (const lir::Operand& o : f.defs(id)) {
        if (IsValue(o)) d.def[o.id] = id;
      }
      for (const lir::Operand& o : f.uses(id)) use(o);
    }
    for (const lir::Edge& e : f.blocks[b].succs) {
      for (const lir::Operand& o : f.args(e)) use(o);
    }
  }
  return d;
}

}  // namespace kiln::intel
