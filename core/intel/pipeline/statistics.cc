#include "core/intel/pipeline/statistics.h"

namespace kiln::intel {
namespace {

// Returns a figure of the compiler's own records.
template <int64_t Transfers::*figure>
std::optional<int64_t> Of(const ProgramFacts& f) {
  return f.transfers ? std::optional((*f.transfers).*figure) : std::nullopt;
}

// Returns a figure that is counted in the code.
template <int64_t ProgramStatistics::*figure>
std::optional<int64_t> Of(const ProgramFacts& f) {
  return f.counted.*figure;
}

std::optional<int64_t> Cycles(const ProgramFacts& f) { return f.counted.cycles; }

// Cycles before the exit are known if those of the whole program are.
std::optional<int64_t> ExitCycles(const ProgramFacts& f) {
  return f.counted.cycles ? std::optional(f.counted.exit_cycles) : std::nullopt;
}

std::optional<int64_t> Bytes(const ProgramFacts& f) { return f.bytes; }

// The order is that of the JSON lines: a contract with scripts, so new rows come last.
constexpr StatedRow<ProgramFacts> kRows[] = {
    {{.name = "instructions",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "Instructions of the encoded program without nop and sync.",
      .header = "instructions"},
     Of<&ProgramStatistics::instructions>},
    {{.name = "sync_instructions",
      .unit = "instructions",
      .better = Better::kLower,
      .counts = "The nop and sync instructions of the encoded program.",
      .header = "sync"},
     Of<&ProgramStatistics::sync_instructions>},
    {{.name = "sends",
      .unit = "messages",
      .better = Better::kLower,
      .counts = "Messages to memory, samplers and other units, the one that ends the thread too.",
      .header = "sends"},
     Of<&ProgramStatistics::sends>},
    {{.name = "cycles",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "Cycles of one thread by the cost model, which no hardware has measured.",
      .header = "cycles",
      .estimated = true},
     Cycles},
    {{.name = "spills",
      .unit = "messages",
      .better = Better::kLower,
      .counts = "Messages that store registers in scratch memory, by the compiler's records.",
      .header = "spills"},
     Of<&Transfers::spills>},
    {{.name = "fills",
      .unit = "messages",
      .better = Better::kLower,
      .counts = "Messages that load registers from scratch memory, by the compiler's records.",
      .header = "fills"},
     Of<&Transfers::fills>},
    {{.name = "loops",
      .unit = "loops",
      .better = Better::kLower,
      .counts = "Loops of the encoded program.",
      .header = "loops",
      .shape = true},
     Of<&ProgramStatistics::loops>},
    {{.name = "registers",
      .unit = "registers",
      .better = Better::kLower,
      .counts = "The largest number of registers live at once, by a liveness analysis of the code.",
      .header = "registers"},
     Of<&ProgramStatistics::registers>},
    {{.name = "bytes",
      .unit = "bytes",
      .better = Better::kLower,
      .counts = "The size of the machine code.",
      .header = "bytes"},
     Bytes},
    {{.name = "spill_bytes",
      .unit = "bytes",
      .better = Better::kLower,
      .counts = "Bytes that the spills of one thread store if each message runs once."},
     Of<&Transfers::spill_bytes>},
    {{.name = "fill_bytes",
      .unit = "bytes",
      .better = Better::kLower,
      .counts = "Bytes that the fills of one thread load if each message runs once."},
     Of<&Transfers::fill_bytes>},
    {{.name = "exit_cycles",
      .unit = "cycles",
      .better = Better::kLower,
      .counts = "The cycle, by the cost model, in which the first exit (a discard jump) issues; 0: "
                "there is none.",
      .estimated = true},
     ExitCycles},
};

constexpr auto kStatisticRows = RowsOf(kRows);

}  // namespace

absl::Span<const StatisticRow> StatisticRows() { return kStatisticRows; }

Statistics StatisticsOf(const ProgramFacts& facts) {
  return StatisticsFrom(kRows, kStatisticRows, facts);
}

}  // namespace kiln::intel
