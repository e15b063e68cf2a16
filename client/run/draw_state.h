// The state of a draw: viewport, rasterisation, tests, blending, and what attachments begin with.
//
//   {"viewport": {"x", "y", "width", "height", "min_depth", "max_depth"},
//    "polygon_mode": "fill" | "line" | "point", "cull": "none" | "front" | "back" | "both",
//    "front_face": "counterclockwise" | "clockwise", "line_width": 1,
//    "depth_clamp": false, "depth_bias": {"constant", "clamp", "slope"},
//    "sample_mask": all, "clear": [r, g, b, a], "blend_constants": [r, g, b, a],
//    "logic_op": "copy", ...,
//    "targets": [{"location", "format", "clear", "data": DATA, "write_mask": "rgba",
//      "blend": {"src", "dst", "op", "alpha_src", "alpha_dst", "alpha_op"},
//      "resolve": false, "as", "out"}],
//    "depth": true | {"format", "clear", "data", "compare", "write", "bounds", "as", "out"},
//    "stencil": {"clear", "data", "front": FACE, "back": FACE, "as", "out"},
//    "coverage": {"as", "out"}, "written_samples": {"as", "out"}}
//
// FACE: {"compare", "fail", "pass", "depth_fail", "compare_mask", "write_mask", "reference"};
// "back" is by default as "front". Names are Vulkan's, in lower case. A target without a format
// keeps four 32-bit components, and has no logical operations. Attachments begin with "data", bytes
// of their format, or with "clear".
#ifndef KILN_CLIENT_RUN_DRAW_STATE_H_
#define KILN_CLIENT_RUN_DRAW_STATE_H_

#include <string>

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/fragment.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// Checks keys and forms of the state. InvalidArgument names the error.
absl::Status CheckStateForm(const nlohmann::json& draw);

// Reads the state of rasterisation, which must be set before primitives are added. InvalidArgument:
// a viewport beyond 2^15 pixels or of depths outside 0 to 1, numbers that are not finite.
absl::Status ReadRasterState(const nlohmann::json& draw, sim::scene::FragmentInputs& in);

// Reads tests, blending and attachments, for the size, samples and layers that `in` has. Targets
// are those of the record's colour outputs, in their order, and those that "targets" has besides.
// Depth, stencil and sample masks are also kept if the program writes them. `folder` is that of the
// job's files. ResourceExhausted: more than 1 GiB in all, as the simulator keeps them.
absl::Status ReadAttachments(const nlohmann::json& draw, const out::LaunchRecord& record,
                             const std::string& folder, sim::scene::FragmentInputs& in);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_DRAW_STATE_H_
