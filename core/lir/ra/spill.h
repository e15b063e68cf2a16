// Spilling: keeps fewer values in registers than are live, before assignment, on SSA.
//
// In: a function that verifies, and its liveness. Out: the same function, with instructions of the
// flags kOpSpill and kOpFill and repeated computations added (all kInsertedCopy), uses renamed,
// some block parameters moved to memory (their edges store instead of copying), and original
// computations removed that have no uses any more. At every point the pieces (pieces.h) in
// registers and those that parked lanes hold take at most the pool minus the reserve, except where
// a single instruction needs more.
//
// Algorithm: Braun and Hack, Register Spilling and Live-Range Splitting for SSA-Form Programs (CC
// 2009): Belady's rule on next-use distances in which leaving a loop is far (next_use.h), one block
// after another in layout order. A distance is weighted by the room that evicting gives per cost of
// bringing the value back: a fill is a message whatever its size, a constant one instruction. It
// differs because edges of structured code under masks have no room for code and phis are masked
// copies:
// * A value has one store, after its definition, and fills make new names. A name enters a block if
//   all predecessors end with that name in a register, so joins need no code. If the back edge of a
//   loop does not bring a name, the value is not in a register at the loop's head; that is known at
//   the end of the loop, so the walk is repeated until nothing changes (decisions only accumulate).
// * From any exit the thread may go to the exit block: a value that this block reads for all lanes
//   enters it in a register if it had the same name at every exit as well.
// * Values that parked lanes wait with count as present, unless some of the lanes had them in no
//   register when they left; evicting such a value evicts it for these lanes too.
// * A parameter that finds no register lives in memory; edges store into its slot under the mask of
//   the lanes that take them.
// * A computation is repeated instead of filled if possible: can_repeat, and its sources are in
//   registers.
//
// Masks: where writes of a file are always masked, so are fills and stores. A fill is then like any
// other definition: it leaves lanes that are off unchanged. Elsewhere a fill is NoMask, and a store
// is NoMask unless parked lanes hold an earlier instance of the value in its slot, which a NoMask
// store would overwrite in their lanes; then it is masked, one component at a time. Values share a
// slot in memory if their stores and fills do not interleave in layout order; a loop that has only
// some of them belongs to the range as a whole, which covers parked lanes.
//
// The parts that it is made of: spill_input.h. A worked example: spill.cc.
//
// Cost: walks (two or three in practice, bounded) x (operands x log of pieces + sizes of the live
// sets). Each walk but the first writes code, which is discarded unless the walk was the last. The
// values that parked lanes hold are kept from block to block: each block that lanes wait for costs
// its live set once, however deeply it is nested; candidates are sorted only in blocks that evict.
// Limits: per-lane values that can_mask refuses and parked lanes hold stay in registers; flags are
// saved elsewhere (save_flags.h).
#ifndef KILN_CORE_LIR_RA_SPILL_H_
#define KILN_CORE_LIR_RA_SPILL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

struct SpillSettings {
  uint32_t reserve = 0;  // units of the pool left free for fragmentation
};

// Records why a value left its register, for remarks.
struct Eviction {
  ValueId value;
  BlockId block;
  uint32_t live = 0;       // units present when it was chosen
  uint32_t distance = 0;   // to its next use, in instructions; kLoopExit for each loop left
  uint32_t runner_up = 0;  // distance of the next candidate, 0 if there was none
};

struct SpillStats {
  uint32_t spills = 0, fills = 0;            // messages
  uint32_t spill_units = 0, fill_units = 0;  // of the pool, counted statically
  uint32_t repeated = 0;                     // computations repeated instead of filled
  uint32_t scratch_units = 0;                // units of slots used: in memory ...
  uint32_t lane_places = 0;                  // ... and in lanes of other pools' registers
  std::vector<Eviction> evictions;           // one per value that has a slot in memory
};

// Spills the values of one pool as its row of Machine::spills says. ResourceExhausted
// ("scratch_too_large") if masked stores do not fit below direct_units.
absl::Status SpillToFit(const Machine& machine, const SpillHooks& hooks, Function* f,
                        const Liveness& live, const SpillSettings& settings, SpillStats* stats);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_H_
