// Draws of random vertex programs: the same runs in the interpreter and in the simulator.
//
// The inputs of each run are computed twice: from the draw by Vulkan's rules for the interpreter
// (interpret_vertices.cc), and by the simulator from the launch record. Only the record says where
// an output lies, as for any client.
#ifndef KILN_TESTS_EXEC_VERTICES_H_
#define KILN_TESTS_EXEC_VERTICES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/vertex.h"
#include "tests/exec/graphics.h"

namespace kiln::exec {

// Makes a draw of up to oracle::kDrawnVertices vertices and oracle::kDrawnInstances instances:
// indexed or not, with offsets, attributes by vertex and by instance that lack components or not.
sim::scene::VertexInputs RandomVertices(uint64_t seed, const mir::Module& module);

// The initial value of outputs, before any store: no scalar has so many bits.
inline constexpr uint64_t kNotStored = uint64_t{1} << 63;

// Runs the draw in the interpreter, one vertex after the other in subgroups of
// inputs.subgroup_size, which have lanes of one instance only if `apart`. Writes buffers of
// `inputs` in place; its `stage` holds the outputs.
absl::Status InterpretVertices(const mir::Module& module, const sim::scene::VertexInputs& draw,
                               bool apart, oracle::LaunchInputs& inputs);

// Returns "" or the first output that differs from what the interpreter left. `needed`, by run:
// those that count; empty: all.
std::string OutputDifference(const mir::Module& module, const out::LaunchRecord& launch,
                             const oracle::StageData& want, const sim::scene::VertexInputs& got,
                             const std::vector<bool>& needed);

// Runs a program of oracle::GenerateModule (drawn) on buffers made from the seed. Returns "" if its
// binary leaves the same outputs and buffers as the interpreter does with the unchanged module,
// else the differences. On gfx1030 also of programs that cull, of what they do not leave out, which
// culling.h judges. Adds to `counts`; ignores `samples`.
std::string CompareVertices(const mir::Module& module, uint64_t seed, uint32_t samples,
                            const DrawSetup& setup, DrawCounts* counts);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_VERTICES_H_
