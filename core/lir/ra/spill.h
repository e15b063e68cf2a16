// Spilling: keeps fewer values in registers than are live, before assignment, on SSA.
//
// In: a function that verifies, and its liveness. Out: the same, with instructions of the flags
// kOpSpill and kOpFill and repeated computations added (all kInsertedCopy), uses renamed, some
// block parameters gone into memory (their edges store instead of copying), and original
// computations that nobody reads any more removed. At every place the pieces (pieces.h) in
// registers and those that parked lanes hold take at most the pool minus the reserve, except where
// a single instruction needs more.
//
// Algorithm: Braun and Hack, Register Spilling and Live-Range Splitting for SSA-Form Programs
// (CC 2009): Belady's rule on next-use distances in which leaving a loop is far (next_use.h), one
// block after another in layout order. Distances count by the room that leaving gives for what
// coming back costs: a fill is a message whatever its size, a constant one instruction. What
// differs, because edges of structured SIMD code have no place for code and phis are masked copies:
//  * A value has one store, behind its definition, and fills make new names. A name enters a block
//    if all predecessors end with that name in a register, so joins need no code. Where a loop does
//    not hand a name round, the value is not in a register at its head; that shows at the end of
//    the loop, so the walk is repeated until nothing changes (decisions only ever accumulate).
//  * From any exit the thread may go to the exit block: what that block reads for all lanes enters
//    it in a register if it had the name at every exit as well.
//  * What parked lanes wait with counts as present, unless some of them had it in no register where
//  they
//    left; evicting such a value evicts it for them too.
//  * A parameter that finds no register lives in memory; edges store into its place under the mask
//    of the lanes that take them.
//  * First choice is to repeat the computation instead of a fill: can_repeat, sources at hand.
// Masks, where writes of a file are always masked: fills and stores are as well. A fill is then as
// good as any definition: it leaves alone what lanes hold that are off. Elsewhere: a fill is
// NoMask. A store is NoMask unless parked lanes hold an earlier instance of the value in its place,
// which a NoMask store would overwrite in their lanes; then it is masked, one component at a time.
// Places in memory are shared by values whose stores and fills do not interleave in layout order;
// a loop that has only some of them belongs to the range as a whole, which covers parked lanes.
//
// The rooms that it is made of: spill_input.h.
//
// Cost: walks (two or three in practice, bounded) x (operands x log of pieces + sizes of the live
// sets). Each walk but the first writes what it decides; that is thrown away unless it was the
// last. What parked lanes hold is kept from block to block: each block that lanes wait for costs
// its live set once, however deep it lies; candidates are sorted only in blocks that evict. Limits:
// per-lane values that can_mask refuses and parked lanes hold stay in registers; flags are saved
// elsewhere (save_flags.h).
#ifndef KILN_CORE_LIR_RA_SPILL_H_
#define KILN_CORE_LIR_RA_SPILL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/target.h"

namespace kiln::lir::ra {

struct SpillSettings {
  uint32_t reserve = 0;  // units of the pool left free for fragmentation
};

// Why a value left its register, for remarks.
struct Eviction {
  ValueId value;
  BlockId block;
  uint32_t live = 0;       // units present when it was chosen
  uint32_t distance = 0;   // of its next use, in instructions; kLoopExit for each loop left
  uint32_t runner_up = 0;  // of the next farthest candidate, 0 if there was none
};

struct SpillStats {
  uint32_t spills = 0, fills = 0;            // messages
  uint32_t spill_units = 0, fill_units = 0;  // of the pool, static
  uint32_t repeated = 0;                     // computations repeated instead of filled
  uint32_t scratch_units = 0;                // places used: of memory ...
  uint32_t lane_places = 0;                  // ... and in lanes of other pools' registers
  std::vector<Eviction> evictions;           // one per value that has a place in memory
};

// ResourceExhausted ("scratch_too_large") if masked stores do not fit below direct_units.
// Spills the values of one pool as its row of Target::spills says.
absl::Status SpillToFit(const Target& target, const SpillHooks& hooks, Function* f,
                        const Liveness& live, const SpillSettings& settings, SpillStats* stats);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_H_
