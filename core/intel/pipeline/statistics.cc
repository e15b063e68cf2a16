#include "core/intel/pipeline/statistics.h"

#include "core/target/statistic_rows.h"

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
    {CountRow("instructions", "instructions",
              "Instructions of the encoded program without nop and sync.", "instructions"),
     Of<&ProgramStatistics::instructions>},
    {CountRow("sync_instructions", "instructions",
              "The nop and sync instructions of the encoded program.", "sync"),
     Of<&ProgramStatistics::sync_instructions>},
    {CountRow("sends", "messages",
              "Messages to memory, samplers and other units, the one that ends the thread too.",
              "sends"),
     Of<&ProgramStatistics::sends>},
    {CyclesRow("cycles", "Cycles of one thread by the cost model, which no hardware has measured.",
               "cycles"),
     Cycles},
    {CountRow("spills", "messages",
              "Messages that store registers in scratch memory, by the compiler's records.",
              "spills"),
     Of<&Transfers::spills>},
    {CountRow("fills", "messages",
              "Messages that load registers from scratch memory, by the compiler's records.",
              "fills"),
     Of<&Transfers::fills>},
    {kLoopsRow, Of<&ProgramStatistics::loops>},
    {CountRow("registers", "registers",
              "The largest number of registers live at once, by a liveness analysis of the code.",
              "registers"),
     Of<&ProgramStatistics::registers>},
    {kBytesRow, Bytes},
    {CountRow("spill_bytes", "bytes",
              "Bytes that the spills of one thread store if each message runs once."),
     Of<&Transfers::spill_bytes>},
    {CountRow("fill_bytes", "bytes",
              "Bytes that the fills of one thread load if each message runs once."),
     Of<&Transfers::fill_bytes>},
    {CyclesRow(
         "exit_cycles",
         "The cycle, by the cost model, in which the first exit (a discard jump) issues; 0: there "
         "is none."),
     ExitCycles},
};

constexpr auto kStatisticRows = RowsOf(kRows);

}  // namespace

absl::Span<const StatisticRow> StatisticRows() { return kStatisticRows; }

Statistics StatisticsOf(const ProgramFacts& facts) {
  return StatisticsFrom(kRows, kStatisticRows, facts);
}

}  // namespace kiln::intel
