// Draws of random fragment programs: the same threads in the interpreter and in the simulator.
//
// Quads, coverage, facing and the places of samples are the simulator's rasteriser's, which other
// tests judge (tests/sim, tests/diff): here the accused is the compiler alone. Triangles are such
// that barycentric coordinates without perspective, and what they give, are exact; with perspective
// the interpreter gets what two multiply-adds give, the second coordinate first
// (core/intel/LOWERINGS.md).
#ifndef KILN_TESTS_EXEC_FRAGMENTS_H_
#define KILN_TESTS_EXEC_FRAGMENTS_H_

#include <cstdint>
#include <string>

#include "core/mir/mir.h"
#include "core/sim/eu/fragment.h"
#include "tests/exec/graphics.h"

namespace kiln::exec {

// One or two triangles of random shape, facing and w in a target of oracle::kDrawnEdge pixels, with
// values for all inputs that have locations.
sim::eu::FragmentInputs RandomDraw(uint64_t seed, const mir::Module& module, uint32_t samples);

// A program of oracle::GenerateModule (drawn) on buffers and images made from the seed: "" if all
// binaries leave the same targets, depth, buffers and images as the interpreter does of the module
// as it is, else what they do not. `counts` are added to.
std::string CompareDraw(const mir::Module& module, uint64_t seed, uint32_t samples,
                        const DrawSetup& setup, DrawCounts* counts);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_FRAGMENTS_H_
