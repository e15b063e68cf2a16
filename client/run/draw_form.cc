// The form of a draw: see draw_form.h.
#include "client/run/draw_form.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/run/draw_state.h"
#include "client/run/job_keys.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;

constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kMaxSize = 4096;  // pixels, as of --size

constexpr Key kDrawKeys[] = {
    {"width", Form::kCount, kMaxSize, 1},
    {"height", Form::kCount, kMaxSize, 1},
    {"samples", Form::kCount, 16, 1},
    {"sample_shading", Form::kBool},
    {"alpha_to_coverage", Form::kBool},
    {"positions", Form::kList},
    {"topology", Form::kText},
    {"point_size", Form::kNumber},
    {"clip_distances", Form::kList},
    {"cull_distances", Form::kList},
    {"depth", Form::kAny},
    {"inputs", Form::kList},
    {"viewport", Form::kObject},
    {"polygon_mode", Form::kText},
    {"cull", Form::kText},
    {"front_face", Form::kText},
    {"line_width", Form::kNumber},
    {"depth_clamp", Form::kBool},
    {"depth_bias", Form::kObject},
    {"sample_mask", Form::kCount, kMax},
    {"clear", Form::kList},
    {"blend_constants", Form::kList},
    {"logic_op", Form::kText},
    {"targets", Form::kList},
    {"stencil", Form::kObject},
    {"coverage", Form::kObject},
    {"written_samples", Form::kObject},
    {"layers", Form::kList},
    {"viewports", Form::kList},
    {"view_mask", Form::kCount, kMax},
    {"jitter", Form::kCount, kMax},
    {"interpolated", Form::kBool},
    {"out", Form::kText},
};
constexpr Key kInputKeys[] = {
    {"location", Form::kCount, kMax},
    {"component", Form::kCount, 3},
    {"f32", Form::kList},
    {"u32", Form::kList},
    {"i32", Form::kList},
};
// State and inputs that lavapipe knows and the simulator does not: ignored, they would be wrong.
constexpr const char* kUnsupported[] = {"vertex_shader", "instances", "alpha_to_one"};

}  // namespace

absl::Status CheckDrawForm(const json& draw) {
  for (const char* key : kUnsupported) {
    if (!draw.is_object() || !draw.contains(key)) continue;
    return absl::InvalidArgumentError(absl::StrCat("draw: \"", key, "\" is not supported"));
  }
  if (absl::Status s = CheckKeys(draw, kDrawKeys, "draw"); !s.ok()) return s;
  size_t number = 0;
  for (const json& input : draw.value("inputs", json::array())) {
    const std::string what = absl::StrCat("draw: input ", number++);
    if (absl::Status s = CheckKeys(input, kInputKeys, what); !s.ok()) return s;
  }
  return CheckStateForm(draw);
}

}  // namespace kiln::client::run
