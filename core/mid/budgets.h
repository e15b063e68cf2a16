// What the neutral passes may spend: instructions by which code may grow, dwords of a lane that may
// be alive, and work looked at before a pass gives up.
//
// They stand together because they act on each other (an array promoted is a loop unrolled, is
// values alive) and because they are choices, not facts. Each says what it was measured on; another
// value is judged by tests/corpus/compare_mesa.py over bench.txt and a sample from outside it. They
// hold for every target: a module is prepared once for all of them. A target that wants more than
// these puts a second row of the pass among its lowerings, with its own numbers, once one is found
// to.
#ifndef KILN_CORE_MID_BUDGETS_H_
#define KILN_CORE_MID_BUDGETS_H_

#include <cstdint>

namespace kiln::mid::budgets {

// --- Loops: unroll_loops, and the search of unroll_array_loops (array_loops.h)

// Iterations of one loop that are looked at.
inline constexpr int kIterations = 128;
// Instructions looked at for one loop; for one nest of loops over an array.
inline constexpr int64_t kLoopSteps = 8192;
inline constexpr int64_t kArrayNestSteps = 32768;

// The unrolled loop may have so many instructions, or so many times those of one iteration up to
// the largest. Chosen on 486 compute modules of the corpus, at Mesa's width beside Mesa's code, as
// the smallest for which neither instructions (geo. mean 0.963) nor cycles of the model (0.988) are
// above Mesa's: with 3 iterations these are 0.938 and 1.019, with 8 they are 0.979 and 0.982.
inline constexpr int64_t kSmallResidue = 64;
inline constexpr int64_t kResidueIterations = 5;
inline constexpr int64_t kLargestResidue = 1000;
// So many times one iteration may be larger than that: three of CACAO's blurs (cycles x 0.37,
// instructions x 1.45, still fewer than Mesa's). With 4 and 3,300 bc1 spills more.
inline constexpr int64_t kFewIterations = 3;
inline constexpr int64_t kFewLargest = 2500;
// The same where accesses to private arrays get known offsets: they cost a message each. More for
// innermost loops: what is left of a loop inside is known only when this one is unrolled. With 512
// for both, bc6h's palettes stay in memory (cycles x 3.4, instructions x 0.68); with 1,200 for
// both, solve_tri_f32 grows from 214 instructions to 3,838.
inline constexpr int64_t kArrayResidue = 512;
inline constexpr int64_t kInnermostArrayResidue = 1200;

// What may be left of all loops to be unrolled for an array, by the elements read and written in
// memory that go, those of all iterations counted; and of all such loops at once. Of 480 products
// in register tiles from uVkCompute 18 then miss a width of 16 lanes that Mesa has. Counted by
// access instead, 33 do at 16 each, and at 32 each a tile that is filled and written once grows
// from 106 instructions to 4,551. With at most 8,192 solve_tri_f32 grows from 206 to 2,994.
inline constexpr int64_t kElementResidue = 8;
inline constexpr int64_t kArrayNestResidue = 4096;

// Nests of loops that show one after the other, and turns of the passes behind each.
inline constexpr int kArrayNests = 4;
inline constexpr int kTurnsBehindNest = 3;
// Larger modules are not copied for a trial, and a copy that grows further is dropped: both bound
// time and memory.
inline constexpr int64_t kTrialInstructions = 16384;
inline constexpr int64_t kTriedInstructions = 65536;

// --- Registers

// Dwords of a lane that may live at once where arrays became values: three quarters of 128, which
// is what the target with the fewest registers has for each lane at its least width, the rest being
// addresses and messages. With all 128, bc6h has 20 % more instructions and is no faster.
inline constexpr int64_t kLiveDwords = 96;
// Values of one loop that hoist_invariants keeps alive through it: a quarter of the same 128. Not
// measured.
inline constexpr int kHoistedValues = 32;

// Elements of a private array that become values: with constant offsets each lives only where it is
// used, with a variable one every element is alive wherever the array is.
inline constexpr uint32_t kPromotedElements = 256;
inline constexpr uint32_t kIndexedElements = 32;
// Instructions that an access to scratch memory is held to be worth: address, payload and message
// are about four, and the message takes the time of many more.
inline constexpr uint32_t kScratchAccessCost = 8;

// --- Branches

// Instructions of both sides, selects included, up to which a branch does not pay. On 483 compute
// modules of the corpus, 6 and 8 make 0.2 % more instructions and 0.9 % and 0.3 % more cycles; 24,
// 32 and 48 make 0.1 to 0.3 % fewer of both in a model that never skips a branch, which is less
// than skipping may save.
inline constexpr int kSelectCost = 12;

}  // namespace kiln::mid::budgets

#endif  // KILN_CORE_MID_BUDGETS_H_
