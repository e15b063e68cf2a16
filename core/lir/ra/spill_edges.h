// Arguments of edges: stores those of parameters in memory, one after another, and renames the
// others.
//
// The stores are a parallel move between slots of one block's parameters: a slot is overwritten
// once no remaining argument reads it. Arguments that a parameter in a register reads from such a
// slot are brought into registers first, and stay there for the edge; in a cycle one argument is as
// well. Lifetime of its state: an edge.
#ifndef KILN_CORE_LIR_RA_SPILL_EDGES_H_
#define KILN_CORE_LIR_RA_SPILL_EDGES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_fills.h"
#include "core/lir/ra/spill_input.h"
#include "core/lir/ra/spill_room.h"

namespace kiln::lir::ra {

class SpillEdges {
 public:
  SpillEdges(const SpillInput& in, const SpillDecisions& decisions, SpillRoom& room,
             SpillCode& code, SpillFills& fills)
      : in_(in), decisions_(decisions), room_(room), code_(code), fills_(fills) {}

  // Emits the stores of the current block b's edge, before its terminator.
  void Arguments(uint32_t b);

 private:
  bool IsRead(ValueId param) const;
  void Store();
  void Begin();
  // Returns true if the k-th argument is a parameter in memory of the same block, read from its
  // slot.
  bool ReadsPlace(size_t k) const;
  bool IsPending(size_t k) const;
  // The argument that is stored to the slot that the k-th argument reads.
  size_t WriterOf(size_t k) const;
  // Brings an argument into registers. It stays protected until the edge is taken, or its cycle is
  // stored.
  Operand Take(size_t k);
  void WasRead(size_t k);
  void BreakCycle(size_t k);
  void StoreReady();

  const SpillInput& in_;
  const SpillDecisions& decisions_;
  SpillRoom& room_;
  SpillCode& code_;
  SpillFills& fills_;

  uint32_t to_ = 0;  // the block that the edge goes to
  std::vector<ValueId> params_;
  std::vector<Operand> args_;
  std::vector<size_t> pending_;    // arguments to be stored, ascending
  std::vector<size_t> ready_;      // ... whose slot has no remaining reader: a stack
  std::vector<size_t> early_;      // arguments of parameters in registers, read before the stores
  std::vector<char> done_;         // per argument
  std::vector<Operand> taken_;     // per argument: the operand in registers that breaks a cycle
  std::vector<uint32_t> readers_;  // per value: stores to come that read its slot; 0 between edges
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_EDGES_H_
