// Shifts of HLSL's registers as users write them: "t:16", or "u:32:1" for one space.
#ifndef KILN_CLIENT_REQUEST_REGISTER_SHIFT_H_
#define KILN_CLIENT_REQUEST_REGISTER_SHIFT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// InvalidArgument quotes the wrong one and says what is wrong with it: not KIND:N[:SPACE], a number
// that no binding or set has, or a kind and space that were given before.
absl::StatusOr<std::vector<kiln::v1::GlslSource::RegisterShift>> ParseRegisterShifts(
    const std::vector<std::string>& texts);

// The reverse of one.
std::string RegisterShiftText(const kiln::v1::GlslSource::RegisterShift& shift);

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_REGISTER_SHIFT_H_
