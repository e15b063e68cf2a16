#include "core/lir/def_use.h"

namespace kiln::lir {

DefUse FindDefUse(const Function& f) {
  DefUse d;
  d.def.resize(f.values.size());
  d.uses.resize(f.values.size());
  d.block.resize(f.insts.size());
  const auto use = [&](const Operand& o) {
    if (IsValue(o)) ++d.uses[o.id];
  };
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    for (InstId id : f.blocks[b].insts) {
      d.block[id.index] = BlockId(b);
      for (const Operand& o : f.defs(id)) {
        if (IsValue(o)) d.def[o.id] = id;
      }
      for (const Operand& o : f.uses(id)) use(o);
    }
    for (const Edge& e : f.blocks[b].succs) {
      for (const Operand& o : f.args(e)) use(o);
    }
  }
  return d;
}

}  // namespace kiln::lir
