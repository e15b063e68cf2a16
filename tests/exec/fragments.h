// Draws of random fragment programs: the same threads in the interpreter and in the simulator.
//
// Quads, coverage, facing and sample positions come from the simulator's rasteriser, which other
// tests judge (tests/sim, tests/diff): only the compiler is under test here. Triangles are chosen
// so that barycentric coordinates without perspective, and values interpolated with them, are
// exact; with perspective the interpreter uses the result of two multiply-adds, the second
// coordinate first (core/intel/LOWERINGS.md).
#ifndef KILN_TESTS_EXEC_FRAGMENTS_H_
#define KILN_TESTS_EXEC_FRAGMENTS_H_

#include <cstdint>
#include <string>

#include "core/mir/mir.h"
#include "core/sim/scene/fragment.h"
#include "tests/exec/graphics.h"

namespace kiln::exec {

// Makes one or two triangles of random shape, facing and w in a render target of oracle::kDrawnEdge
// pixels, with values for all inputs that have locations.
sim::scene::FragmentInputs RandomDraw(uint64_t seed, const mir::Module& module, uint32_t samples);

// Makes four triangles likewise, one in each quarter of the render target: fragments of several can
// share waves.
sim::scene::FragmentInputs RandomDrawOfQuarters(uint64_t seed, const mir::Module& module,
                                                uint32_t samples);

// Draws a program of oracle::GenerateModule (drawn) on buffers and images made from the seed.
// Returns "" if all binaries leave the same render targets, depth, buffers and images as the
// interpreter does with the unchanged module, else the differences. On gfx1030 also where waves
// have fragments of several primitives. Adds to `counts`.
std::string CompareDraw(const mir::Module& module, uint64_t seed, uint32_t samples,
                        const DrawSetup& setup, DrawCounts* counts);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_FRAGMENTS_H_
