// Validates SPIR-V with SPIRV-Tools.
//
// The importer does not need it (it checks what it relies on), but its messages are better for
// users. SPIRV-Tools is not hardened: only worker processes and tests may link this. newer.h
// distinguishes features newer than it (Debian's is of January 2023) from errors.
#ifndef KILN_CORE_FRONT_CHECK_VALIDATE_H_
#define KILN_CORE_FRONT_CHECK_VALIDATE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln::front {

struct ValidateOptions {
  // Vulkan 1.N to validate for; by default the one for the module's SPIR-V version (1.1 at least).
  std::optional<uint32_t> vulkan_minor;
  // Accept the layouts that scalarBlockLayout and similar features allow.
  bool scalar_block_layout = true;
};

// Validates a module. INVALID_ARGUMENT carries the validator's messages, one a line, and the result
// id of the instruction that the first is about, if it has one. UNIMPLEMENTED (refusal.h): the
// validator rejects the module, and it declares a newer feature that is not compiled.
absl::Status ValidateSpirv(absl::Span<const uint32_t> module, const ValidateOptions& options = {});

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_VALIDATE_H_
