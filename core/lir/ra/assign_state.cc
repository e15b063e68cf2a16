#include "core/lir/ra/assign_state.h"

namespace kiln::lir::ra {

AssignInput::AssignInput(const Machine& machine, const Function& function, const Liveness& liveness,
                         const std::vector<ValueInfo>& infos, Order o)
    : t(machine), f(function), live(liveness), values(infos), order(o), preds(f.blocks.size()) {
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    for (const Edge& e : f.blocks[b].succs) preds[e.to.index].push_back(BlockId(b));
  }
}

void AssignInput::AddMoves(ValueId v, uint32_t to, uint32_t from, uint32_t n, bool no_mask,
                           std::vector<Move>* moves) const {
  if (to == from) return;
  const bool uniform = IsWhole(t, f.value(v));
  while (n != 0) {
    uint32_t step = info(v).per_comp;
    if (uniform) {
      step = t.pools[info(v).pool].copy_units;
      while (step > n || to % step != 0 || from % step != 0) step /= 2;
    }
    const uint32_t alignment = uniform ? step : info(v).alignment;
    moves->push_back({to, from, step, alignment, no_mask, v.index});
    to += step;
    from += step;
    n -= step;
  }
}

}  // namespace kiln::lir::ra
