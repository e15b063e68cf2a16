#include "tests/diff/spirv_results.h"

#include <algorithm>

#include "core/mir/build.h"

namespace kiln::diff {

std::vector<mir::InstId> ResultsOf(const mir::Module& module, uint32_t spirv_id) {
  std::vector<mir::InstId> found;
  std::vector<bool> used(module.values.size());
  mir::ForEachInst(module, module.body, [&](mir::InstId id) {
    const mir::Inst& inst = module.inst(id);
    // The instruction that ends a region has no result and may keep the id of an earlier one.
    if (inst.spirv_id != spirv_id || inst.num_results != 1 || inst.num_regions != 0) return;
    for (mir::ValueId v : module.sources(id)) used[v.index] = true;
    if (mir::IsFloat(module.value(inst.first_result).type)) found.push_back(id);
  });
  const auto is_used = [&](mir::InstId id) { return used[module.result(id).index]; };
  found.erase(std::remove_if(found.begin(), found.end(), is_used), found.end());
  return found;
}

}  // namespace kiln::diff
