// Fragment threads of a draw in the interpreter: see fragments.h.
#ifndef KILN_TESTS_EXEC_INTERPRET_DRAW_H_
#define KILN_TESTS_EXEC_INTERPRET_DRAW_H_

#include "absl/status/status.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/sim/scene/fragment.h"

namespace kiln::exec {

// Runs the fragments of one primitive after the other in subgroups of inputs.subgroup_size, in the
// order of their quads; with `per_sample` each covered sample of a quad has four lanes of its own.
// Writes buffers and images of `inputs`, and render targets and depth of `draw`, in place.
absl::Status InterpretDraw(const mir::Module& module, bool per_sample, oracle::LaunchInputs& inputs,
                           sim::scene::FragmentInputs& draw);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_INTERPRET_DRAW_H_
