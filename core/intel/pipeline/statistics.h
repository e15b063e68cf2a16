// The figures that the Intel targets state about each variant, and where each comes from.
#ifndef KILN_CORE_INTEL_PIPELINE_STATISTICS_H_
#define KILN_CORE_INTEL_PIPELINE_STATISTICS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "core/intel/perf/statistics.h"
#include "core/target/statistics.h"

namespace kiln::intel {

// Messages between registers and scratch memory, each counted once, and the bytes that they move.
struct Transfers {
  int64_t spills = 0;
  int64_t fills = 0;
  int64_t spill_bytes = 0;
  int64_t fill_bytes = 0;
};

// Facts about a program, as far as they are known.
struct ProgramFacts {
  ProgramStatistics counted;
  int64_t bytes = 0;  // of machine code
  // Nothing for code of unknown origin, which does not show them.
  std::optional<Transfers> transfers = {};
};

absl::Span<const StatisticRow> StatisticRows();
// Returns the values of these rows, as far as `facts` has them.
Statistics StatisticsOf(const ProgramFacts& facts);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_STATISTICS_H_
