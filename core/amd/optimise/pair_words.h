// Computes two operations of 16 bits by one packed instruction (VOP3P).
#ifndef KILN_CORE_AMD_OPTIMISE_PAIR_WORDS_H_
#define KILN_CORE_AMD_OPTIMISE_PAIR_WORDS_H_

#include <functional>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::amd {

// In and out: SSA. Pairs sums, products, multiply-adds, minima, maxima and shifts of words, and the
// parameters of blocks that carry them, where that saves instructions; results keep every bit.
// Readers of high words read them in place (op_sel, SDWA, stores of the high word) where all of
// them can. Leaves dead instructions. `may_rewrite` is asked before each change of its own, and no
// is respected. Returns true if anything changed. Linear.
bool PairWords(const lir::Machine& machine, lir::Function& f,
               const std::function<bool()>& may_rewrite);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_PAIR_WORDS_H_
