#include "core/amd/pipeline/statistics.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Facts in which each figure has a value of its own.
ProgramFacts Distinct() {
  ProgramFacts f;
  ProgramStatistics& s = f.counted;
  s.wave = isa::Wave::k64;
  s.bytes = 101;
  s.instructions = 102;
  s.padding = 103;
  s.waits = 104;
  s.clause_instructions = 105;
  s.branches = 106;
  s.loops = 107;
  s.vgprs = 33;
  s.sgprs = 109;
  s.valu = 110;
  s.salu = 111;
  s.vmem = 112;
  s.flat = 113;
  s.smem = 114;
  s.lds = 115;
  s.exports = 116;
  s.vmem_clauses = 117;
  s.smem_clauses = 118;
  s.estimate.cycles = 2400;
  s.estimate.busy = {121, 122, 123, 124, 125, 126, 127};
  s.estimate.queues = {1, 2, 3, 4, 5, 6, 7};
  s.estimate.stalls = {131, 132, 133, 134, 135, 136, 137, 138};
  s.estimate.bottleneck = Unit::kVectorMemory;
  return f;
}

using Values = std::vector<std::pair<std::string_view, int64_t>>;

Values ValuesOf(const ProgramFacts& facts) {
  Values values;
  for (const Statistic& s : StatisticsOf(facts).Known()) {
    values.emplace_back(s.row->name, s.value);
  }
  return values;
}

TEST(StatisticsOf, EachRowHasItsFigure) {
  const Values expected = {{"instructions", 102},
                           {"wait_instructions", 104},
                           {"clause_instructions", 105},
                           {"padding_instructions", 103},
                           {"cycles", 2400},
                           {"inverse_throughput", 200},  // of 12 waves
                           {"loops", 107},
                           {"wave_size", 64},
                           {"vgprs", 33},
                           {"sgprs", 109},
                           {"bytes", 101},
                           {"waves_by_vgprs", 12},
                           {"branches", 106},
                           {"valu", 110},
                           {"salu", 111},
                           {"vmem", 112},
                           {"flat_accesses", 113},
                           {"smem", 114},
                           {"lds_accesses", 115},
                           {"exports", 116},
                           {"vmem_clauses", 117},
                           {"smem_clauses", 118},
                           {"scalar_busy", 121},
                           {"branch_busy", 122},
                           {"vector_busy", 123},
                           {"complex_busy", 124},
                           {"lds_busy", 125},
                           {"export_busy", 126},
                           {"vector_memory_busy", 127},
                           {"vector_memory_stalls", 131},
                           {"stores_stalls", 132},
                           {"scalar_memory_stalls", 133},
                           {"lds_stalls", 134},
                           {"exports_stalls", 135},
                           {"vector_results_stalls", 136},
                           {"scalar_results_stalls", 137},
                           {"lane_reads_stalls", 138},
                           {"unit_stalls", 28}};
  EXPECT_EQ(ValuesOf(Distinct()), expected);
}

TEST(StatisticsOf, RecordsAddTheirs) {
  ProgramFacts facts = Distinct();
  facts.recorded = {.lds_bytes = 201, .scratch_bytes = 202, .waves_per_simd = 9};
  EXPECT_EQ(StatisticsOf(facts).Find("spilled_sgprs"), std::nullopt);
  facts.spilled = {.sgprs = 203, .vgprs = 204};
  const Statistics all = StatisticsOf(facts);
  EXPECT_EQ(all.Known().size(), StatisticRows().size());
  EXPECT_EQ(all.At("lds_bytes"), 201);
  EXPECT_EQ(all.At("scratch_bytes"), 202);
  EXPECT_EQ(all.At("spilled_sgprs"), 203);
  EXPECT_EQ(all.At("spilled_vgprs"), 204);
  EXPECT_EQ(all.At("waves_per_simd"), 9);
}

TEST(StatisticRows, WhatTheModelSaysIsCalledEstimated) {
  for (const StatisticRow& row : StatisticRows()) {
    const bool cycles = row.unit == "cycles";
    EXPECT_EQ(row.estimated, cycles) << row.name;
  }
}

}  // namespace
}  // namespace kiln::amd
