// Fragment threads of a draw in the interpreter: see fragments.h.
#ifndef KILN_TESTS_EXEC_INTERPRET_DRAW_H_
#define KILN_TESTS_EXEC_INTERPRET_DRAW_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/sim/scene/fragment.h"

namespace kiln::exec {

// The order in which a target adds the parts of an interpolated value to the one at vertex 0; each
// addition is a multiply-add that rounds once.
enum class Interpolating : uint8_t {
  kSecondVertexFirst,  // tgl: core/intel/ABI.md, "Fragments"
  kFirstVertexFirst,   // gfx1030: v_interp_p1_f32, v_interp_p2_f32
};

// Runs the fragments of one primitive, or with `together` of those that may share waves
// (scene::QuadsOfPrimitives), after the other in subgroups of inputs.subgroup_size, in the order of
// their quads; with `per_sample` each covered sample of a quad has four lanes of its own.
// Writes buffers and images of `inputs`, and render targets and depth of `draw`, in place.
absl::Status InterpretDraw(const mir::Module& module, bool per_sample, Interpolating interpolating,
                           bool together, oracle::LaunchInputs& inputs,
                           sim::scene::FragmentInputs& draw);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_INTERPRET_DRAW_H_
