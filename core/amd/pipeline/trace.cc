#include "core/amd/pipeline/trace.h"

#include <string>
#include <string_view>
#include <vector>

#include "core/amd/isa/disasm.h"
#include "core/amd/perf/estimate.h"

namespace kiln::amd {
namespace {

// The counters as s_waitcnt and its kin name them.
std::string_view CounterName(int counter) {
  constexpr std::string_view kNames[kCounters] = {"vmcnt", "vscnt", "lgkmcnt", "expcnt"};
  return kNames[static_cast<size_t>(counter)];
}

std::string_view UnitName(int unit) { return Name(static_cast<Unit>(unit)); }

std::string NameOfWait(const IssueWait& wait) {
  switch (wait.what) {
    case IssueWait::For::kRegister:
      return isa::RegisterName(isa::Operand{static_cast<uint16_t>(wait.number)});
    case IssueWait::For::kCounter: return std::string(CounterName(wait.number));
    case IssueWait::For::kUnit: break;
  }
  return std::string(UnitName(wait.number));
}

std::string_view KindOfWait(const IssueWait& wait) {
  return wait.what == IssueWait::For::kUnit ? UnitName(wait.kind)
                                            : Name(static_cast<Stall>(wait.kind));
}

constexpr IssueNames kNames = {.name = NameOfWait, .kind = KindOfWait, .unit = UnitName};

}  // namespace

Timeline TraceProgram(absl::Span<const isa::PlacedInstruction> program, isa::Wave wave) {
  IssueRecorder recorder;
  Timeline timeline;
  timeline.cycles = EstimateProgram(program, wave, &recorder).cycles;
  timeline.weight_of_one = kWeightOfOne;
  std::vector<int64_t> offsets;
  for (const isa::PlacedInstruction& placed : program) offsets.push_back(placed.offset);
  timeline.instructions = TimelineInstructions(
      recorder.issues(), TextsOf(isa::DisassembleProgram(program, wave), offsets), kNames);
  return timeline;
}

absl::StatusOr<Timeline> TraceCode(absl::Span<const uint8_t> code, const TraceOptions& options) {
  const auto read = ReadCode(code, options.record, Has(options.switches, kWave64.name));
  if (!read.ok()) return read.status();
  return TraceProgram(read->program, read->wave);
}

}  // namespace kiln::amd
