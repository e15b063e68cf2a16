#include "core/lir/ra/assign_promises.h"

#include <algorithm>
#include <utility>

namespace kiln::lir::ra {

void Promises::Enter() {
  if (in_.order != Order::kPromised || in_.live.waits(here_.block).empty()) return;
  begin_.clear();
  in_.live.parked(here_.block).for_each([&](size_t g) {
    const ValueId v = in_.live.slot_value(in_.live.global_slot(static_cast<uint32_t>(g)));
    if (at_.now[v.index] != kNowhere || std::exchange(asked_[v.index], 1)) return;
    begin_.push_back(v);
  });
  std::stable_sort(begin_.begin(), begin_.end(),
                   [&](ValueId a, ValueId b) { return in_.info(a).written > in_.info(b).written; });
  for (ValueId v : begin_) Promise(v);
}

uint32_t Promises::Redeem(ValueId v) {
  const uint32_t reg = std::exchange(at_.promise[v.index], kNowhere);
  if (reg != kNowhere) live_.pool(v).promised.erase(reg, in_.info(v).written);
  return reg;
}

void Promises::Promise(ValueId v) {
  Pool& pool = live_.pool(v);
  if (pool.always_masked) return;  // writes never reach lanes that wait
  PlaceSearch::Query s = search_.Start(v);
  // The lanes that wait with it hold these as well.
  s.barred |= pool.parked.all();
  s.barred |= pool.promised;
  // Parameters are written at the end of all predecessors.
  const BlockId b = in_.info(v).def_block;
  const std::vector<ValueId>& params = in_.f.block(b).params;
  if (std::find(params.begin(), params.end(), v) != params.end()) {
    s.barred |= live_.FindParked(in_.preds[b.index])[in_.info(v).pool].all();
  }
  const uint32_t hint = at_.hint[v.index];
  const uint32_t reg = search_.Fits(s, hint) ? hint : search_.Find(s);
  if (reg == kNowhere) return;
  at_.promise[v.index] = reg;
  pool.promised.insert(reg, in_.info(v).written);
}

}  // namespace kiln::lir::ra
