// A stable, machine-readable cause attached to an error status.
//
// The message of a status is for people; the cause ("subgroup_operations", "out_of_registers") is
// a snake_case word from a bounded set, for tables, metrics and tests.
#ifndef KILN_CORE_BASE_CAUSE_H_
#define KILN_CORE_BASE_CAUSE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace kiln {

// The status with `cause` attached (replacing an earlier one). An ok status is returned as it is.
absl::Status WithCause(absl::Status status, std::string_view cause);

// The attached cause; without one a word for the status code ("invalid_module", "cancelled",
// "limit_exceeded", "internal"); "ok" for an ok status.
std::string CauseOf(const absl::Status& status);

}  // namespace kiln

#endif  // KILN_CORE_BASE_CAUSE_H_
