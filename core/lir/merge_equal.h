// Merges instructions that compute the same (value numbering).
#ifndef KILN_CORE_LIR_MERGE_EQUAL_H_
#define KILN_CORE_LIR_MERGE_EQUAL_H_

#include <functional>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

// In and out: SSA. An instruction goes if an equal one (operation, fields, side row, sources) is
// before it in its block or in a block that dominates it; uses of its definitions become uses of
// the other's. `may_rewrite` is asked before each, and no is respected.
//
// Left alone: what has effects, accesses memory that may change, or defines a value of a file with
// a save file (there is one register for it, so that living longer costs more than the
// instruction). Within a block only: constants (a copy or collect of them is cheaper than a
// register), and what depends on which lanes are on, of which a block keeps one set. Returns true
// if any went. Expected linear.
bool MergeEqual(const Machine& machine, Function& f, const std::function<bool()>& may_rewrite);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_MERGE_EQUAL_H_
