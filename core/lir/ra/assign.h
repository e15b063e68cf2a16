// Assigns registers of its pool to every value, in one walk over the blocks in layout order.
//
// In SSA form every value live at a definition has been assigned before (its definition dominates),
// so a definition takes any free range; blocks need not agree on anything, because a value keeps
// its home from its definition to its last use everywhere. Which units must be free depends on
// which lanes the definition writes; DESIGN.md has the argument. In short, a masked definition
// avoids live values and those values of parked lanes with which it cannot share lanes; a NoMask
// definition avoids live values and everything that parked lanes hold. A value that parked lanes
// hold although it is defined later in the layout (loops, parameters of joins) avoids, when it is
// assigned, the units written while the lanes waited: LaneSets per block that lanes wait for.
//
// Choice of registers: those that make a copy unnecessary (collects, parameters, copies), those of
// a source that dies, else best fit. If nothing fits, values in the way are moved for the rest of
// the block and moved back at its end (compaction; a bounded number of times).
//
// Cost: linear in operands for a bounded pool, plus the sets of live values at block entries.
#ifndef KILN_CORE_LIR_RA_ASSIGN_H_
#define KILN_CORE_LIR_RA_ASSIGN_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"
#include "core/lir/ra/parallel_moves.h"
#include "core/lir/ra/value_info.h"

namespace kiln::lir::ra {

enum class Order : uint8_t {
  kSpread,     // round robin: late reuse of a register, for schedules and message sources
  kLow,        // best fit from the bottom
  kSizes,      // vectors from the bottom, the rest from the top
  kLifetimes,  // values of one block from the bottom, the rest from the top
  kPromised    // as kLow, and values that lanes wait with get registers early (assign_promises.h)
};

// Copies to insert in a block before the instruction at this position of the original list.
struct Insertion {
  BlockId block;
  uint32_t position = 0;
  std::vector<MoveStep> steps;  // the tag is the index of a value of the moved shape
};

struct Assignment {
  std::vector<uint32_t> operand_reg;  // per entry of Function::operands
  std::vector<char> removed;          // per instruction: collects, and copies onto themselves
  std::vector<Insertion> insertions;  // by block, then position
  std::vector<uint32_t> top;          // per pool: 1 + the highest unit used
  uint32_t copies_removed = 0;
  uint32_t collect_parts = 0;           // components of collects ...
  uint32_t collect_parts_in_place = 0;  // ... that needed no copy
  uint32_t compactions = 0;
};

// The value for which assignment found no registers, and the block.
struct OutOfRegisters {
  ValueId value;
  BlockId block;
};

// Returns false and sets `*why` if this order does not fit. `f` is not changed.
bool Assign(const Machine& machine, const Function& f, const Liveness& live,
            const std::vector<ValueInfo>& info, Order order, Assignment* out, OutOfRegisters* why);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_H_
