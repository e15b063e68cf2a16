// Draws and vertices on which `kiln run` runs fragment and vertex shaders, and their output.
#ifndef KILN_CLIENT_COMPILE_RUN_GRAPHICS_H_
#define KILN_CLIENT_COMPILE_RUN_GRAPHICS_H_

#include <string>

#include "absl/status/status.h"
#include "client/cli/flags.h"
#include "client/run/job.h"
#include "client/run/show_vertices.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"
#include "nlohmann/json.hpp"

namespace kiln::client {

// Puts the stage's inputs into the job's dispatch: its draw, or a triangle that covers the render
// target; its vertices, which must be given; nothing for compute shaders. `types` are those in
// which vertices are to be shown. InvalidArgument also names flags (--png, --size, --location,
// --groups) and parts of the job that are another stage's.
// `vertex`: the record of a pair's vertex shader, null without one; then `launch` is the fragment
// shader's, and the draw follows after the vertices (PrepareLinkedDraw).
absl::Status PrepareGraphics(const ParsedFlags& flags, const out::LaunchRecord* vertex,
                             const out::LaunchRecord& launch, run::Job* job,
                             run::VertexTypes* types);

// Replaces the vertices of the dispatch, which have been run, by the draw of the primitives that
// they form.
absl::Status PrepareLinkedDraw(const ParsedFlags& flags, const out::LaunchRecord& vertex,
                               const out::LaunchRecord& fragment, run::Job* job);

// Writes the picture for --png. InvalidArgument, and the errors of files.
absl::Status WritePicture(const ParsedFlags& flags, const sim::scene::Dispatch& dispatch);

// Returns a description of the draw for people; "" for compute shaders. In JSON: "draw" or
// "vertices".
std::string GraphicsText(const sim::scene::Dispatch& dispatch, const run::VertexTypes& types);
void AddGraphics(const sim::scene::Dispatch& dispatch, const run::VertexTypes& types,
                 nlohmann::ordered_json* result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_RUN_GRAPHICS_H_
