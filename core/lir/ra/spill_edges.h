// Arguments of edges: those of parameters in memory are stored, one after another; the others are
// renamed.
//
// The stores are a parallel move between places of one block's parameters: a place is overwritten
// when nobody is left who reads it. What a parameter in a register is to have of such a place is
// taken into registers before, and stays there for the edge; in a cycle one argument is as well.
// Lifetime of its state: an edge.
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

  // Of the block at hand, before its terminator.
  void Arguments(uint32_t b);

 private:
  bool IsRead(ValueId param) const;
  void Store();
  void Begin();
  // Does the argument stand in the place of a parameter of the same block?
  bool ReadsPlace(size_t k) const;
  bool IsPending(size_t k) const;
  // The argument that goes into the place that the k-th argument reads.
  size_t WriterOf(size_t k) const;
  // What is in registers here stays protected until the edge is taken, or its cycle is stored.
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
  std::vector<size_t> ready_;      // ... whose place nobody reads any more: a stack
  std::vector<size_t> early_;      // arguments of parameters in registers that are taken before
  std::vector<char> done_;         // per argument
  std::vector<Operand> taken_;     // per argument: in registers, to break a cycle
  std::vector<uint32_t> readers_;  // per value: stores to come that read its place; 0 between edges
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_EDGES_H_
