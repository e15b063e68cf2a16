#include "core/lir/schedule/order_pressure.h"

#include <algorithm>

namespace kiln::lir::schedule {

namespace {}  // namespace

OrderPressure::OrderPressure(const Machine& machine, const Function& f, const Liveness& live)
    : t_(machine), f_(f), live_(live), units_(machine, f, live), epoch_(live.num_slots(), 0) {}

// Walks upward; at `visit(k + 1)` units_ has the values live after instruction k together with its
// definitions, at visit(0) those live before the first.
template <class Visit>
void OrderPressure::Walk(BlockId b, const std::vector<InstId>& order, Visit&& visit) {
  ++now_;
  units_.Clear();
  // Values that only parked lanes hold, with which no other value may share registers.
  live_.parked(b).for_each([&](size_t g) {
    const uint32_t slot = live_.global_slot(static_cast<uint32_t>(g));
    const bool whole = IsWhole(t_, f_.value(live_.slot_value(slot)));
    if (whole && !live_.live_in(b).test(g)) units_.Add(slot);
  });
  held_ = units_.units();
  units_.Clear();
  live_.live_out(b).for_each([&](size_t g) { Need(live_.global_slot(static_cast<uint32_t>(g))); });
  for (const Edge& e : f_.block(b).succs) {
    for (const Operand& o : f_.args(e)) NeedAll(o);
  }
  if (order.empty()) return visit(0);
  for (size_t k = order.size(); k-- > 0;) {
    for (const Operand& o : f_.defs(order[k])) NeedAll(o);  // written even without uses
    visit(k + 1);
    for (const Operand& o : f_.defs(order[k])) End(o);
    for (const Operand& o : f_.uses(order[k])) NeedAll(o);
  }
  visit(0);
}

std::vector<uint32_t> OrderPressure::Peak(BlockId b, const std::vector<InstId>& order) {
  std::vector<int64_t> peak(t_.pools.size(), 0);
  Walk(b, order, [&](size_t) {
    for (size_t p = 0; p < peak.size(); ++p) peak[p] = std::max(peak[p], units_.units()[p]);
  });
  std::vector<uint32_t> result;
  for (size_t p = 0; p < peak.size(); ++p) {
    result.push_back(static_cast<uint32_t>(peak[p] + held_[p]));
  }
  return result;
}

std::vector<std::vector<int64_t>> OrderPressure::Profile(BlockId b,
                                                         const std::vector<InstId>& order) {
  std::vector<std::vector<int64_t>> profile(t_.pools.size(),
                                            std::vector<int64_t>(order.size() + 1));
  Walk(b, order, [&](size_t k) {
    for (size_t p = 0; p < profile.size(); ++p) {
      profile[p][k] = units_.units()[p] + held_[p];
    }
  });
  return profile;
}

void OrderPressure::Need(uint32_t slot) {
  if (epoch_[slot] == now_) return;
  epoch_[slot] = now_;
  units_.Add(slot);
}

void OrderPressure::NeedAll(const Operand& o) {
  if (!IsValue(o)) return;
  for (uint32_t c = 0; c < o.comps; ++c) Need(live_.first_slot(o.value()) + o.comp + c);
}

void OrderPressure::End(const Operand& o) {
  if (!IsValue(o)) return;
  for (uint32_t c = 0; c < o.comps; ++c) {
    const uint32_t slot = live_.first_slot(o.value()) + o.comp + c;
    if (epoch_[slot] != now_) continue;
    epoch_[slot] = 0;
    units_.Remove(slot);
  }
}

}  // namespace kiln::lir::schedule
