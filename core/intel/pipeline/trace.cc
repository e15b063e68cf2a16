#include "core/intel/pipeline/trace.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/program.h"
#include "core/intel/perf/estimate.h"

namespace kiln::intel {
namespace {

std::string RegisterName(int number) {
  if (number >= kAddressRegister) return "a0";
  if (number >= kAccumulatorRegister) return absl::StrCat("acc", number - kAccumulatorRegister);
  if (number >= kFlagRegister) {
    const int flag = number - kFlagRegister;
    return absl::StrCat("f", flag / 2, ".", flag % 2);
  }
  if (number >= kReadOfGrf) return absl::StrCat("reads of r", number - kReadOfGrf);
  return absl::StrCat("r", number);
}

// Tokens are named as waits for them are written.
std::string TokenName(int number) {
  if (number >= kReadOfToken) return absl::StrCat("$", number - kReadOfToken, ".src");
  return absl::StrCat("$", number, ".dst");
}

std::string_view UnitName(int unit) { return Name(static_cast<Unit>(unit)); }

std::string NameOfWait(const IssueWait& wait) {
  switch (wait.what) {
    case IssueWait::For::kRegister: return RegisterName(wait.number);
    case IssueWait::For::kCounter: return TokenName(wait.number);
    case IssueWait::For::kUnit: break;
  }
  return std::string(UnitName(wait.number));
}

std::string_view KindOfWait(const IssueWait& wait) { return UnitName(wait.kind); }

constexpr IssueNames kNames = {.name = NameOfWait, .kind = KindOfWait, .unit = UnitName};

}  // namespace

absl::StatusOr<Timeline> TraceCode(const Device& device, absl::Span<const uint8_t> code,
                                   const TraceOptions&) {
  const isa::Generation gen = device.generation;
  const auto placed = isa::DecodeProgram(gen, code);
  if (!placed.ok()) return placed.status();
  const auto program = isa::ToProgram(gen, *placed);
  if (!program.ok()) return program.status();
  IssueRecorder recorder;
  const auto estimate = EstimateProgram(device, *program, isa::FootprintsOf(*program), &recorder);
  if (!estimate.ok()) return estimate.status();
  Timeline timeline;
  timeline.cycles = estimate->cycles;
  timeline.weight_of_one = kWeightOfOne;
  std::vector<int64_t> offsets;
  for (const isa::PlacedInstruction& each : *placed) offsets.push_back(each.offset);
  timeline.instructions = TimelineInstructions(
      recorder.issues(), TextsOf(isa::DisassembleProgram(gen, *placed), offsets), kNames);
  return timeline;
}

}  // namespace kiln::intel
