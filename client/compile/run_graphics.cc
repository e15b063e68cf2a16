// See run_graphics.h.
#include "client/compile/run_graphics.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/paths.h"
#include "client/request/pipeline_state.h"
#include "client/run/draw.h"
#include "client/run/linked_draw.h"
#include "client/run/picture.h"
#include "client/run/vertices.h"

namespace kiln::client {
namespace {

using nlohmann::json;

constexpr uint32_t kUsualSize = 256, kMaxSize = 4096;  // of a picture, in pixels
constexpr const char* kDrawFlags[] = {"png", "size", "location"};
constexpr size_t kMaxShown = 16;  // vertices, in text
// Vertices of all instances whose outputs are printed: JSON of one takes up to a KiB of memory.
constexpr uint64_t kMaxVertices = 1 << 20;

// Returns an error that names the job's file.
absl::Status InJob(const ParsedFlags& flags, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(flags.Get("buffers"), ": ", message));
}

// Refuses flags and parts of the job that belong to another stage.
absl::Status CheckStage(const ParsedFlags& flags, bool pair, const std::string& stage,
                        const run::Job& job) {
  const std::string is = absl::StrCat("this is a ", stage, " shader");
  for (const char* flag : kDrawFlags) {
    if (stage == "fragment" || !flags.Has(flag)) continue;
    return absl::InvalidArgumentError(absl::StrCat("--", flag, " is for fragment shaders; ", is));
  }
  if (stage != "compute" && flags.Has("groups")) {
    return absl::InvalidArgumentError(absl::StrCat("--groups is for compute shaders; ", is));
  }
  if (!job.draw.is_null() && stage != "fragment") return InJob(flags, "draw: " + is);
  if (!job.vertices.is_null() && stage != "vertex" && !pair) return InJob(flags, "vertices: " + is);
  if (job.dispatches && stage != "compute") return InJob(flags, "dispatch: " + is);
  return absl::OkStatus();
}

absl::Status SetSize(const std::string& text, json* draw) {
  const std::vector<std::string> parts = absl::StrSplit(text, 'x');
  uint32_t width = 0, height = 0;
  const bool good = parts.size() == 2 && absl::SimpleAtoi(parts[0], &width) &&
                    absl::SimpleAtoi(parts[1], &height) && width - 1 < kMaxSize &&
                    height - 1 < kMaxSize;
  if (!good) {
    return absl::InvalidArgumentError(absl::StrCat("--size=", text,
                                                   ": must be a width and a height from 1 to ",
                                                   kMaxSize, ", for example 320x200"));
  }
  (*draw)["width"] = width;
  (*draw)["height"] = height;
  return absl::OkStatus();
}

// Draws the views that a program is compiled for: its launch record does not list them, and drawn
// with others it would read wrong view numbers.
absl::Status SetViews(const ParsedFlags& flags, json* draw) {
  if (flags.Has("launch")) return absl::OkStatus();
  uint32_t mask = 0;
  if (flags.Has("state")) {
    const absl::StatusOr<kiln::v1::PipelineState> state = ReadPipelineState(flags.Get("state"));
    if (!state.ok()) return state.status();
    mask = state->view_mask();
  }
  if (!draw->contains("view_mask")) (*draw)["view_mask"] = mask;
  if ((*draw)["view_mask"] == mask) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("draw: view_mask is ", (*draw)["view_mask"].dump(),
                                                 ", but the shader is compiled for ", mask,
                                                 " (--state)"));
}

// Sets the draw of a fragment shader: the job's, or a triangle that covers the render target.
absl::Status PrepareDraw(const ParsedFlags& flags, const out::LaunchRecord& launch, run::Job* job) {
  json& draw = job->draw;
  if (draw.is_null()) {
    draw = {{"width", kUsualSize}, {"height", kUsualSize}, {"samples", launch.fragment.samples}};
  }
  if (flags.Has("size")) {
    if (absl::Status s = SetSize(flags.Get("size"), &draw); !s.ok()) return s;
  }
  if (absl::Status s = SetViews(flags, &draw); !s.ok()) return s;
  if (absl::Status s = run::AddMissingInputs(launch, &draw); !s.ok()) return s;
  absl::StatusOr<sim::scene::FragmentInputs> inputs =
      run::ReadDraw(draw, launch, job->folder, job->dispatch.limit);
  if (!inputs.ok()) return inputs.status();
  job->dispatch.draw = *std::move(inputs);
  return absl::OkStatus();
}

