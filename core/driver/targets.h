// The back end of each target; internal to this folder and to tests with a target of their own.
#ifndef KILN_CORE_DRIVER_TARGETS_H_
#define KILN_CORE_DRIVER_TARGETS_H_

#include "absl/types/span.h"
#include "core/driver/compile.h"
#include "core/target/backend.h"

namespace kiln {

// In the order of Target.
absl::Span<const Backend* const> ShippedBackends();
// The table that the driver uses: ShippedBackends(). The definition is weak, so that a program of
// tests can define another, with more rows after these, which have the next values of Target
// (tests/null).
absl::Span<const Backend* const> Backends();
const Backend& BackendOf(Target target);
// Returns the figures that the back end declares; none if it has no function for them.
absl::Span<const StatisticRow> StatisticsOf(const Backend& backend);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_TARGETS_H_
