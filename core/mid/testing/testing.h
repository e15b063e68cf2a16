// Text tests of MIR passes: IR in, one pass, IR out.
#ifndef KILN_CORE_MID_TESTING_TESTING_H_
#define KILN_CORE_MID_TESTING_TESTING_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns the body after the pass ran on `body` (the lines between `body {` and its end): values
// are renumbered and unused pure instructions dropped, so that expectations show what matters. The
// module has two read-write storage buffers, 256 bytes of shared memory, 16 of push constants and
// private arrays of 16 and 256 bytes.
// If the text does not parse or verify or the pass fails, returns the error's text.
std::string RunOnBody(std::string_view body,
                      absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&),
                      int64_t rewrite_limit = -1);

// The same for a fragment with inputs (0: four floats, 1: a flat integer, 3: an array of four
// floats), an output of four floats, two storage buffers, an image (resource 2) and a private array
// of 16 bytes.
std::string RunOnFragmentBody(std::string_view body,
                              absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&),
                              int64_t rewrite_limit = -1);

// A target with few features: accesses of four dwords a lane, blocks of 64 bytes, hardly more.
inline constexpr Features kFewFeatures = {
    .int64 = false,
    .int8 = false,
    .dot4 = false,
    .float_atomics = {.add = false, .min_max = true, .on_images = false, .of_16_bits = false},
    .half_floats = true,
    .addresses = true,
    .shared_int64_atomics = false,
    .float64 = true,
    .float64_atomics = false,
    .barycentrics = false,
    .clocks = false,
    .int64_images = false,
    .rounding_by_width = false,
    .sample_offsets = {.least = -8, .most = 7, .by_lane = false},
    .most_lanes = 32,
    .derivatives = Derivatives::kNowhere,
    .gradients = {.of_cubes = false,
                  .least_level_with_reference = false,
                  .least_level_with_offsets = false,
                  .samplers_in_table = 16},
    .divides_directions = false,
    .constant_addends = Features::Addends::kNone,
    .fuses_all_widths = false,
    .conditions_in_flags = true,
    .access = {.lane = 16, .block = 64, .shared_block_alignment = 16, .block_of_constants = false}};

// Binds a pass that takes features to a target with these.
template <absl::StatusOr<bool> (*pass)(mir::Module&, const Features&, PassContext&),
          const Features& features = kFewFeatures>
absl::StatusOr<bool> For(mir::Module& module, PassContext& context) {
  return pass(module, features, context);
}

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_TESTING_TESTING_H_
