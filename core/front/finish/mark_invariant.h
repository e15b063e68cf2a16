// Marks the computation of outputs decorated Invariant, so that every program computes them alike.
//
// Two shaders that write such an output by the same expression must give the same bits, whatever
// else they compute: a pass that draws only the depth of a scene must match one that shades it. So
// no part of the computation of an invariant output may be compiled differently because of the code
// around it: no fusing of a product into a sum, no reordering of terms, no rule that is inexact in
// rounding or in the signs of zeros. All float arithmetic in its expression tree is marked like
// SPIR-V's NoContraction (mir::kExact), which the passes leave alone.
//
// Marks every value that a stored value depends on, and every value that decides which value is
// stored: conditions of ifs, and conditions by which a loop continues or ends. A load from memory
// that the program writes depends on everything that the program writes to such memory.
//
// Cost: one visit of each instruction. Sources: Vulkan specification, "Invariance" and decoration
// Invariant; GLSL 4.60, 4.8.1 "The Invariant Qualifier". Limits: the outputs of two programs are
// equal if their SPIR-V computes them by the same operations in the same order; this pass knows
// nothing of the other program.
#ifndef KILN_CORE_FRONT_FINISH_MARK_INVARIANT_H_
#define KILN_CORE_FRONT_FINISH_MARK_INVARIANT_H_

#include "core/mir/mir.h"

namespace kiln::front {

// Runs after FinishInterface: outputs are stored by store_output, each with its flag.
void MarkInvariant(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_MARK_INVARIANT_H_
