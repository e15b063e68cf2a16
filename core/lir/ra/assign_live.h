// Who holds units at this place of the walk: values that are live, and those that lanes hold which
// are parked here. Lifetime: a block; Enter begins the next.
//
// Invariant: Pool::live is the union of the units of live slots at Places::now, Pool::parked that
// of what parked lanes hold. Compaction, which changes places within a block, ends with Rebuild.
// Limit: a parked value without a place yet is in no set; assign_written has what it must avoid.
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

// Registers that Order::kSpread keeps shorter values out of after a definition.
inline constexpr size_t kRecent = 8;

// One pool within the block at hand.
struct Pool {
  uint32_t units = 0;
  uint32_t register_units = 1;  // PoolInfo's
  bool spread = false;          // PoolInfo's ...
  bool always_masked = false;   // nothing moves for lanes that are parked
  bool roomy = false;           // ... with room to give a short value a register for a while
  UnitSet reserved;             // no value's
  UnitSet live;             // logically live, sources that die here included, and what is reserved
  LaneSets parked;          // what parked lanes hold
  UnitSet promised;         // of values that lanes wait with and that are not defined yet
  UnitSet hoped;            // wanted for collects and parameters to come
  UnitSet arriving;         // of answers on their way, what nobody reads: who writes there waits
  UnitSet displaced_homes;  // homes of values that compaction moved and that go back
  uint32_t cursor = 0;      // of Order::kSpread
  std::array<uint32_t, kRecent> recent{};  // first units of registers, of Order::kSpread
  size_t next_recent = 0;
};

class LiveNow {
 public:
  LiveNow(const AssignInput& in, const Places& at, const Here& here);

  // The block is Here::block.
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

  // Is there room to keep places for what comes in other blocks?
  bool HopesAcrossBlocks(size_t pool) const {
    return in_.order == Order::kSpread && pools[pool].spread;
  }
  // A collect or a parameter would like to be at `reg`: others leave it while there is another
  // place.
  void Hope(ValueId v, uint32_t reg) { pool(v).hoped.insert(reg, in_.info(v).units); }
  // It has a place now. Where it was to be: kNowhere if it had no wish.
  void Forget(ValueId v, uint32_t reg) {
    if (reg != kNowhere) pool(v).hoped.erase(reg, in_.info(v).units);
  }

  // A message at Here::position answers with v at `reg`: what of it nobody reads is free, but not
  // before the answer has come, which the first use of v waits for.
  void Send(ValueId v, uint32_t reg);
  // An instruction reads v.
  void Read(ValueId v) {
    if (!arriving_.empty()) Arrived(v);
  }

  // Shorter than a register, and may have one of its own.
  bool IsShort(ValueId v) const {
    const Pool& p = pools[in_.info(v).pool];
    return p.roomy && in_.info(v).units < p.register_units;
  }

  // With room to spare: is v shorter than the register that the operand is in, of which others are
  // alive? Who reads those would wait for v.
  bool IsCrowded(ValueId v, const Operand& o) const {
    const Pool& p = pools[in_.info(v).pool];
    if (!HopesAcrossBlocks(in_.info(v).pool) || !IsShort(v)) return false;
    const uint32_t first = at_.PlaceOf(o) / p.register_units * p.register_units;
    return p.live.count(first, p.register_units) > o.comps * in_.info(o).per_comp;
  }

  // The slots that are alive, in no order.
  const std::vector<uint32_t>& LiveSlots();
  // What lanes hold that are parked in one of the blocks, per pool.
  std::vector<LaneSets> FindParked(absl::Span<const BlockId> blocks) const;
  // The sets of the pools from what is live and parked, after places have changed.
  void Rebuild();
  // Does all that the operand names die at this instruction?
  bool Dying(const Operand& o, InstId i) const {
    const uint32_t first = in_.live.first_slot(o.value()) + o.comp;
    for (uint32_t c = 0; c < o.comps; ++c) {
      if (dying[first + c] != i.index) return false;
    }
    return true;
  }

  std::vector<Pool> pools;
  std::vector<uint32_t> dying;  // per slot: the instruction it dies at
  std::vector<ValueId> moved;   // by compaction, in this block

 private:
  // Blocks before one join hold much in common: what `known` holds is in the sets already.
  void AddParked(BlockId b, BlockId known, std::vector<LaneSets>* sets) const;
  void Arrived(ValueId v);

  const AssignInput& in_;
  const Places& at_;
  const Here& here_;
  std::vector<uint32_t> alive_;      // per slot: the block if it is live at this place
  std::vector<uint32_t> live_list_;  // slots that were alive in this block ...
  std::vector<uint32_t> listed_;     // ... by slot: the block if it is in the list
  struct Answer {
    ValueId value;
    UnitSet unread;
  };
  std::vector<Answer> arriving_;  // in this block, that have parts nobody reads
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_LIVE_H_
