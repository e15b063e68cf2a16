// What a draw left in a colour target, as a PNG.
#ifndef KILN_CLIENT_RUN_PICTURE_H_
#define KILN_CLIENT_RUN_PICTURE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/sim/eu/fragment.h"

namespace kiln::client::run {

// The bytes of a PNG of 8 bits, red, green, blue and alpha, of the target of `location`. Values are
// taken as floats from 0 to 1, others are clamped, NaN is 0, and they are written as they are (no
// gamma); the samples of a pixel are averaged. InvalidArgument: there is no such target, and which
// there are.
absl::StatusOr<std::string> PngOf(const sim::eu::FragmentInputs& draw, uint32_t location);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_PICTURE_H_
