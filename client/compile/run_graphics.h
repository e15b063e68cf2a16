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
absl::Status PrepareGraphics(const ParsedFlags& flags, const out::LaunchRecord& launch,
                             run::Job* job, run::VertexTypes* types);

// Writes the picture for --png. InvalidArgument, and the errors of files.
absl::Status WritePicture(const ParsedFlags& flags, const sim::scene::Dispatch& dispatch);

// Returns a description of the draw for people; "" for compute shaders. In JSON: "draw" or
// "vertices".
std::string GraphicsText(const sim::scene::Dispatch& dispatch, const out::LaunchRecord& launch,
                         const run::VertexTypes& types);
void AddGraphics(const sim::scene::Dispatch& dispatch, const out::LaunchRecord& launch,
                 const run::VertexTypes& types, nlohmann::ordered_json* result);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMPILE_RUN_GRAPHICS_H_
