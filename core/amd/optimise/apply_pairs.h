// Writes out the packed instructions of a plan, and lets others read words where they are.
// Internal to this folder.
#ifndef KILN_CORE_AMD_OPTIMISE_APPLY_PAIRS_H_
#define KILN_CORE_AMD_OPTIMISE_APPLY_PAIRS_H_

#include <functional>

#include "core/amd/optimise/plan_pairs.h"

namespace kiln::amd {

// Replaces the instructions and parameters of each pair by one, words that are put together by the
// dword that has them, and shifts of high words by readers of these, if all can read them in place.
// `may_rewrite` is asked for what is no consequence of the plan. Returns true if anything changed.
// Instructions whose results lost their readers stay.
bool ApplyPairs(const lir::Machine& machine, lir::Function& f, const PairPlan& plan,
                const lir::DefUse& info, const Readers& readers,
                const std::function<bool()>& may_rewrite);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_APPLY_PAIRS_H_
