// Outputs that are computed alike in every program: those decorated Invariant.
//
// Two shaders that write such an output by the same expression must give the same bits, whatever
// else they compute: a pass that draws the depth of a scene first is met by one that shades it. So
// nothing that an invariant output depends on may be computed in another way where the code around
// it suggests so: a product taken into a sum, terms in another order, a rule that holds but for
// rounding or zeros' signs. All float arithmetic in its expression tree is marked as SPIR-V's
// NoContraction marks it (mir::kExact), which the passes leave alone.
//
// Marked is what the values stored depend on, and what decides which of them they are: conditions
// of ifs, and all that makes a loop go on or end. What comes from memory that the program writes
// depends on everything that it writes to such memory.
//
// Cost: one visit of each instruction.
// Sources: Vulkan specification, "Invariance" and decoration Invariant; GLSL 4.60, 4.8.1 "The
// Invariant Qualifier".
// Limits: the outputs of two programs are equal where their SPIR-V computes them by the same
// operations in the same order; nothing is known here of the other program.
#ifndef KILN_CORE_FRONT_FINISH_MARK_INVARIANT_H_
#define KILN_CORE_FRONT_FINISH_MARK_INVARIANT_H_

#include "core/mir/mir.h"

namespace kiln::front {

// Behind FinishInterface: outputs are stored by store_output, each with its flag.
void MarkInvariant(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_MARK_INVARIANT_H_
