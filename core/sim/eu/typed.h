// Typed surface messages: reads, writes and atomics of texels at integer coordinates, 8 lanes.
//
// Coordinates are u, v, r as far as the payload has them, in the order of the surface's dimensions
// with the array index last (a cube is an array of faces). Reads outside the image give a texel of
// zeros, writes outside are dropped. The formats that can be read, and on which atomics work, are
// those of Mesa's isl_format table, "typed read" at 11.0 and later.
#ifndef KILN_CORE_SIM_EU_TYPED_H_
#define KILN_CORE_SIM_EU_TYPED_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/sim/eu/call.h"

namespace kiln::sim::eu {

absl::Status ExecuteTyped(const Call& call);

// Returns the bytes of the texel that a lane reads or writes; none outside the image.
absl::StatusOr<ByteRange> TexelBytesOf(const Call& call, int lane);

// Returns the image bound at the message's surface; NotFound if there is none.
absl::StatusOr<scene::ImageView> BoundImage(const Call& call);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_TYPED_H_
