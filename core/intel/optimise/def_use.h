// Definitions and use counts of an SSA function, for the passes of this folder. Linear to build.
#ifndef KILN_CORE_INTEL_OPTIMISE_DEF_USE_H_
#define KILN_CORE_INTEL_OPTIMISE_DEF_USE_H_

#include <vector>

#include "core/lir/lir.h"

namespace kiln::intel {

struct DefUse {
  std::vector<lir::InstId> def;     // by value; invalid for parameters, live-ins
  std::vector<uint32_t> uses;       // by value: operands of instructions and edges that name it
  std::vector<lir::BlockId> block;  // by instruction; invalid if it stands nowhere

  const lir::InstId* DefOf(const lir::Operand& o) const {
    if (o.kind != lir::Operand::Kind::kValue || !def[o.id].valid()) return nullptr;
    return &def[o.id];
  }
};

DefUse FindDefUse(const lir::Function& f);

// Whether test(InstId) holds for some instruction: a pass that looks for some form need not ask who
// defines and uses what where nothing has that form.
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
