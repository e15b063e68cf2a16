// The last optimisations of a machine program, after allocation; each is in a file of its own.
//
//   if, instructions, else, endif                     -> if, instructions, endif
//   if, else, instructions, endif                     -> the same under the opposite condition
//   if, up to kMaxPredicated instructions, endif      -> the instructions, predicated, where that
//                                                        costs no more than the branches
//   if, instructions, else, instructions, endif       -> the same for both sides
//   if, up to kMaxPredicated instructions, break, endif  -> the same with a predicated break
//   break under a predicate right before a while      -> the while, under the opposite predicate
//   an instruction that has a form of 8 bytes         -> is marked for it
//
// In and out: a program with branch targets. The last pass takes a program with scoreboard
// annotations, and changes neither the number nor the order of instructions; the others take one
// without annotations. Cost: linear.
#ifndef KILN_CORE_INTEL_EMIT_PASSES_H_
#define KILN_CORE_INTEL_EMIT_PASSES_H_

#include <cstdint>

#include "core/intel/device/device.h"
#include "core/intel/isa/program.h"

namespace kiln::intel {

// Called before each rewrite; the pass stops when it returns false.
using MayRewrite = bool (*)(void* context);

// Each pass returns the number of rewrites made.
int RemoveEmptySides(isa::Program& program, MayRewrite may_rewrite, void* context);
// Uses the device's cost model.
int PredicateSmallIfs(const Device& device, isa::Program& program, MayRewrite may_rewrite,
                      void* context);
int PredicateWhiles(isa::Program& program, MayRewrite may_rewrite, void* context);
int CompactInstructions(isa::Program& program, MayRewrite may_rewrite, void* context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_PASSES_H_
