#include "core/amd/pipeline/statistics.h"

#include <cstddef>

#include "core/amd/isa/wave_limits.h"

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
    {{.name = "instructions",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Instructions without s_nop, s_inst_prefetch, s_code_end, waits (s_waitcnt "
                "and its kin) and s_clause.",
      .header = "instructions"},
     Of<&ProgramStatistics::instructions>},
    {{.name = "wait_instructions",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Instructions that wait for counters: s_waitcnt and its kin.",
      .header = "waits"},
     Of<&ProgramStatistics::waits>},
    {{.name = "clause_instructions",
      .unit = "instructions",
      .better = Better::kNeither,
      .counts = "The s_clause instructions."},
     Of<&ProgramStatistics::clause_instructions>},
    {{.name = "padding_instructions",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "The s_nop and s_inst_prefetch instructions."},
     Of<&ProgramStatistics::padding>},
    {{.name = "cycles",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles of one wave by the cost model, which no hardware has measured.",
      .header = "cycles",
      .estimated = true},
     Cycles},
    {{.name = "inverse_throughput",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles of a SIMD for 64 lanes by the cost model, with as many waves as VGPRs "
                "allow.",
      .header = "inverse",
      .estimated = true},
     Throughput},
    {{.name = "spilled_sgprs",
      .unit = "registers",
      .better = Better::kLower,
      .counts = "SGPRs that were spilled, by the compiler's records."},
     Of<&SpillFacts::sgprs>},
    {{.name = "spilled_vgprs",
      .unit = "registers",
      .better = Better::kLower,
      .counts = "VGPRs that were spilled, by the compiler's records."},
     Of<&SpillFacts::vgprs>},
    {{.name = "loops",
      .unit = "loops",
      .better = Better::kLower,
      .counts = "Loops of the encoded program.",
      .header = "loops",
      .shape = true},
     Of<&ProgramStatistics::loops>},
    {{.name = "wave_size",
      .unit = "lanes",
      .better = Better::kNeither,
      .counts = "Lanes of a wave, as the code shows or the caller says.",
      .header = "wave",
      .shape = true},
     WaveSize},
    {{.name = "vgprs",
      .unit = "registers",
      .better = Better::kLower,
      .counts = "VGPRs: the highest number used, plus 1.",
      .header = "VGPRs"},
     Of<&ProgramStatistics::vgprs>},
    {{.name = "sgprs",
      .unit = "registers",
      .better = Better::kLower,
      .counts = "SGPRs: the highest number used, plus 1, without vcc.",
      .header = "SGPRs"},
     Of<&ProgramStatistics::sgprs>},
    {{.name = "bytes",
      .unit = "bytes",
      .better = Better::kLower,
      .counts = "The size of the machine code.",
      .header = "bytes"},
     Of<&ProgramStatistics::bytes>},
    {{.name = "lds_bytes",
      .unit = "bytes",
      .better = Better::kLower,
      .counts = "LDS of a workgroup, by the launch record."},
     Of<&RecordFacts::lds_bytes>},
    {{.name = "scratch_bytes",
      .unit = "bytes",
      .better = Better::kLower,
      .counts = "Scratch memory of a wave, by the launch record."},
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
    {{.name = "branches",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Branches: s_branch and s_cbranch_*.",
      .header = "branches"},
     Of<&ProgramStatistics::branches>},
    {{.name = "valu",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Vector arithmetic, with interpolation and lane reads.",
      .header = "VALU"},
     Of<&ProgramStatistics::valu>},
    {{.name = "salu",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Scalar arithmetic, without branches, waits and other control.",
      .header = "SALU"},
     Of<&ProgramStatistics::salu>},
    {{.name = "vmem",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Accesses to buffers, images, global and scratch memory.",
      .header = "VMEM"},
     Of<&ProgramStatistics::vmem>},
    {{.name = "flat_accesses",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Accesses to flat memory."},
     Of<&ProgramStatistics::flat>},
    {{.name = "smem",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Scalar loads.",
      .header = "SMEM"},
     Of<&ProgramStatistics::smem>},
    {{.name = "lds_accesses",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Accesses to LDS, and lane operations that go through it.",
      .header = "LDS"},
     Of<&ProgramStatistics::lds>},
    {{.name = "exports",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Exports: colours, depth, positions and parameters."},
     Of<&ProgramStatistics::exports>},
    {{.name = "vmem_clauses",
      .unit = "clauses",
      .better = Better::kLower,
      .counts = "Runs of vector memory accesses of one kind and descriptor with nothing "
                "between them."},
     Of<&ProgramStatistics::vmem_clauses>},
    {{.name = "smem_clauses",
      .unit = "clauses",
      .better = Better::kLower,
      .counts = "Runs of scalar loads of one kind and descriptor with nothing between them."},
     Of<&ProgramStatistics::smem_clauses>},
    {{.name = "scalar_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies the scalar unit, which "
                "issues scalar loads too.",
      .estimated = true},
     Busy<Unit::kScalar>},
    {{.name = "branch_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies the branch unit.",
      .estimated = true},
     Busy<Unit::kBranch>},
    {{.name = "vector_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies the vector unit.",
      .estimated = true},
     Busy<Unit::kVector>},
    {{.name = "complex_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies the part of the vector "
                "unit for transcendental, double and 64-bit operations.",
      .estimated = true},
     Busy<Unit::kComplex>},
    {{.name = "lds_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies LDS.",
      .estimated = true},
     Busy<Unit::kLds>},
    {{.name = "export_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies the export unit.",
      .estimated = true},
     Busy<Unit::kExport>},
    {{.name = "vector_memory_busy",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave occupies the vector memory unit.",
      .estimated = true},
     Busy<Unit::kVectorMemory>},
    {{.name = "vector_memory_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for loads, samples and "
                "atomics of vector memory.",
      .estimated = true},
     Stalls<Stall::kVectorMemory>},
    {{.name = "stores_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for stores.",
      .estimated = true},
     Stalls<Stall::kStores>},
    {{.name = "scalar_memory_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for scalar loads.",
      .estimated = true},
     Stalls<Stall::kScalarMemory>},
    {{.name = "lds_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for LDS.",
      .estimated = true},
     Stalls<Stall::kLds>},
    {{.name = "exports_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for exports.",
      .estimated = true},
     Stalls<Stall::kExports>},
    {{.name = "vector_results_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for results of vector "
                "instructions in VGPRs.",
      .estimated = true},
     Stalls<Stall::kVectorResults>},
    {{.name = "scalar_results_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for results of scalar "
                "instructions.",
      .estimated = true},
     Stalls<Stall::kScalarResults>},
    {{.name = "lane_reads_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for SGPRs that vector "
                "instructions write, as v_readlane does.",
      .estimated = true},
     Stalls<Stall::kLaneReads>},
    {{.name = "unit_stalls",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles by the cost model in which a wave waits for a unit that it occupies "
                "itself.",
      .estimated = true},
     UnitStalls},
};

constexpr auto kStatisticRows = RowsOf(kRows);

}  // namespace

absl::Span<const StatisticRow> StatisticRows() { return kStatisticRows; }

Statistics StatisticsOf(const ProgramFacts& facts) {
  return StatisticsFrom(kRows, kStatisticRows, facts);
}

}  // namespace kiln::amd
