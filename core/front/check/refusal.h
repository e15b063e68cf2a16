// The two kinds of rejected input, and how callers get the cause.
//
// `Refused`: well-formed, but outside what Kiln compiles. Carries a stable snake_case cause from
// the coverage table, which reaches JSON results and metrics labels. `Invalid`: SPIR-V without a
// meaning. Both name the SPIR-V id if there is one.
#ifndef KILN_CORE_FRONT_CHECK_REFUSAL_H_
#define KILN_CORE_FRONT_CHECK_REFUSAL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln::front {

// Returns an UNIMPLEMENTED status "cause: detail [capability C] (%id)" with the cause and the id
// attached (core/base/cause.h). An empty `capability` and an `id` of 0 are left out. `cause` must
// be a row of coverage.def (checked by assertion).
absl::Status Refused(std::string_view cause, const std::string& detail, uint32_t id = 0,
                     std::string_view capability = {});

// Returns an INVALID_ARGUMENT status "detail (%id)" with the id attached.
absl::Status Invalid(const std::string& detail, uint32_t id = 0);

// Replaces a renumbered id in a status of the two kinds above: `original` has the module's own ids,
// by renumbered id. Empty: nothing was renumbered, and the status stays as it is.
absl::Status WithOriginalId(const absl::Status& status, absl::Span<const uint32_t> original);

// Returns the cause of a status made by Refused; empty for any other.
std::string RefusalCause(const absl::Status& status);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_REFUSAL_H_
