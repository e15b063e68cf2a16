// The pieces that waiting lanes hold in registers at the current position of the walk. It changes
// little from block to block, so it is updated: it has, for each piece, the blocks for which lanes
// wait with it. Lifetime: a walk.
//
// Pieces that the lanes had in memory when they left take no register while they wait.
#ifndef KILN_CORE_LIR_RA_SPILL_PARKED_H_
#define KILN_CORE_LIR_RA_SPILL_PARKED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/lir/ra/spill_input.h"
#include "core/lir/ra/spill_registers.h"

namespace kiln::lir::ra {

class ParkedPieces {
 public:
  // A block that parked lanes wait for with a piece.
  struct Holder {
    uint32_t block = 0;
    uint32_t next = 0;   // its next use there, in instructions of the function
    uint32_t least = 0;  // minimum of `next` over this and those before it
  };
  using Holders = absl::InlinedVector<Holder, 2>;

  ParkedPieces(const SpillInput& in, const SpillDecisions& decisions, const SpillHere& here,
               const BlockEnds& ends)
      : in_(in),
        decisions_(decisions),
        here_(here),
        ends_(ends),
        holders_(in.pieces.count()),
        waiting_index_(in.pieces.count(), 0) {}

  void NewWalk();
  // Updates the state as the thread enters block b.
  void Enter(uint32_t b);
  // Lets lanes of block b join those that wait for j, if any do here.
  void Join(uint32_t j, uint32_t b);
  // Evicts the piece for waiting lanes: they find it in memory later.
  void Release(uint32_t p);
  // Notes a parameter that lives in memory from now on.
  void MovedToMemory(ValueId param) { moved_to_memory_.push_back(param); }

  bool Has(uint32_t p) const { return !holders_[p].empty(); }
  const Holders& holders(uint32_t p) const { return holders_[p]; }
  const std::vector<uint32_t>& list() const { return waiting_; }  // in no order
  uint32_t units() const { return units_; }
  // Distance to its next use, from the start of the block.
  uint32_t Distance(uint32_t p) const {
    return std::min(kNever - 1, holders_[p].back().least - here_.start(here_.block));
  }
  // Returns true for a parameter of a block that lanes wait for here.
  bool AsParam(ValueId v) const;

 private:
  void Add(uint32_t p, uint32_t block, uint32_t next);
  void Remove(uint32_t p, uint32_t block);
  template <class F>
  void ForEachWaitingFor(uint32_t j, F&& f) const;
  void StopWaiting(uint32_t j);
  // Adds the pieces of lanes of an earlier block that wait for j from block b on.
  void StartWaiting(uint32_t j, uint32_t b);
  // Returns the last block before b that leads to j; kNothing if there is none.
  uint32_t LastBefore(uint32_t j, uint32_t b) const;

  const SpillInput& in_;
  const SpillDecisions& decisions_;
  const SpillHere& here_;
  const BlockEnds& ends_;
  std::vector<BlockId> waits_;    // blocks that lanes wait for in this block, ascending
  std::vector<BlockId> changed_;  // scratch of Enter
  std::vector<Holders> holders_;  // per piece; the farthest first, because the nearest ends first
  std::vector<uint32_t> waiting_, waiting_index_;  // pieces held, and the index of each in the list
  std::vector<ValueId> moved_to_memory_;           // parameters that moved since the last block
  uint32_t units_ = 0;                             // of waiting_
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_PARKED_H_
