// The two ways an input is turned down, and how callers learn the cause.
//
// `Refused`: well-formed, but outside what Kiln compiles. Carries a stable snake_case cause out of
// the coverage table, which reaches JSON results and metrics labels. `Invalid`: not SPIR-V that we
// can give a meaning. Both name the SPIR-V id where there is one.
#ifndef KILN_CORE_FRONT_CHECK_REFUSAL_H_
#define KILN_CORE_FRONT_CHECK_REFUSAL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln::front {

// An UNIMPLEMENTED status "cause: detail [capability C] (%id)" with the cause attached
// and the id attached (core/base/cause.h).
// `capability` may be empty, `id` 0: then they are left out. `cause` must be a row of coverage.def
// (checked by assertion).
absl::Status Refused(std::string_view cause, const std::string& detail, uint32_t id = 0,
                     std::string_view capability = {});

// An INVALID_ARGUMENT status "detail (%id)" with the id attached.
absl::Status Invalid(const std::string& detail, uint32_t id = 0);

// A status of the two kinds above about an id that was numbered anew: `original` has what the
// module calls it. Empty: nothing was, and the status stays as it is.
absl::Status WithOriginalId(const absl::Status& status, absl::Span<const uint32_t> original);

// The cause of a status made by Refused; empty for any other.
std::string RefusalCause(const absl::Status& status);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_REFUSAL_H_
