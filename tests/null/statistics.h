// The figures that the target `null` states about each variant.
#ifndef KILN_TESTS_NULL_STATISTICS_H_
#define KILN_TESTS_NULL_STATISTICS_H_

#include "absl/types/span.h"
#include "core/target/statistics.h"
#include "tests/null/code.h"

namespace kiln::null {

absl::Span<const StatisticRow> StatisticRows();
Statistics Count(absl::Span<const Op> program);

}  // namespace kiln::null

#endif  // KILN_TESTS_NULL_STATISTICS_H_
