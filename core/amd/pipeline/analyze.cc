#include "core/amd/pipeline/analyze.h"

#include <initializer_list>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/verify.h"
#include "core/amd/perf/program.h"
#include "core/amd/perf/statistics.h"
#include "core/amd/pipeline/code_object.h"
#include "core/amd/pipeline/read_code.h"
#include "core/amd/pipeline/statistics.h"
#include "core/target/histogram.h"

namespace kiln::amd {
namespace {

using isa::PlacedInstruction;

// Returns true for instructions that leave the wave for another unit and come back by a counter.
bool IsMessage(const isa::OpcodeInfo& info) {
  switch (info.unit) {
    case isa::Unit::kMessage:
    case isa::Unit::kScalarMemory:
    case isa::Unit::kLds:
    case isa::Unit::kVectorMemory:
    case isa::Unit::kExport: return true;
    default: return false;
  }
}

void CountKinds(absl::Span<const PlacedInstruction> program, Analysis* analysis) {
  Histogram opcodes, messages;
  for (const PlacedInstruction& placed : program) {
    const isa::OpcodeInfo& info = isa::Info(placed.inst.op);
    const std::string name(info.mnemonic);
    ++opcodes[name];
    if (IsMessage(info)) ++messages[name];
  }
  analysis->opcodes = MostFrequentFirst(opcodes);
  analysis->messages = MostFrequentFirst(messages);
}

int64_t WaitsFor(const Estimate& e, std::initializer_list<Stall> causes) {
  int64_t cycles = 0;
  for (const Stall cause : causes) cycles += e.stalls[static_cast<size_t>(cause)];
  return cycles;
}

// Scalar memory is a row of its own, though the scalar unit issues it, and so are SGPRs that vector
// instructions write.
void AddCosts(const Estimate& e, Analysis* analysis) {
  struct Row {
    std::string_view name;
    std::optional<Unit> unit;
    int64_t waits;
  };
  const Row rows[] = {
      {"scalar", Unit::kScalar, WaitsFor(e, {Stall::kScalarResults})},
      {"scalar_memory", std::nullopt, WaitsFor(e, {Stall::kScalarMemory})},
      {"branch", Unit::kBranch, 0},
      {"vector", Unit::kVector, WaitsFor(e, {Stall::kVectorResults})},
      {"lane_reads", std::nullopt, WaitsFor(e, {Stall::kLaneReads})},
      {"complex", Unit::kComplex, 0},
      {"lds", Unit::kLds, WaitsFor(e, {Stall::kLds})},
      {"export", Unit::kExport, WaitsFor(e, {Stall::kExports})},
      {"vector_memory", Unit::kVectorMemory, WaitsFor(e, {Stall::kVectorMemory, Stall::kStores})},
  };
  for (const Row& row : rows) {
    UnitCost cost = {.name = std::string(row.name), .waits = row.waits};
    if (row.unit) {
      cost.busy = e.busy[static_cast<size_t>(*row.unit)];
      cost.queues = e.queues[static_cast<size_t>(*row.unit)];
    }
    if (cost.busy + cost.waits + cost.queues != 0) analysis->units.push_back(cost);
  }
  analysis->bottleneck = std::string(Name(e.bottleneck));
  analysis->throughput_cycles = e.busy[static_cast<size_t>(e.bottleneck)];
}

}  // namespace

namespace {

absl::StatusOr<std::string> DisassembleObject(absl::Span<const uint8_t> file) {
  const auto object = ReadCodeObject(file);
  if (!object.ok()) return object.status();
  const auto program = DecodeCode(object->kernel.code);
  if (!program.ok()) return program.status();
  const isa::Wave wave = object->kernel.lanes == 64 ? isa::Wave::k64 : isa::Wave::k32;
  return DescribeKernel(*object) + isa::DisassembleProgram(*program, wave);
}

}  // namespace

absl::StatusOr<std::string> DisassembleCode(absl::Span<const uint8_t> code) {
  if (IsCodeObject(code)) return DisassembleObject(code);
  const auto program = DecodeCode(code);
  if (!program.ok()) return program.status();
  return isa::DisassembleProgram(*program, WaveShownBy(*program));
}

absl::StatusOr<Analysis> AnalyzeCode(absl::Span<const uint8_t> code,
                                     const AnalyzeOptions& options) {
  const auto read = ReadCode(code, options.record, Has(options.switches, kWave64.name));
  if (!read.ok()) return read.status();
  ProgramFacts facts = {.counted = CountProgram(read->program, read->wave)};
  if (read->recorded) facts.recorded = *read->recorded;
  Analysis analysis;
  analysis.statistics = StatisticsOf(facts);
  CountKinds(read->program, &analysis);
  AddCosts(facts.counted.estimate, &analysis);
  analysis.waits.push_back(
      {.name = "missing_waits", .title = "missing waits", .not_judged = "only a run shows them"});
  for (const isa::Finding& finding : isa::Verify(read->program, read->wave)) {
    analysis.findings.push_back(absl::StrCat("byte ", finding.offset, ": ", finding.text));
  }
  return analysis;
}

}  // namespace kiln::amd
