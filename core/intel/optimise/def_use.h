// Definitions and use counts of an SSA function, for the passes of this folder. Building them is
// linear.
#ifndef KILN_CORE_INTEL_OPTIMISE_DEF_USE_H_
#define KILN_CORE_INTEL_OPTIMISE_DEF_USE_H_

#include <vector>

#include "core/lir/lir.h"

namespace kiln::intel {

struct DefUse {
  std::vector<lir::InstId> def;     // by value; invalid for parameters, live-ins
  std::vector<uint32_t> uses;       // by value: operands of instructions and edges that name it
  std::vector<lir::BlockId> block;  // by instruction; invalid if it is in no block

  const lir::InstId* DefOf(const lir::Operand& o) const {
    if (!IsValue(o) || !def[o.id].valid()) return nullptr;
    return &def[o.id];
  }
};

DefUse FindDefUse(const lir::Function& f);

// Returns true if test(InstId) holds for some instruction. A pass that looks for a certain form
// need not find definitions and uses if no instruction has that form.
template <class Test>
bool AnyInst(const lir::Function& f, Test&& test) {
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) {
      if (test(id)) return true;
    }
  }
  return false;
}

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_OPTIMISE_DEF_USE_H_
