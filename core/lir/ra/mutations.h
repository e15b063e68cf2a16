// Mutations of a good allocation, for tests of the checker: each makes one thing wrong.
//
// A mutation can leave a program right (two registers with the same content, a dead component), so
// they are chosen such that the meaning changes; the rest of such cases is what one percent of
// forgiveness is for. They ask of the target nothing but its tables.
#ifndef KILN_CORE_LIR_RA_MUTATIONS_H_
#define KILN_CORE_LIR_RA_MUTATIONS_H_

#include <random>
#include <string_view>

#include "core/lir/lir.h"
#include "core/lir/target.h"

namespace kiln::lir::ra {

using Rng = std::mt19937_64;

enum Mutation {
  kMoveUse,       // a source reads another register
  kMoveDef,       // a result goes to another register
  kDropCopy,      // one copy is missing
  kRedirectCopy,  // a copy writes elsewhere
  kSwapOrder,     // a copy and the instruction before it change places
  kMask,          // a NoMask copy obeys the mask
  kRenameTwo,     // two values live at once change registers for good
  kNoMaskClash,   // a NoMask result is put where parked lanes hold something
  kDropInst,
  kNumMutations,
};
inline constexpr std::string_view kMutationNames[] = {
    "move use", "move def",   "drop copy",    "redirect copy",   "swap order",
    "mask",     "rename two", "NoMask clash", "drop instruction"};

enum SpillMutation {
  kSpillElsewhere,  // a store goes to another value's place
  kFillElsewhere,   // a fill comes from there
  kSpillOther,      // a store takes another register
  kFillOther,       // a fill goes to another register
  kDropSpill,
  kDropFill,
  kUnmaskSpill,  // a store that spares parked lanes does not
  kRepeatOther,  // a repeated computation reads something else
  kFillClash,    // a fill goes to a register of which only parked lanes hold the content
  kNumSpillMutations,
};
inline constexpr std::string_view kSpillMutationNames[] = {
    "spill elsewhere", "fill elsewhere", "spill other",  "fill other", "drop spill",
    "drop fill",       "unmask spill",   "repeat other", "fill clash"};

// What the shape of a register file forbids.
enum ShapeMutation {
  kUnmask,        // a copy, store or fill of a file that is always masked is NoMask
  kBreakTie,      // a tied definition goes, with all its uses, to another register
  kRestoreEarly,  // what was saved comes back before its pool is clobbered or written
  kMisalign,      // a value goes, with all its uses, one unit on
  kIntoReserved,  // ... to units that are no value's
  kUniformClash,  // ... to a register of which only parked lanes hold the content
  kNumShapeMutations,
};
inline constexpr std::string_view kShapeMutationNames[] = {
    "unmask", "break tie", "restore early", "misalign", "into reserved", "uniform clash"};

// Applies one mutation to `f`, the allocation of `ssa`; false if there is nowhere to.
bool Mutate(const Target& t, const Function& ssa, Mutation m, Rng& r, Function* f);
// The same where values were spilled: stores, fills and repeated computations.
bool MutateSpills(const Target& t, const Function& ssa, SpillMutation m, Rng& r, Function* f);
// The same for what targets have that are shaped like testing_scalar.h.
bool MutateShape(const Target& t, const Function& ssa, ShapeMutation m, Rng& r, Function* f);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_MUTATIONS_H_
