// Draws of random vertex programs: the same runs in the interpreter and in the simulator.
//
// What each run gets is worked out twice, from the draw by Vulkan's rules for the interpreter
// (interpret_vertices.cc) and by the simulator from the launch record; where an output lies, the
// record alone says, as to any client.
#ifndef KILN_TESTS_EXEC_VERTICES_H_
#define KILN_TESTS_EXEC_VERTICES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/sim/eu/vertex.h"
#include "tests/exec/graphics.h"

namespace kiln::exec {

// A draw of up to oracle::kDrawnVertices vertices and oracle::kDrawnInstances instances: indexed or
// not, with offsets, attributes by vertex and by instance that lack components or not.
sim::eu::VertexInputs RandomVertices(uint64_t seed, const mir::Module& module);

// What an output is before anything is stored to it: no scalar has so many bits.
inline constexpr uint64_t kNotStored = uint64_t{1} << 63;

// Runs of the draw in the interpreter, one behind the other in subgroups of
// inputs.subgroup_size. Buffers of `inputs` are written in place; its `stage` has the outputs.
absl::Status InterpretVertices(const mir::Module& module, const sim::eu::VertexInputs& draw,
                               oracle::LaunchInputs& inputs);

// A program of oracle::GenerateModule (drawn) on buffers made from the seed: "" if its binary
// leaves the same outputs and buffers as the interpreter does of the module as it is, else what it
// does not. `counts` are added to; `samples` is nothing to vertices.
std::string CompareVertices(const mir::Module& module, uint64_t seed, uint32_t samples,
                            const DrawSetup& setup, DrawCounts* counts);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_VERTICES_H_
