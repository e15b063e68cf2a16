// Removes instructions whose results have no uses.
#ifndef KILN_CORE_LIR_REMOVE_DEAD_H_
#define KILN_CORE_LIR_REMOVE_DEAD_H_

#include <functional>

#include "absl/types/span.h"
#include "core/lir/def_use.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

// In and out: SSA. An instruction goes if it has no effects, and none of its definitions a use; its
// sources may then be dead too. `may_rewrite` is asked before each, and no is respected. Parameters
// of blocks stay: the mid-end removed those without uses before selection.
//
// `ops`: the operations of the machine (Machine::ops). `info` is that of the function, and
// afterwards that of what is left, but for definitions and blocks of what went. Returns true if any
// went. Linear.
bool RemoveDead(absl::Span<const OpInfo> ops, Function& f, DefUse& info,
                const std::function<bool()>& may_rewrite);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_REMOVE_DEAD_H_
