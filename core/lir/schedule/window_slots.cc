#include "core/lir/schedule/window_slots.h"

#include <utility>

namespace kiln::lir::schedule {

namespace {

constexpr uint32_t kNone = ~uint32_t{0};

}  // namespace

WindowSlots::WindowSlots(const Machine& machine, const Function& f)
    : t_(machine), f_(f), first_slot_(f.values.size(), kNone) {}

void WindowSlots::Number(const Dag& dag, const std::vector<char>& live_after) {
  const auto count = static_cast<uint32_t>(dag.nodes.size());
  slots_.clear();
  last_seen_.clear();
  node_slots_.clear();
  uses_.resize(count);
  defs_.resize(count);
  for (uint32_t n = 0; n < count; ++n) {
    uses_[n].first = static_cast<uint32_t>(node_slots_.size());
    for (const Operand& o : f_.uses(dag.nodes[n].inst)) Add(o, live_after, true, n);
    uses_[n].end = defs_[n].first = static_cast<uint32_t>(node_slots_.size());
    for (const Operand& o : f_.defs(dag.nodes[n].inst)) Add(o, live_after, false, n);
    defs_[n].end = static_cast<uint32_t>(node_slots_.size());
  }
  uint32_t at = 0;
  for (Slot& s : slots_) {
    s.first_user = at;
    at += s.num_users;
    s.num_users = 0;
  }
  users_.resize(at);
  for (uint32_t n = 0; n < count; ++n) {
    for (uint32_t k : uses(n)) users_[slots_[k].first_user + slots_[k].num_users++] = n;
  }
  for (const DagNode& node : dag.nodes) {
    const auto forget = [&](absl::Span<const Operand> operands) {
      for (const Operand& o : operands) {
        if (IsValue(o)) first_slot_[o.id] = kNone;
      }
    };
    forget(f_.uses(node.inst));
    forget(f_.defs(node.inst));
  }
}

// Adds the slots of an operand of the node; uses count `once` each.
void WindowSlots::Add(const Operand& o, const std::vector<char>& live_after, bool once,
                      uint32_t node) {
  if (!IsValue(o)) return;
  uint32_t& first = first_slot_[o.id];
  if (first == kNone) {
    first = size();
    const Value& v = f_.value(o.value());
    Slot slot;
    slot.live_after = live_after[o.id] != 0;
    slot.pool = t_.files[v.file].pool;
    slot.units = static_cast<int>(t_.units_per_comp(f_, v));
    slots_.resize(slots_.size() + v.comps, slot);
    last_seen_.resize(slots_.size(), kNone);
  }
  for (uint32_t s = first + o.comp; s < first + o.comp + o.comps; ++s) {
    if (once) {
      if (std::exchange(last_seen_[s], node) == node) continue;
      ++slots_[s].num_users;
    }
    node_slots_.push_back(s);
  }
}

}  // namespace kiln::lir::schedule
