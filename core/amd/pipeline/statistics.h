// The figures that gfx1030 states about programs, and where each comes from.
#ifndef KILN_CORE_AMD_PIPELINE_STATISTICS_H_
#define KILN_CORE_AMD_PIPELINE_STATISTICS_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "core/amd/perf/statistics.h"
#include "core/target/statistics.h"

namespace kiln::amd {

// Facts about a program that only its launch record has (recorded.h).
struct RecordFacts {
  int64_t lds_bytes = 0;       // of a workgroup
  int64_t scratch_bytes = 0;   // of a wave
  int64_t waves_per_simd = 0;  // WavesPerSimd (perf/occupancy.h)
};

// Facts that only the compiler's own records have.
struct SpillFacts {
  int64_t sgprs = 0;
  int64_t vgprs = 0;
};

struct ProgramFacts {
  ProgramStatistics counted;
  // Nothing for code without a record, and of unknown origin: code does not show them.
  std::optional<RecordFacts> recorded = {};
  std::optional<SpillFacts> spilled = {};
};

absl::Span<const StatisticRow> StatisticRows();
// Returns the values of these rows, as far as `facts` has them.
Statistics StatisticsOf(const ProgramFacts& facts);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_STATISTICS_H_
