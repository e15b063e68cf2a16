// Vertices of a draw in the interpreter: attributes in, all outputs back.
//
// The state of `run-peer exec` (tests/peer/README.md, "vertices"): one draw, with an invocation for
// each vertex of each view of each instance, in that order. A vertex that several indices name runs
// once for each of them.
//
// Source: Vulkan specification, "Built-In Variables" (VertexIndex: with vertexOffset, or
// firstVertex; BaseVertex: these; InstanceIndex: with firstInstance).
#ifndef KILN_TESTS_DIFF_VERTICES_H_
#define KILN_TESTS_DIFF_VERTICES_H_

#include "absl/status/statusor.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "nlohmann/json.hpp"

namespace kiln::diff {

struct RanVertices {
  // [{"builtin" or "location", "component", "type", "hex"}]: for each scalar that the program
  // stores, a dword per invocation. Scalars of arrays have the location of their element; those of
  // built-ins are counted over all components of the built-in.
  nlohmann::json outputs;
  oracle::InterpStatistics statistics;
};

// Writes the resources of `inputs` in place. InvalidArgument: a malformed draw. Unimplemented:
// attributes and outputs of other widths than 32 bits.
absl::StatusOr<RanVertices> RunVertices(const mir::Module& module, const nlohmann::json& vertices,
                                        oracle::LaunchInputs& inputs,
                                        const oracle::InterpLimits& limits);

}  // namespace kiln::diff

#endif  // KILN_TESTS_DIFF_VERTICES_H_
