// Random vertex programs of gfx1030 that cull.
#ifndef KILN_TESTS_EXEC_CULLED_VERTICES_H_
#define KILN_TESTS_EXEC_CULLED_VERTICES_H_

#include <cstdint>
#include <string>

#include "core/mir/mir.h"
#include "tests/exec/graphics.h"

namespace kiln::exec {

// Changes a program of oracle::GenerateModule (drawn) so that it culls, and compiles it for
// workgroups of either size. Returns "" if, on draws with random requests, the vertices of
// primitives that are not left out have the interpreter's outputs, and the others may be left out
// (culling.h); else the faults. Also "" for programs with atomics or operations between lanes.
// Adds to `counts`.
std::string CompareCulled(const mir::Module& module, uint64_t seed, const DrawSetup& setup,
                          DrawCounts* counts);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_CULLED_VERTICES_H_
