// The vertices that a vertex shader left, for the fragment shader of the same pipeline.
#ifndef KILN_CLIENT_RUN_LINKED_DRAW_H_
#define KILN_CLIENT_RUN_LINKED_DRAW_H_

#include "absl/status/statusor.h"
#include "core/sim/scene/vertex.h"
#include "core/sim/scene/vertex_stream.h"

namespace kiln::client::run {

// Returns the outputs of a run as a stream; components that the program did not write are 0.
// InvalidArgument: no position.
absl::StatusOr<sim::scene::VertexStream> LinkVertices(const sim::scene::VertexInputs& run);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_LINKED_DRAW_H_
