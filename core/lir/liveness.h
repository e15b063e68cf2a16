// Liveness: the values that active lanes still need (logical liveness), and those that parked lanes
// hold.
//
// The unit is the slot: one component of one value, so that the parts of a vector die one by one.
//
// Logical liveness is ordinary SSA liveness over logical edges: the needs of the lanes that
// execute.
//
// A lane is parked from the jump that takes it to block J until the thread arrives at J: after a
// break until the loop is left, after a continue until the loop's next iteration, after the then
// side until the join, on the way to the else side while the then side runs. waits(B) is the set of
// such J while the thread is in B. A lane parked for J holds the values live into J and J's
// parameters (they were written before the jump): parked(B) is the union of that over waits(B). It
// is the same at every point of B, because a parked lane executes nothing. A write that reaches
// lanes that are off must respect logical liveness and parked(B); see ra/DESIGN.md for why this is
// more exact than backward liveness over physical edges, and for the case which that one misses.
//
// Values that the exit block reads for all lanes are needed at every exit (exits.h), even where no
// lane goes from there to that block. A live-in that is held (LiveIn::held) is needed at the end of
// every block without successors; an endless loop from which no such block can be reached does not
// keep it.
//
// Blocks are assumed to be in the order in which the thread passes them (verify.h, L11 and L14).
//
// Cost: bit sets over the slots that cross blocks only, filled from the uses upward, so linear in
// the size of the sets.
#ifndef KILN_CORE_LIR_LIVENESS_H_
#define KILN_CORE_LIR_LIVENESS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "core/base/bitset.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

class Liveness {
 public:
  enum class Detail : uint8_t {
    kBlockEnds,  // all but deaths(): independent of the order within blocks
    kInstructions,
  };
  Liveness(const Machine& machine, const Function& f, Detail detail = Detail::kInstructions);

  // Finds deaths() in a function whose instructions have changed places within their blocks, which
  // is all that has changed.
  void Reorder(const Machine& machine, const Function& f) { FindDeaths(machine, f); }

  uint32_t num_slots() const { return first_slot_.back(); }
  uint32_t first_slot(ValueId v) const { return first_slot_[v.index]; }
  ValueId slot_value(uint32_t slot) const { return slot_value_[slot]; }
  uint32_t slot_comp(uint32_t slot) const { return slot - first_slot_[slot_value_[slot].index]; }

  // The sets below are over "global" numbers: only slots that another block needs have one.
  static constexpr uint32_t kLocal = ~uint32_t{0};
  uint32_t num_global() const { return static_cast<uint32_t>(global_slot_.size()); }
  uint32_t global(uint32_t slot) const { return global_[slot]; }
  uint32_t global_slot(uint32_t global) const { return global_slot_[global]; }

  BitMatrix::Row live_in(BlockId b) const { return live_in_[b.index]; }  // without parameters
  BitMatrix::Row live_out(BlockId b) const { return live_out_[b.index]; }
  BitMatrix::Row parked(BlockId b) const { return parked_[b.index]; }

  // Blocks for which lanes may be parked while the thread is in b, ascending.
  absl::Span<const BlockId> waits(BlockId b) const { return waits_[b.index]; }

  // Slots that no lane needs after a position in the block, and that were needed before or are
  // defined there. Position 0 is the entry (unused parameters and live-ins), position k the k-th
  // instruction counted from 1, and the position after the last instruction the copies of edge
  // arguments (which come before a terminator, but that uses no value then).
  absl::Span<const uint32_t> deaths(BlockId b, size_t place) const {
    const uint32_t p = first_place_[b.index] + static_cast<uint32_t>(place);
    return absl::MakeConstSpan(deaths_).subspan(death_offset_[p],
                                                death_offset_[p + 1] - death_offset_[p]);
  }

  // Operands that each exit needs besides its own uses.
  absl::Span<const Operand> at_exits() const { return at_exits_; }

  // The block that defines the value; invalid for a value without definition.
  BlockId def_block(ValueId v) const { return def_block_[v.index]; }

  // True if anything needs the slot.
  bool used(uint32_t slot) const { return used_[slot]; }

 private:
  // A use of a slot in a block other than its definition's.
  struct Crossing {
    uint32_t slot;
    uint32_t block, def_block;
  };

  void NumberSlots(const Function& f);
  void FindWaits(const Machine& machine, const Function& f);
  std::vector<Crossing> FindGlobals(const Machine& machine, const Function& f);
  void MakeGlobal(uint32_t slot);
  // Appends a use of each held live-in at the program's end.
  void FindHeld(const Function& f, std::vector<Crossing>* crossings);
  void SolveLogical(const Function& f, const std::vector<Crossing>& crossings);
  void FindParked(const Function& f);
  void FindDeaths(const Machine& machine, const Function& f);
  // Operands needed besides its own uses: at_exits() if the instruction is an exit.
  absl::Span<const Operand> NeededAt(const Machine& machine, const Function& f, InstId i) const;

  std::vector<Operand> at_exits_;
  std::vector<uint32_t> held_;  // slots, needed at the program's end
  std::vector<uint32_t> first_slot_;
  std::vector<ValueId> slot_value_;
  std::vector<uint32_t> global_, global_slot_;
  std::vector<BlockId> def_block_;
  std::vector<char> used_;
  BitMatrix live_in_, live_out_, parked_;  // a row for each block
  std::vector<std::vector<BlockId>> waits_;
  std::vector<uint32_t> first_place_, death_offset_, deaths_;
};

// Counts the units of each pool that a set of slots takes. Components of a value that fills whole
// registers hold on to their register as long as one of them lives (one dword of a uniform load
// keeps the other seven from per-lane values), so there the register counts.
class UnitCounter {
 public:
  UnitCounter(const Machine& machine, const Function& f, const Liveness& live);

  void Clear();
  void Add(uint32_t slot) { Count(slot, 1); }
  void Remove(uint32_t slot) { Count(slot, -1); }
  const std::vector<int64_t>& units() const { return units_; }

 private:
  struct Row {
    uint8_t pool = 0;
    bool shared = false;  // several components share a register
    uint32_t units = 0;   // of the component, or of that register
    uint32_t first = 0;   // the first slot in that register
  };
  void Count(uint32_t slot, int by) {
    const Row& r = rows_[slot];
    if (r.shared) return CountShared(r, by);
    units_[r.pool] += by * int64_t{r.units};
  }
  void CountShared(const Row& r, int by);

  std::vector<Row> rows_;          // per slot
  std::vector<uint16_t> present_;  // per slot that begins a register: components present
  std::vector<uint32_t> touched_;
  std::vector<int64_t> units_;
};

// Units of a pool that values need at once, at the position where they need most.
struct Pressure {
  uint32_t logical = 0;   // live, plus whole values (file U) that only parked lanes hold
  uint32_t physical = 0;  // live or held by parked lanes
  friend bool operator==(const Pressure&, const Pressure&) = default;
};

// Returns true if every write of this file reaches all lanes.
inline bool IsWhole(const Machine& machine, const Value& v) {
  return !machine.files[v.file].masked_writes;
}

// Calls `receive` with the maximum pressure per pool over the positions of each block, in order;
// and returns that of the function.
void ForEachPressure(const Machine& machine, const Function& f, const Liveness& live,
                     const std::function<void(const std::vector<Pressure>&)>& receive);
std::vector<Pressure> MaxPressure(const Machine& machine, const Function& f, const Liveness& live);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_LIVENESS_H_
