// Any text is an error or a module that verifies or not, prints, and parses to the same text again;
// a module that verifies runs under the interpreter within its limits.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/mir/interp.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace {

// A small image that fits the resource.
kiln::mir::BoundImage ImageFor(const kiln::mir::Resource& r) {
  using namespace kiln::mir;
  BoundImage image = {.set = r.set, .binding = r.binding, .element = r.element};
  image.format = r.image.format;
  if (image.format == ImageFormat::kUnknown) {
    image.format = r.image.component == ComponentType::kFloat ? ImageFormat::kRgba8
                                                              : ImageFormat::kR32ui;
  }
  image.dim = r.image.dim;
  image.arrayed = r.image.arrayed;
  image.width = 3;
  if (image.dim != ImageDim::k1D && image.dim != ImageDim::kBuffer) image.height = 3;
  image.layers = image.dim == ImageDim::kCube ? 6 : 1;
  image.samples = r.image.multisampled ? 2 : 1;
  image.bytes.resize(image.Texels() * static_cast<uint64_t>(FormatOf(image.format).Bytes()));
  return image;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln::mir;
  const absl::StatusOr<Module> module =
      Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  const std::string text = Print(*module);
  const absl::StatusOr<Module> again = Parse(text);
  if (!again.ok() || Print(*again) != text) std::abort();
  if (!Verify(*module).ok()) return 0;
  LaunchInputs inputs;
  inputs.detect_races = true;
  for (const Resource& r : module->resources) {
    inputs.buffers.push_back({r.set, r.binding, r.element, std::vector<uint8_t>(64)});
    inputs.samplers.push_back({.set = r.set, .binding = r.binding, .linear = true});
    if (HasImage(r.kind)) inputs.images.push_back(ImageFor(r));
  }
  (void)Interpret(*module, inputs, {.max_lane_steps = 100000, .max_register_bytes = 1 << 22}).ok();
  return 0;
}
