// Fuzz target: any text is either an error or a module that prints and parses to the same text
// again. A module that also verifies runs in the interpreter within its limits.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/example_images.h"
#include "core/oracle/interp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln::mir;
  const absl::StatusOr<Module> module =
      Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  const std::string text = Print(*module);
  const absl::StatusOr<Module> again = Parse(text);
  if (!again.ok() || Print(*again) != text) std::abort();
  if (!Verify(*module).ok()) return 0;
  kiln::oracle::LaunchInputs inputs;
  inputs.detect_races = true;
  for (const Resource& r : module->resources) {
    inputs.buffers.push_back({r.set, r.binding, r.element, std::vector<uint8_t>(64)});
  }
  kiln::oracle::BindExampleImages(*module, 3, &inputs);
  const kiln::oracle::InterpLimits limits = {.max_lane_steps = 100000,
                                             .max_register_bytes = 1 << 22};
  (void)kiln::oracle::Interpret(*module, inputs, limits).ok();
  return 0;
}
