// Lets sums and products of singles read halves (v_fma_mix_f32).
#ifndef KILN_CORE_AMD_OPTIMISE_MIX_WORDS_H_
#define KILN_CORE_AMD_OPTIMISE_MIX_WORDS_H_

#include <functional>

#include "core/lir/lir.h"

namespace kiln::amd {

// In and out: SSA. Replaces conversions of halves to singles by their readers, if all of these are
// sums, products or multiply-adds of singles, and few: v_fma_mix_f32 converts on the way. Leaves
// dead conversions. Every bit of the results stays. `may_rewrite` is asked before each conversion,
// and no is respected. Returns true if anything changed. Linear.
bool MixWords(lir::Function& f, const std::function<bool()>& may_rewrite);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_MIX_WORDS_H_
