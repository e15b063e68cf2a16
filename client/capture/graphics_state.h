// The state of a captured graphics pipeline that code depends on.
//
// Attachments come from the subpass of the render pass or from dynamic rendering, their masks and
// second blend sources from the blend state, the rest from the multisample state. Fossilize leaves
// out what a pipeline ignores. State that is left to be set when drawing is a problem where the
// code depends on it: the number of samples, alpha to coverage, alpha to one, and the blend
// equation, which decides whether a second output is read. A dynamic write mask is none: what an
// attachment does not take, the hardware drops.
//
// Sources: Vulkan specification, "Dynamic State", "Sample Shading", "Fragment Output Interface".
#ifndef KILN_CLIENT_CAPTURE_GRAPHICS_STATE_H_
#define KILN_CLIENT_CAPTURE_GRAPHICS_STATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/capture/capture_cause.h"
#include "client/capture/entry_json.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

struct GraphicsState {
  uint32_t view_mask = 0;
  // Points or lines are drawn, or triangles' edges or vertices: vertex programs leave out none.
  bool no_triangles = false;
  kiln::v1::FragmentState fragment;
  // Why a fragment shader cannot be compiled for it.
  std::optional<CaptureProblem> fragment_problem;
  // Why no stage can.
  std::optional<CaptureProblem> problem;
};

// Returns the payload of a render pass, by its hash.
using RenderPassOf = std::function<absl::StatusOr<std::string>(uint64_t hash)>;

// `pipeline`: the JSON of VkGraphicsPipelineCreateInfo; errors of types in it are the document's.
GraphicsState ReadGraphicsState(const EntryJson& pipeline, const RenderPassOf& render_pass);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_GRAPHICS_STATE_H_
