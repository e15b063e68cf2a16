// Vertices of a draw in the interpreter: attributes in, all outputs back.
//
// The state of `run-peer exec` (tests/peer/README.md, "vertices"): an invocation for each vertex of
// each view of each instance, in that order; one draw. Vertices that several indices name run as
// often as they are named.
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
  // [{"builtin" or "location", "component", "type", "hex"}]: of each scalar that the program stores
  // a dword for each invocation. Scalars of arrays stand at the location of their element; those of
  // built-ins have the component that they are of all the built-in's.
  nlohmann::json outputs;
  oracle::InterpStatistics statistics;
};

// Resources of `inputs` are written in place. InvalidArgument: a draw that is wrong. Unimplemented:
// attributes and outputs of other widths than 32 bits.
absl::StatusOr<RanVertices> RunVertices(const mir::Module& module, const nlohmann::json& vertices,
                                        oracle::LaunchInputs& inputs,
                                        const oracle::InterpLimits& limits);

}  // namespace kiln::diff

#endif  // KILN_TESTS_DIFF_VERTICES_H_
