#include "core/amd/pipeline/statistics.h"

#include <cstddef>

#include "core/amd/isa/wave_limits.h"
#include "core/target/statistic_rows.h"

namespace kiln::amd {
namespace {

// Returns a figure of the records.
template <int64_t RecordFacts::*figure>
std::optional<int64_t> Of(const ProgramFacts& f) {
  return f.recorded ? std::optional((*f.recorded).*figure) : std::nullopt;
}
template <int64_t SpillFacts::*figure>
std::optional<int64_t> Of(const ProgramFacts& f) {
  return f.spilled ? std::optional((*f.spilled).*figure) : std::nullopt;
}

// Returns a figure that is counted in the code.
template <int64_t ProgramStatistics::*figure>
std::optional<int64_t> Of(const ProgramFacts& f) {
  return f.counted.*figure;
}

// Returns what the cost model says of a unit, or of a cause of waiting.
template <Unit unit>
std::optional<int64_t> Busy(const ProgramFacts& f) {
  return f.counted.estimate.busy[static_cast<size_t>(unit)];
}
template <Stall stall>
std::optional<int64_t> Stalls(const ProgramFacts& f) {
  return f.counted.estimate.stalls[static_cast<size_t>(stall)];
}
std::optional<int64_t> UnitStalls(const ProgramFacts& f) {
  int64_t all = 0;
  for (const int64_t of_unit : f.counted.estimate.queues) all += of_unit;
  return all;
}

int WavesByVgprsOf(const ProgramFacts& f) {
  return isa::WavesByRegisters(static_cast<int>(f.counted.vgprs), f.counted.wave);
}

std::optional<int64_t> Cycles(const ProgramFacts& f) { return f.counted.estimate.cycles; }
std::optional<int64_t> Throughput(const ProgramFacts& f) {
  return InverseThroughput(f.counted.estimate, f.counted.wave, WavesByVgprsOf(f));
}
std::optional<int64_t> WaveSize(const ProgramFacts& f) {
  return f.counted.wave == isa::Wave::k64 ? 64 : 32;
}
std::optional<int64_t> WavesByVgprs(const ProgramFacts& f) { return WavesByVgprsOf(f); }

// The order is that of the JSON lines: a contract with scripts, so new rows come last.
constexpr StatedRow<ProgramFacts> kRows[] = {
    {CountRow(
         "instructions", "instructions",
         "Instructions without s_nop, s_inst_prefetch, s_code_end, waits (s_waitcnt and its kin) "
         "and s_clause.",
         "instructions"),
     Of<&ProgramStatistics::instructions>},
    {CountRow("wait_instructions", "instructions",
              "Instructions that wait for counters: s_waitcnt and its kin.", "waits"),
     Of<&ProgramStatistics::waits>},
    {{.name = "clause_instructions",
      .unit = "instructions",
      .better = Better::kNeither,
      .counts = "The s_clause instructions."},
     Of<&ProgramStatistics::clause_instructions>},
    {CountRow("padding_instructions", "instructions",
              "The s_nop and s_inst_prefetch instructions."),
     Of<&ProgramStatistics::padding>},
    {CyclesRow("cycles", "Cycles of one wave by the cost model, which no hardware has measured.",
               "cycles"),
     Cycles},
    {CyclesRow(
         "inverse_throughput",
         "Cycles of a SIMD for 64 lanes by the cost model, with as many waves as VGPRs allow.",
         "inverse"),
     Throughput},
    {CountRow("spilled_sgprs", "registers", "SGPRs that were spilled, by the compiler's records."),
     Of<&SpillFacts::sgprs>},
    {CountRow("spilled_vgprs", "registers", "VGPRs that were spilled, by the compiler's records."),
     Of<&SpillFacts::vgprs>},
    {kLoopsRow, Of<&ProgramStatistics::loops>},
    {{.name = "wave_size",
      .unit = "lanes",
      .better = Better::kNeither,
      .counts = "Lanes of a wave, as the code shows or the caller says.",
      .header = "wave",
      .shape = true},
     WaveSize},
    {CountRow("vgprs", "registers", "VGPRs: the highest number used, plus 1.", "VGPRs"),
     Of<&ProgramStatistics::vgprs>},
    {CountRow("sgprs", "registers", "SGPRs: the highest number used, plus 1, without vcc.",
              "SGPRs"),
     Of<&ProgramStatistics::sgprs>},
    {kBytesRow, Of<&ProgramStatistics::bytes>},
    {CountRow("lds_bytes", "bytes", "LDS of a workgroup, by the launch record."),
     Of<&RecordFacts::lds_bytes>},
    {CountRow("scratch_bytes", "bytes", "Scratch memory of a wave, by the launch record."),
     Of<&RecordFacts::scratch_bytes>},
    {{.name = "waves_by_vgprs",
      .unit = "waves",
      .better = Better::kHigher,
      .counts = "Waves of a SIMD that VGPRs leave room for."},
     WavesByVgprs},
    {{.name = "waves_per_simd",
      .unit = "waves",
      .better = Better::kHigher,
      .counts = "Waves of a SIMD, by VGPRs, LDS and the size of workgroups, which the launch "
                "record has."},
     Of<&RecordFacts::waves_per_simd>},
    {CountRow("branches", "instructions", "Branches: s_branch and s_cbranch_*.", "branches"),
     Of<&ProgramStatistics::branches>},
    {CountRow("valu", "instructions", "Vector arithmetic, with interpolation and lane reads.",
              "VALU"),
     Of<&ProgramStatistics::valu>},
    {CountRow("salu", "instructions",
              "Scalar arithmetic, without branches, waits and other control.", "SALU"),
     Of<&ProgramStatistics::salu>},
    {CountRow("vmem", "instructions", "Accesses to buffers, images, global and scratch memory.",
              "VMEM"),
     Of<&ProgramStatistics::vmem>},
    {CountRow("flat_accesses", "instructions", "Accesses to flat memory."),
     Of<&ProgramStatistics::flat>},
    {CountRow("smem", "instructions", "Scalar loads.", "SMEM"), Of<&ProgramStatistics::smem>},
    {CountRow("lds_accesses", "instructions",
              "Accesses to LDS, and lane operations that go through it.", "LDS"),
     Of<&ProgramStatistics::lds>},
    {CountRow("exports", "instructions", "Exports: colours, depth, positions and parameters."),
     Of<&ProgramStatistics::exports>},
    {CountRow(
         "vmem_clauses", "clauses",
         "Runs of vector memory accesses of one kind and descriptor with nothing between them."),
     Of<&ProgramStatistics::vmem_clauses>},
    {CountRow("smem_clauses", "clauses",
              "Runs of scalar loads of one kind and descriptor with nothing between them."),
     Of<&ProgramStatistics::smem_clauses>},
    {CyclesRow(
         "scalar_busy",
         "Cycles by the cost model in which a wave occupies the scalar unit, which issues scalar "
         "loads too."),
     Busy<Unit::kScalar>},
    {CyclesRow("branch_busy", "Cycles by the cost model in which a wave occupies the branch unit."),
     Busy<Unit::kBranch>},
    {CyclesRow("vector_busy", "Cycles by the cost model in which a wave occupies the vector unit."),
     Busy<Unit::kVector>},
    {CyclesRow("complex_busy",
               "Cycles by the cost model in which a wave occupies the part of the vector unit for "
               "transcendental, double and 64-bit operations."),
     Busy<Unit::kComplex>},
    {CyclesRow("lds_busy", "Cycles by the cost model in which a wave occupies LDS."),
     Busy<Unit::kLds>},
    {CyclesRow("export_busy", "Cycles by the cost model in which a wave occupies the export unit."),
     Busy<Unit::kExport>},
    {CyclesRow("vector_memory_busy",
               "Cycles by the cost model in which a wave occupies the vector memory unit."),
     Busy<Unit::kVectorMemory>},
    {CyclesRow(
         "vector_memory_stalls",
         "Cycles by the cost model in which a wave waits for loads, samples and atomics of vector "
         "memory."),
     Stalls<Stall::kVectorMemory>},
    {CyclesRow("stores_stalls", "Cycles by the cost model in which a wave waits for stores."),
     Stalls<Stall::kStores>},
    {CyclesRow("scalar_memory_stalls",
               "Cycles by the cost model in which a wave waits for scalar loads."),
     Stalls<Stall::kScalarMemory>},
    {CyclesRow("lds_stalls", "Cycles by the cost model in which a wave waits for LDS."),
     Stalls<Stall::kLds>},
    {CyclesRow("exports_stalls", "Cycles by the cost model in which a wave waits for exports."),
     Stalls<Stall::kExports>},
    {CyclesRow(
         "vector_results_stalls",
         "Cycles by the cost model in which a wave waits for results of vector instructions in "
         "VGPRs."),
     Stalls<Stall::kVectorResults>},
    {CyclesRow(
         "scalar_results_stalls",
         "Cycles by the cost model in which a wave waits for results of scalar instructions."),
     Stalls<Stall::kScalarResults>},
    {CyclesRow(
         "lane_reads_stalls",
         "Cycles by the cost model in which a wave waits for SGPRs that vector instructions write, "
         "as v_readlane does."),
     Stalls<Stall::kLaneReads>},
    {CyclesRow(
         "unit_stalls",
         "Cycles by the cost model in which a wave waits for a unit that it occupies itself."),
     UnitStalls},
};

constexpr auto kStatisticRows = RowsOf(kRows);

}  // namespace

absl::Span<const StatisticRow> StatisticRows() { return kStatisticRows; }

Statistics StatisticsOf(const ProgramFacts& facts) {
  return StatisticsFrom(kRows, kStatisticRows, facts);
}

}  // namespace kiln::amd