// Sets the vertices of a vertex shader. `linked`: they are not shown, but drawn.
absl::Status PrepareVertices(const ParsedFlags& flags, const out::LaunchRecord& launch, bool linked,
                             run::Job* job, run::VertexTypes* types) {
  if (job->vertices.is_null()) {
    return InJob(flags,
                 "a vertex shader needs \"vertices\", for example "
                 "{\"vertices\": {\"count\": 3}}");
  }
  if (!job->vertices.contains("view_mask")) job->vertices["view_mask"] = launch.vertex.view_mask;
  absl::StatusOr<sim::scene::VertexInputs> inputs = run::ReadVertices(job->vertices, launch.vertex);
  if (!inputs.ok()) return InJob(flags, std::string(inputs.status().message()));
  if (!linked && inputs->Runs() > kMaxVertices) {
    return InJob(flags, absl::StrCat("vertices: ", inputs->Runs(), " with those of all instances; ",
                                     kMaxVertices, " can be printed at most"));
  }
  absl::StatusOr<run::VertexTypes> shown = run::ReadVertexTypes(job->vertices, launch.vertex);
  if (!shown.ok()) return InJob(flags, std::string(shown.status().message()));
  job->dispatch.vertices = *std::move(inputs);
  *types = *std::move(shown);
  return job->dispatch.limit.Check();
}

std::string DrawText(const sim::scene::FragmentInputs& draw) {
  std::string text;
  for (const sim::scene::RenderTarget& t : draw.targets) {
    const std::string layers =
        draw.layers == 1 ? "" : absl::StrCat(", ", draw.layers, " layers one below the other");
    absl::StrAppend(&text, "location ", t.location, ": ", draw.width, " x ", draw.height, " pixels",
                    layers, "\n");
  }
  return text;
}

nlohmann::ordered_json DrawJson(const sim::scene::FragmentInputs& draw) {
  nlohmann::ordered_json of = {
      {"width", draw.width}, {"height", draw.height}, {"locations", json::array()}};
  if (draw.layers > 1) of["layers"] = draw.layers;
  for (const sim::scene::RenderTarget& t : draw.targets) of["locations"].push_back(t.location);
  return of;
}

}  // namespace

absl::Status PrepareGraphics(const ParsedFlags& flags, const out::LaunchRecord* vertex,
                             const out::LaunchRecord& launch, run::Job* job,
                             run::VertexTypes* types) {
  const bool pair = vertex != nullptr;
  if (absl::Status s = CheckStage(flags, pair, launch.stage, *job); !s.ok()) return s;
  if (pair) return PrepareVertices(flags, *vertex, true, job, types);
  if (launch.stage == "vertex") return PrepareVertices(flags, launch, false, job, types);
  if (launch.stage == "fragment") return PrepareDraw(flags, launch, job);
  return absl::OkStatus();
}

absl::Status PrepareLinkedDraw(const ParsedFlags& flags, const out::LaunchRecord& vertex,
                               const out::LaunchRecord& fragment, run::Job* job) {
  if (vertex.vertex.view_mask != 0) {
    return InJob(flags, "draw: a vertex and a fragment shader with views of multiview");
  }
  json& draw = job->draw;
  if (draw.is_null()) {
    draw = {{"width", kUsualSize}, {"height", kUsualSize}, {"samples", fragment.fragment.samples}};
  }
  if (flags.Has("size")) {
    if (absl::Status s = SetSize(flags.Get("size"), &draw); !s.ok()) return s;
  }
  const absl::StatusOr<sim::scene::VertexStream> stream =
      run::LinkVertices(*job->dispatch.vertices);
  if (!stream.ok()) return InJob(flags, std::string(stream.status().message()));
  absl::StatusOr<sim::scene::FragmentInputs> inputs =
      run::ReadLinkedDraw(draw, *stream, fragment, job->folder, job->dispatch.limit);
  if (absl::IsDeadlineExceeded(inputs.status())) return inputs.status();
  if (!inputs.ok()) return InJob(flags, std::string(inputs.status().message()));
  job->dispatch.vertices.reset();
  job->dispatch.draw = *std::move(inputs);
  return absl::OkStatus();
}

absl::Status WritePicture(const ParsedFlags& flags, const sim::scene::Dispatch& dispatch) {
  if (!flags.Has("png")) return absl::OkStatus();
  const auto& targets = dispatch.draw->targets;
  const absl::StatusOr<int64_t> location =
      flags.Number("location", targets.empty() ? 0 : targets[0].location, 0, 7);
  if (!location.ok()) return location.status();
  const absl::StatusOr<std::string> png =
      run::PngOf(*dispatch.draw, static_cast<uint32_t>(*location));
  if (!png.ok()) return png.status();
  return WriteWholeFile(flags.Get("png"), *png);
}

std::string GraphicsText(const sim::scene::Dispatch& dispatch, const run::VertexTypes& types) {
  if (dispatch.draw) return DrawText(*dispatch.draw);
  if (!dispatch.vertices) return "";
  return run::VertexText(*dispatch.vertices, types, kMaxShown);
}

void AddGraphics(const sim::scene::Dispatch& dispatch, const run::VertexTypes& types,
                 nlohmann::ordered_json* result) {
  if (dispatch.draw) (*result)["draw"] = DrawJson(*dispatch.draw);
  if (!dispatch.vertices) return;
  (*result)["vertices"] = run::VertexRows(*dispatch.vertices, types);
}

}  // namespace kiln::client
