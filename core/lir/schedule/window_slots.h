// Numbers the components of values that a window's instructions name, and lists their users, for
// schedulers that watch pressure.
//
// Cost: linear in operands. An object keeps its tables, one of them by value, from one window to
// the next.
#ifndef KILN_CORE_LIR_SCHEDULE_WINDOW_SLOTS_H_
#define KILN_CORE_LIR_SCHEDULE_WINDOW_SLOTS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"
#include "core/lir/schedule/dag.h"

namespace kiln::lir::schedule {

class WindowSlots {
 public:
  struct Slot {               // a component of a value
    bool live_after = false;  // needed after the window
    uint8_t pool = 0;
    int units = 0;
    uint32_t first_user = 0;  // in users_
    uint32_t num_users = 0;
  };

  WindowSlots(const Machine& machine, const Function& f);

  // `live_after`: by value, true if needed after the window; only entries of values in it are read.
  void Number(const Dag& dag, const std::vector<char>& live_after);

  uint32_t size() const { return static_cast<uint32_t>(slots_.size()); }
  const Slot& slot(uint32_t s) const { return slots_[s]; }
  // Slots of a node: those it uses, once each, and those it defines.
  absl::Span<const uint32_t> uses(uint32_t n) const { return InRange(uses_[n], node_slots_); }
  absl::Span<const uint32_t> defs(uint32_t n) const { return InRange(defs_[n], node_slots_); }
  // Nodes that use a slot, ascending.
  absl::Span<const uint32_t> users(uint32_t s) const {
    return absl::MakeConstSpan(users_).subspan(slots_[s].first_user, slots_[s].num_users);
  }

 private:
  struct Range {
    uint32_t first = 0, end = 0;
  };
  static absl::Span<const uint32_t> InRange(const Range& r, const std::vector<uint32_t>& v) {
    return absl::MakeConstSpan(v).subspan(r.first, r.end - r.first);
  }
  void Add(const Operand& o, const std::vector<char>& live_after, bool once, uint32_t node);

  const Machine& t_;
  const Function& f_;
  std::vector<uint32_t> first_slot_;  // by value: slot of its component 0
  std::vector<Slot> slots_;
  std::vector<uint32_t> last_seen_;   // by slot: the node that used it last
  std::vector<uint32_t> node_slots_;  // of each node: those it uses, those it defines
  std::vector<Range> uses_, defs_;    // by node, in node_slots_
  std::vector<uint32_t> users_;       // by slot: nodes
};

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_WINDOW_SLOTS_H_
