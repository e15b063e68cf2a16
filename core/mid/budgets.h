// Budgets of the target-independent passes: instructions by which code may grow, dwords of a lane
// that may be live at once, and work done before a pass gives up.
//
// They are in one file because they depend on each other (to promote an array is to unroll a loop
// and to keep values live) and because they are choices, not facts. Each says on what it was
// measured; a different value is judged by tests/corpus/compare_mesa.py over bench.txt and a sample
// from outside it. They hold for every target: a module is prepared once for all of them. A target
// that is found to need larger ones can add a second row of the pass to its lowerings, with its own
// numbers.
#ifndef KILN_CORE_MID_BUDGETS_H_
#define KILN_CORE_MID_BUDGETS_H_

#include <cstdint>

namespace kiln::mid::budgets {

// --- Loops: unroll_loops, and the search of unroll_array_loops (array_loops.h)

// Iterations of one loop that are walked.
inline constexpr int kIterations = 128;
// Instructions walked for one loop; for one nest of loops over an array.
inline constexpr int64_t kLoopSteps = 8192;
inline constexpr int64_t kArrayNestSteps = 32768;

// A loop is unrolled if at most so many instructions are left, or so many times its instructions up
// to the largest number. Chosen on 486 compute modules of the corpus, at Mesa's width against
// Mesa's code, as the smallest for which neither instructions (geo. mean 0.963) nor cycles of the
// model (0.988) are above Mesa's: with 3 iterations these are 0.938 and 1.019, with 8 they are
// 0.979 and 0.982.
inline constexpr int64_t kSmallResidue = 64;
inline constexpr int64_t kResidueIterations = 5;
inline constexpr int64_t kLargestResidue = 1000;
// A second limit, of fewer iterations but a larger result, for three of CACAO's blurs (cycles x
// 0.37, instructions x 1.45, still fewer than Mesa's). With 4 and 3,300 bc1 spills more.
inline constexpr int64_t kFewIterations = 3;
inline constexpr int64_t kFewLargest = 2500;
// Limits of the same for loops in which accesses to private arrays get known offsets: each of these
// saves a message. Larger for innermost loops: the size of an inner loop is known only after this
// one is unrolled. With 512 for both, bc6h's palettes stay in memory (cycles x 3.4, instructions x
// 0.68); with 1,200 for both, solve_tri_f32 grows from 214 instructions to 3,838.
inline constexpr int64_t kArrayResidue = 512;
inline constexpr int64_t kInnermostArrayResidue = 1200;

// Instructions that may be left of all loops unrolled for one array, for each element access to
// memory that this removes, over all iterations; and of all such loops together. With these, 18 of
// 480 products in register tiles from uVkCompute lack a width of 16 lanes that Mesa has. With a
// limit for each access rather than element, 33 do at 16, and at 32 a tile that is filled and
// written once grows from 106 instructions to 4,551. With at most 8,192 solve_tri_f32 grows from
// 206 to 2,994.
inline constexpr int64_t kElementResidue = 8;
inline constexpr int64_t kArrayNestResidue = 4096;

// Nests of loops that become visible one after the other, and iterations of the passes after each.
inline constexpr int kArrayNests = 4;
inline constexpr int kTurnsAfterNest = 3;
// Larger modules are not copied for a trial, and a copy that grows beyond the second is dropped:
// both bound time and memory.
inline constexpr int64_t kTrialInstructions = 16384;
inline constexpr int64_t kTriedInstructions = 65536;

// --- Registers

// Dwords of a lane that may be live at once after arrays became values: three quarters of 128, the
// number of the target with the fewest registers for each lane at its smallest width; the rest is
// for addresses and messages. With all 128, bc6h has 20 % more instructions and is no faster.
inline constexpr int64_t kLiveDwords = 96;
// Values that hoist_invariants keeps live through one loop: a quarter of the same 128. Not
// measured.
inline constexpr int kHoistedValues = 32;

// Elements of a private array that become values. With constant offsets each element is live only
// where it is used; with a variable one every element is live wherever the array is.
inline constexpr uint32_t kPromotedElements = 256;
inline constexpr uint32_t kIndexedElements = 32;
// Instructions that an access to scratch memory counts for: address, payload and message are about
// four, and the message takes the time of many more.
inline constexpr uint32_t kScratchAccessCost = 8;

// --- Branches

// Instructions of both sides of an if, selects included, up to which selects replace it. On 483
// compute modules of the corpus, 6 and 8 make 0.2 % more instructions and 0.9 % and 0.3 % more
// cycles; 24, 32 and 48 make 0.1 to 0.3 % fewer of both in a model that never skips a branch, which
// is less than skipping may save.
inline constexpr int kSelectCost = 12;

}  // namespace kiln::mid::budgets

#endif  // KILN_CORE_MID_BUDGETS_H_
