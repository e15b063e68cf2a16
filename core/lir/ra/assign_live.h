// Tracks which units are in use at the current position of the walk: those of live values, and
// those that parked lanes hold. Lifetime: a block; Enter begins the next.
//
// Invariant: Pool::live is the union of the units of live slots at Places::now, Pool::parked that
// of the slots that parked lanes hold. Compaction, which moves values within a block, ends with
// Rebuild. Limit: a parked value that has no register yet is in no set; assign_written records what
// it must avoid.
#ifndef KILN_CORE_LIR_RA_ASSIGN_LIVE_H_
#define KILN_CORE_LIR_RA_ASSIGN_LIVE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

// Number of registers that Order::kSpread remembers as written last, to keep short values out of
// them.
inline constexpr size_t kRecent = 8;

// One pool within the current block.
struct Pool {
  uint32_t units = 0;
  uint32_t register_units = 1;  // PoolInfo's
  bool spread = false;          // PoolInfo's
  bool keeps_parked = false;    // has a file that is always masked: what parked lanes hold stays
  bool always_masked = true;    // all its files are: no write reaches parked lanes
  bool roomy = false;           // spread, and large enough to give a short value a register
  UnitSet reserved;             // no value's
  UnitSet live;             // logically live, including sources that die here and reserved units
  LaneSets parked;          // units that parked lanes hold
  UnitSet promised;         // of values not defined yet that lanes wait with
  UnitSet hoped;            // hints of collects and parameters to come
  UnitSet merging;          // hints of masks that parked lanes hold
  UnitSet arriving;         // unread parts of message results in flight: a write there waits
  UnitSet displaced_homes;  // homes to which values moved by compaction return
  uint32_t cursor = 0;      // of Order::kSpread
  std::array<uint32_t, kRecent> recent{};  // first units of registers, of Order::kSpread
  size_t next_recent = 0;
};

class LiveNow {
 public:
  LiveNow(const AssignInput& in, const Places& at, const Here& here);

  // Begins the block Here::block.
  void Enter();
  bool Alive(uint32_t slot) const { return alive_[slot] == here_.block.index; }
  void Revive(uint32_t slot) {
    alive_[slot] = here_.block.index;
    if (listed_[slot] != here_.block.index) {
      listed_[slot] = here_.block.index;
      live_list_.push_back(slot);
    }
    const ValueId v = in_.live.slot_value(slot);
    pool(v).live.insert(at_.SlotUnit(slot), in_.info(v).per_comp);
  }
  void Kill(uint32_t slot) {
    if (!Alive(slot)) return;
    alive_[slot] = kNowhere;
    const ValueId v = in_.live.slot_value(slot);
    pool(v).live.erase(at_.SlotUnit(slot), in_.info(v).per_comp);
  }
  Pool& pool(ValueId v) { return pools[in_.info(v).pool]; }

  // Returns true if there is room to keep hints across blocks.
  bool HopesAcrossBlocks(size_t pool) const {
    return in_.order == Order::kSpread && pools[pool].spread;
  }
  // Notes that a collect or parameter has the hint `reg`: other values avoid it while another range
  // is free.
  void Hope(ValueId v, uint32_t reg) { pool(v).hoped.insert(reg, in_.info(v).units); }
  // Removes the hint of a value that has been assigned. `reg` is the hint; kNowhere if it had none.
  void Forget(ValueId v, uint32_t reg) {
    if (reg != kNowhere) pool(v).hoped.erase(reg, in_.info(v).units);
  }

  // Notes that a message at Here::position writes its result v to `reg`: components without uses
  // are free, but only once the result has arrived, which the first use of v waits for.
  void Send(ValueId v, uint32_t reg);
  // Notes that an instruction reads v.
  void Read(ValueId v) {
    if (!arriving_.empty()) Arrived(v);
  }

  // Returns true if v is shorter than a register and may have one of its own.
  bool IsShort(ValueId v) const {
    const Pool& p = pools[in_.info(v).pool];
    return p.roomy && in_.info(v).units < p.register_units;
  }

  // With room to spare: returns true if v is shorter than the operand's register and other values
  // in that register are live. Readers of those would have to wait for v.
  bool IsCrowded(ValueId v, const Operand& o) const {
    const Pool& p = pools[in_.info(v).pool];
    if (!HopesAcrossBlocks(in_.info(v).pool) || !IsShort(v)) return false;
    const uint32_t first = at_.UnitOf(o) / p.register_units * p.register_units;
    return p.live.count(first, p.register_units) > o.comps * in_.info(o).per_comp;
  }

  // The live slots, in no order.
  const std::vector<uint32_t>& LiveSlots();
  // Returns, per pool, the units held by lanes that are parked in one of the blocks.
  // Between Enter and any compaction.
  std::vector<LaneSets> FindParked(absl::Span<const BlockId> blocks) const;
  // Recomputes the sets of the pools from the live and parked slots, after values have moved.
  void Rebuild();
  // Returns true if all components that the operand names die at this instruction.
  bool Dying(const Operand& o, InstId i) const {
    const uint32_t first = in_.live.first_slot(o.value()) + o.comp;
    for (uint32_t c = 0; c < o.comps; ++c) {
      if (dying[first + c] != i.index) return false;
    }
    return true;
  }

  std::vector<Pool> pools;
  std::vector<uint32_t> dying;  // per slot: the instruction it dies at
  std::vector<ValueId> moved;   // moved by compaction in this block

 private:
  // The units that parked lanes hold in a slot.
  struct Held {
    uint32_t first = kNowhere;  // kNowhere: none yet
    LaneLayout layout;
  };
  Held HeldIn(uint32_t g) const;
  // Updates Pool::parked from the block it was of to this one.
  void UpdateParked();
  void ResetParked();
  void Park(uint32_t g);
  void Unpark(uint32_t g);
  ValueId SlotValue(uint32_t g) const { return in_.live.slot_value(in_.live.global_slot(g)); }
  void Arrived(ValueId v);
  void NoteMerges();

  const AssignInput& in_;
  const Places& at_;
  const Here& here_;
  bool merges_ = false;              // the machine has files of masks
  std::vector<uint32_t> alive_;      // per slot: the block if it is live at this position
  std::vector<uint32_t> live_list_;  // slots that were live in this block ...
  std::vector<uint32_t> listed_;     // ... by slot: the block if it is in the list
  struct Answer {
    ValueId value;
    UnitSet unread;
  };
  // The slots that Pool::parked counts. They change little from block to block, and in deep nests
  // each block has as many as there are levels.
  static constexpr uint32_t kStale = kNowhere;
  uint32_t parked_in_ = kStale;                    // the block
  std::vector<LaneCounts> counts_;                 // per pool
  std::vector<Held> held_;                         // per global number
  std::vector<uint32_t> homeless_, was_homeless_;  // parked, without registers yet
  std::vector<Answer> arriving_;  // message results in this block that have components without uses
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_LIVE_H_
