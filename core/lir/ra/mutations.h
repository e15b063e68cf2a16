// Mutations of a correct allocation, for tests of the checker: each introduces one error.
//
// A mutation can leave a program correct (two registers with the same content, a dead component),
// so mutations are chosen such that the meaning changes; the remaining such cases are the reason
// for the tolerance of one percent. Mutations depend only on the machine's tables.
#ifndef KILN_CORE_LIR_RA_MUTATIONS_H_
#define KILN_CORE_LIR_RA_MUTATIONS_H_

#include <random>
#include <string_view>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::ra {

using Rng = std::mt19937_64;

enum Mutation {
  kMoveUse,       // a source reads another register
  kMoveDef,       // a result goes to another register
  kDropCopy,      // one copy is missing
  kRedirectCopy,  // a copy writes elsewhere
  kSwapOrder,     // a copy and the instruction before it are exchanged
  kMask,          // a NoMask copy obeys the mask
  kRenameTwo,     // two values live at once exchange registers at their definitions
  kNoMaskClash,   // a NoMask result is put where parked lanes hold a value
  kDropInst,
  kNumMutations,
};
inline constexpr std::string_view kMutationNames[] = {
    "move use", "move def",   "drop copy",    "redirect copy",   "swap order",
    "mask",     "rename two", "NoMask clash", "drop instruction"};

enum SpillMutation {
  kSpillElsewhere,  // a store writes another value's slot
  kFillElsewhere,   // a fill reads another value's slot
  kSpillOther,      // a store reads another register
  kFillOther,       // a fill writes another register
  kDropSpill,
  kDropFill,
  kUnmaskSpill,  // a masked store that spares parked lanes becomes NoMask
  kRepeatOther,  // a repeated computation reads another register
  kFillClash,    // a fill writes a register whose content only parked lanes need
  kNumSpillMutations,
};
inline constexpr std::string_view kSpillMutationNames[] = {
    "spill elsewhere", "fill elsewhere", "spill other",  "fill other", "drop spill",
    "drop fill",       "unmask spill",   "repeat other", "fill clash"};

// Errors against the rules of a register file.
enum ShapeMutation {
  kUnmask,        // a copy, store or fill of a file that is always masked is NoMask
  kBreakTie,      // a tied definition moves, with all its uses, to another register
  kRestoreEarly,  // a saved value is restored before its pool is clobbered or written
  kMisalign,      // a value moves, with all its uses, by one unit
  kIntoReserved,  // ... to reserved units
  kUniformClash,  // ... to a register whose content only parked lanes need
  kUnmaskMerge,   // a mask that an edge merges replaces the bits of lanes that took another edge
  kNumShapeMutations,
};
inline constexpr std::string_view kShapeMutationNames[] = {
    "unmask",        "break tie",     "restore early", "misalign",
    "into reserved", "uniform clash", "unmask merge"};

// Applies one mutation to `f`, the allocation of `ssa`; false if there is no suitable instruction.
bool Mutate(const Machine& t, const Function& ssa, Mutation m, Rng& r, Function* f);
// The same for spilled values: stores, fills and repeated computations.
bool MutateSpills(const Machine& t, const Function& ssa, SpillMutation m, Rng& r, Function* f);
// The same for features of machines shaped like testing_scalar.h.
bool MutateShape(const Machine& t, const Function& ssa, ShapeMutation m, Rng& r, Function* f);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_MUTATIONS_H_
