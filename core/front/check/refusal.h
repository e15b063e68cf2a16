// The two kinds of status for rejected input.
//
// `Refused`: well-formed, but outside what Kiln compiles. Carries a cause of core/base/causes.def,
// which reaches JSON results and metrics labels, and the part of the module to blame. `Invalid`:
// SPIR-V without a meaning. Both carry the SPIR-V id if there is one (core/base/cause.h).
#ifndef KILN_CORE_FRONT_CHECK_REFUSAL_H_
#define KILN_CORE_FRONT_CHECK_REFUSAL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/base/cause.h"

namespace kiln::front {

// Returns an UNIMPLEMENTED status with cause, detail and id attached. `cause` must be a row of
// causes.def (checked by assertion); `id` 0: there is none.
absl::Status Refused(std::string_view cause, const Detail& detail, uint32_t id = 0);

// The same for a feature that is declared by this capability.
absl::Status RefusedCapability(std::string_view cause, std::string_view capability);

// Returns an INVALID_ARGUMENT status with the id attached.
absl::Status Invalid(const std::string& message, uint32_t id = 0);

// Returns the cause of a status made by Refused; empty for any other.
std::string RefusalCause(const absl::Status& status);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_REFUSAL_H_
