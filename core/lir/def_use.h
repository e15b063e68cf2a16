// Definitions and use counts of an SSA function. Building them is linear.
#ifndef KILN_CORE_LIR_DEF_USE_H_
#define KILN_CORE_LIR_DEF_USE_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::lir {

struct DefUse {
  std::vector<InstId> def;     // by value; invalid for parameters, live-ins
  std::vector<uint32_t> uses;  // by value: operands of instructions and edges that name it
  std::vector<BlockId> block;  // by instruction; invalid if it is in no block

  const InstId* DefOf(const Operand& o) const {
    if (!IsValue(o) || !def[o.id].valid()) return nullptr;
    return &def[o.id];
  }
};

DefUse FindDefUse(const Function& f);

// Returns true if test(InstId) holds for some instruction. A pass that looks for a certain form
// need not find definitions and uses if no instruction has that form.
template <class Test>
bool AnyInst(const Function& f, Test&& test) {
  for (const Block& block : f.blocks) {
    for (InstId id : block.insts) {
      if (test(id)) return true;
    }
  }
  return false;
}

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_DEF_USE_H_
