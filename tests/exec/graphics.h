// Programs of graphics stages, at each width that they can have: shared by the comparisons of
// fragments (fragments.h) and of vertices (vertices.h) with the interpreter.
#ifndef KILN_TESTS_EXEC_GRAPHICS_H_
#define KILN_TESTS_EXEC_GRAPHICS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/driver/compile.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/sim/scene/dispatch.h"
#include "core/target/pipeline_state.h"

namespace kiln::exec {

struct DrawSetup {
  std::vector<std::string> disabled_passes;
  bool opposite = true;  // run also in the opposite order and with other undefined contents
  // Runs in memory mode, by as many seeds (RunOptions::memory_seed). Only draws of fragments
  // without two fragments at one pixel, which may change one dword in any order.
  uint32_t memory_seeds = 0;
  bool waves_of_primitives = false;  // sim::rdna2::Options
  // The rest is of the state that programs are compiled for. Modules that may not cull are left out
  // of those that are compiled to do so.
  std::vector<InstanceRate> instance_rates = {};
  PrimitiveCulling culling = PrimitiveCulling::kOff;
  uint32_t ngg_group = 0;
};

// Counts of a comparison.
struct DrawCounts {
  int64_t programs = 0;  // binaries, of any width
  int64_t threads = 0;
  int64_t written = 0;  // samples of render targets, or scalars of outputs, in the interpreter
  // Primitives of programs that cull; left out in all, and by a distance to clip or to cull by.
  int64_t primitives = 0, left_out = 0, outside = 0;
};

struct Widths {
  std::vector<int> all;
  std::vector<int> may_lack;  // widths that may be refused, except for lack of registers
};

// Compiles the module for render targets of `samples` samples and gives each binary to `judge`,
// which returns its faults, or "". Returns all faults, with refusals and the findings of the EU
// verifier, or "".
std::string CompileAndJudge(const mir::Module& module, const DrawSetup& setup, uint32_t samples,
                            const Widths& widths,
                            const std::function<std::string(const Variant&)>& judge);

// Runs a binary alone, fused, in the opposite order and in memory mode, each time on an unchanged
// `dispatch`.
// Returns "" or the text that `difference` returns for the results.
std::string SimulateDraws(const Variant& variant, const DrawSetup& setup,
                          const sim::scene::Dispatch& dispatch,
                          const std::function<std::string(const sim::scene::Dispatch&)>& difference,
                          DrawCounts* counts);

// Returns buffers, images and push constants of the launch.
sim::scene::Dispatch DispatchOf(const oracle::LaunchInputs& inputs);

// Extends buffer 0 of the launch to `dwords`, by contents derived from its own.
void ExtendOwnBuffer(size_t dwords, oracle::LaunchInputs& inputs);

// Buffers hold numbers of all types: returns true for the same bits, or two NaNs.
bool SameDword(uint32_t want, uint32_t got);

// Returns "" or the first dword or texel that differs.
std::string ResourceDifference(const oracle::LaunchInputs& want, const sim::scene::Dispatch& got);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_GRAPHICS_H_
