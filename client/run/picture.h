// A colour render target after a draw, as a PNG.
#ifndef KILN_CLIENT_RUN_PICTURE_H_
#define KILN_CLIENT_RUN_PICTURE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/sim/scene/fragment.h"

namespace kiln::client::run {

// Returns the bytes of a PNG with 8 bits each of red, green, blue and alpha, of the render target
// of `location`. Values are taken as floats from 0 to 1, others are clamped, NaN is 0, and they are
// written unchanged (no gamma); the samples of a pixel are averaged. InvalidArgument: there is no
// such render target; lists those that there are.
absl::StatusOr<std::string> PngOf(const sim::scene::FragmentInputs& draw, uint32_t location);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_PICTURE_H_
