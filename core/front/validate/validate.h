// SPIRV-Tools' validator, as a check before import: for messages that name the rule broken.
#ifndef KILN_CORE_FRONT_VALIDATE_VALIDATE_H_
#define KILN_CORE_FRONT_VALIDATE_VALIDATE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln::front {

// InvalidArgument, cause "invalid_spirv", with the validator's first message. The rules are those
// of Vulkan 1.3 with scalar block layouts; the importer checks what it relies on by itself.
absl::Status Validate(absl::Span<const uint32_t> words);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_VALIDATE_VALIDATE_H_
