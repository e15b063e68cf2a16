// The numeric type and precision of colour formats, by Vulkan's number.
#ifndef KILN_CLIENT_CAPTURE_COLOR_FORMAT_H_
#define KILN_CLIENT_CAPTURE_COLOR_FORMAT_H_

#include <cstdint>
#include <optional>

#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns the type of the shader's output that a colour attachment of this VkFormat takes. nullopt:
// no colour format that is known.
std::optional<kiln::v1::ColorAttachment::NumericType> TypeOfFormat(uint32_t format);

// Returns the narrowest form in which such an attachment may take outputs; `blended`: it blends.
// BITS_32 for formats that are not known.
kiln::v1::ColorAttachment::Precision PrecisionOfFormat(uint32_t format, bool blended);

}  // namespace kiln::client

#endif  // KILN_CLIENT_CAPTURE_COLOR_FORMAT_H_
