#include "core/amd/optimise/pair_words.h"

#include "core/amd/optimise/apply_pairs.h"
#include "core/amd/optimise/packed_form.h"
#include "core/amd/optimise/plan_pairs.h"

namespace kiln::amd {

bool PairWords(const lir::Machine& machine, lir::Function& f,
               const std::function<bool()>& may_rewrite) {
  const auto has_word = [&](lir::InstId id) {
    return IsHighToLow(f, id) || IsPack(f, id) || HasPackedForm(f.inst(id).op);
  };
  if (!lir::AnyInst(f, has_word)) return false;
  const lir::DefUse info = lir::FindDefUse(f);
  const Readers readers(f);
  const PairPlan plan = PlanPairs(machine, f, info, readers, may_rewrite);
  return ApplyPairs(machine, f, plan, info, readers, may_rewrite);
}

}  // namespace kiln::amd
