#include "core/mid/arrays/unroll_array_loops.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mid/analysis/loop_analysis.h"
#include "core/mid/analysis/value_lives.h"
#include "core/mid/arrays/array_loops.h"
#include "core/mid/arrays/promote_private_arrays.h"
#include "core/mid/budgets.h"
#include "core/mid/control/remove_dead_control_flow.h"
#include "core/mid/loops/merge_carried_values.h"
#include "core/mid/loops/narrow_carried_values.h"
#include "core/mid/loops/unroll_loops.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Module;

int64_t ArraysAccessed(const Module& module) {
  std::vector<bool> accessed(module.private_arrays.size());
  mir::ForEachInst(module, module.body, [&](mir::InstId id) {
    const mir::Inst& inst = module.inst(id);
    if (AccessesPrivateArray(inst.op)) accessed[inst.imm0] = true;
  });
  return std::count(accessed.begin(), accessed.end(), true);
}

// Returns false if the trial must stop.
bool GoesOn(const Module& tried, const PassContext& context) {
  return !context.Cancelled() && mir::CountInstructions(tried) <= budgets::kTriedInstructions;
}

// Runs the passes that would follow, as far as they affect arrays and registers.
absl::Status Settle(Module& module, PassContext& context) {
  constexpr std::pair<std::string_view, absl::StatusOr<bool> (*)(Module&, PassContext&)> kPasses[] =
      {{"unroll_loops", UnrollLoops},
       {"promote_private_arrays", PromotePrivateArrays},
       {"remove_dead_control_flow", RemoveDeadControlFlow},
       {"simplify", Simplify},
       {"merge_equal_values", MergeEqualValues},
       {"merge_carried_values", MergeCarriedValues},
       {"narrow_carried_values", NarrowCarriedValues},
       {"remove_dead_code", RemoveDeadCode}};
  bool again = true;
  for (int turn = 0; turn < budgets::kTurnsAfterNest && again; ++turn) {
    again = false;
    for (const auto& [name, pass] : kPasses) {
      const absl::StatusOr<bool> changed = context.RunOptional(name, pass, module);
      if (!changed.ok()) return changed.status();
      again = again || *changed;
      if (!GoesOn(module, context)) return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> UnrollArrayLoops(Module& module, PassContext& context) {
  if (module.private_arrays.empty() || mir::CountInstructions(module) > budgets::kTrialInstructions)
    return false;
  std::vector<UnrollableLoop> loops = LoopsThatKeepArrays(module);
  if (loops.empty()) return false;
  const uint32_t spirv_id = module.inst(loops.front().loop).spirv_id;
  Module tried = module;
  for (int i = 0; i < budgets::kArrayNests && !loops.empty(); ++i) {
    if (!UnrollTheseLoops(tried, loops, context)) break;
    if (absl::Status s = Settle(tried, context); !s.ok()) return s;
    if (!GoesOn(tried, context)) return false;
    loops = LoopsThatKeepArrays(tried);
  }
  // Arrays that can be freed without this already are: promote_private_arrays runs before.
  if (ArraysAccessed(tried) >= ArraysAccessed(module)) return false;
  const int64_t live = ValueLives(tried).MostDwords();
  if (live > budgets::kLiveDwords) {
    context.Remark("array_kept", spirv_id,
                   absl::StrCat("with its loops unrolled ", live,
                                " dwords per lane are live at once; at most ", budgets::kLiveDwords,
                                " are allowed"));
    return false;
  }
  module = std::move(tried);
  return true;
}

}  // namespace kiln::mid
