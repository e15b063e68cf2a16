// Marks dead instructions, in program order and from each to the definitions that only it used;
// then takes them out of their blocks.
#include "core/lir/remove_dead.h"

#include <algorithm>
#include <vector>

namespace kiln::lir {
namespace {

bool IsDead(absl::Span<const OpInfo> ops, const Function& f, const DefUse& info, InstId id) {
  constexpr uint32_t kKept = kOpSideEffect | kOpTerminator | kOpBarrier;
  if ((ops[f.inst(id).op].flags & kKept) != 0) return false;
  const auto defs = f.defs(id);
  return std::none_of(defs.begin(), defs.end(),
                      [&](const Operand& d) { return IsValue(d) && info.uses[d.id] != 0; });
}

}  // namespace

bool RemoveDead(absl::Span<const OpInfo> ops, Function& f, DefUse& info,
                const std::function<bool()>& may_rewrite) {
  std::vector<bool> dead(f.insts.size());
  std::vector<InstId> work;
  const auto visit = [&](InstId id) {
    if (dead[id.index] || !IsDead(ops, f, info, id) || !may_rewrite()) return;
    dead[id.index] = true;
    work.push_back(id);
  };
  for (const Block& block : f.blocks) {
    for (InstId id : block.insts) visit(id);
  }
  if (work.empty()) return false;
  while (!work.empty()) {
    const InstId id = work.back();
    work.pop_back();
    for (const Operand& o : f.uses(id)) {
      if (IsValue(o) && --info.uses[o.id] == 0 && info.def[o.id].valid()) visit(info.def[o.id]);
    }
  }
  for (Block& block : f.blocks) {
    block.insts.erase(std::remove_if(block.insts.begin(), block.insts.end(),
                                     [&](InstId id) { return dead[id.index]; }),
                      block.insts.end());
  }
  return true;
}

}  // namespace kiln::lir
