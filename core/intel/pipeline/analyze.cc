#include "core/intel/pipeline/analyze.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "core/intel/device/device.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/intel/isa/verify.h"
#include "core/intel/perf/estimate.h"
#include "core/intel/perf/statistics.h"
#include "core/intel/pipeline/statistics.h"
#include "core/intel/waits/audit.h"
#include "core/target/histogram.h"

namespace kiln::intel {
namespace {

std::string MessageName(isa::Generation gen, const isa::Instruction& send) {
  if (send.send.desc_is_register) return "computed_descriptor";
  const auto fields = isa::ParseDescriptor(gen, send.send.sfid, send.send.desc, send.send.ex_desc);
  if (!fields.ok()) return absl::StrCat("sfid_", static_cast<int>(send.send.sfid));
  return std::string(isa::Info(fields->message).name);
}

void CountKinds(const isa::Program& program, Analysis* analysis) {
  Histogram opcodes, messages;
  for (const isa::Instruction& inst : program.insts) {
    ++opcodes[std::string(isa::Info(inst.op).mnemonic)];
    if (isa::IsSend(inst.op)) ++messages[MessageName(program.generation, inst)];
  }
  analysis->opcodes = MostFrequentFirst(opcodes);
  analysis->messages = MostFrequentFirst(messages);
}

void AddCosts(const Device& device, const isa::Program& program, Analysis* analysis) {
  const absl::StatusOr<Estimate> known = EstimateProgram(device, program);
  if (!known.ok()) {
    analysis->cycles_not_judged = std::string(known.status().message());
    return;
  }
  const Estimate& estimate = *known;
  analysis->bottleneck = std::string(Name(estimate.bottleneck));
  analysis->throughput_cycles = estimate.throughput_cycles;
  for (int u = 0; u < kUnits; ++u) {
    const UnitCost cost = {std::string(Name(static_cast<Unit>(u))), estimate.busy[u],
                           estimate.waits[u], estimate.queues[u]};
    if (cost.busy + cost.waits + cost.queues != 0) analysis->units.push_back(cost);
  }
}

std::string ByteOf(absl::Span<const isa::PlacedInstruction> placed, int32_t inst) {
  return absl::StrCat("byte ", placed[static_cast<size_t>(inst)].offset, ": ");
}

// Adds findings for paths through the program on which a thread never ends.
void AddWaysPastTheEnd(absl::Span<const isa::PlacedInstruction> placed,
                       const std::vector<waits::Location>& locations, Analysis* analysis) {
  for (const waits::Location& location : locations) {
    if (!location.past_end) continue;
    const std::string finding =
        absl::StrCat(ByteOf(placed, location.end - 1), "a thread continues past the program's end");
    std::vector<std::string>& all = analysis->findings;
    if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(finding);
  }
}

absl::Status AddRedundantSyncs(const isa::Program& program, Analysis* analysis) {
  const auto redundant = waits::FindRedundantSyncs(program);
  if (!redundant.ok()) return redundant.status();
  analysis->redundant_syncs.emplace(redundant->begin(), redundant->end());
  return absl::OkStatus();
}

// Returns the findings of a kind, still empty.
WaitFindings MissingWaits() { return {.name = "missing_waits", .title = "missing waits"}; }
WaitFindings MissingIfSkipped() {
  return {.name = "missing_if_skipped",
          .title = "missing if a block is entered with all channels off"};
}

WaitFindings TextsOf(const isa::Program& program, absl::Span<const waits::MissingWait> all,
                     WaitFindings findings) {
  findings.count = static_cast<int64_t>(all.size());
  for (const auto& m : all.first(std::min(all.size(), kMaxWaitsListed))) {
    findings.texts.push_back(waits::Describe(program, m));
  }
  return findings;
}

bool Before(const waits::MissingWait& a, const waits::MissingWait& b) {
  return std::tie(a.consumer, a.producer, a.phases) < std::tie(b.consumer, b.producer, b.phases);
}

WaitFindings NotJudged(const absl::Status& why, WaitFindings findings) {
  findings.not_judged = std::string(why.message());
  return findings;
}

// Judges the ways through the program and, on a device whose code has them, the waits.
void AddMissingWaits(const Device& device, absl::Span<const isa::PlacedInstruction> placed,
                     const isa::Program& program, bool fusion, Analysis* analysis) {
  using waits::Fusion;
  const auto locations = waits::LocationsOf(program, Fusion::kOff);
  const auto certain = locations.ok()
                           ? waits::FindCertainMissingWaits(program, Fusion::kOff)
                           : absl::StatusOr<std::vector<waits::MissingWait>>(locations.status());
  if (!certain.ok()) {
    analysis->waits.push_back(NotJudged(certain.status(), MissingWaits()));
    if (fusion) analysis->waits.push_back(NotJudged(certain.status(), MissingIfSkipped()));
    return;
  }
  AddWaysPastTheEnd(placed, *locations, analysis);
  if (!device.instructions.software_scoreboard) return;
  analysis->waits.push_back(TextsOf(program, *certain, MissingWaits()));
  if (!fusion) return;
  const auto all = waits::FindCertainMissingWaits(program, Fusion::kOn);
  if (!all.ok()) {
    analysis->waits.push_back(NotJudged(all.status(), MissingIfSkipped()));
    return;
  }
  std::vector<waits::MissingWait> more;
  std::set_difference(all->begin(), all->end(), certain->begin(), certain->end(),
                      std::back_inserter(more), Before);
  analysis->waits.push_back(TextsOf(program, more, MissingIfSkipped()));
}

}  // namespace

absl::StatusOr<Analysis> AnalyzeCode(const Device& device, absl::Span<const uint8_t> code,
                                     const AnalyzeOptions& options) {
  const isa::Generation gen = device.generation;
  const auto placed = isa::DecodeProgram(gen, code);
  if (!placed.ok()) return placed.status();
  const auto program = isa::ToProgram(gen, *placed);
  if (!program.ok()) return program.status();
  const auto counted = CountProgram(device, code);
  if (!counted.ok()) return counted.status();
  Analysis analysis;
  analysis.statistics =
      StatisticsOf({.counted = *counted, .bytes = static_cast<int64_t>(code.size())});
  CountKinds(*program, &analysis);
  AddCosts(device, *program, &analysis);
  const auto findings = isa::Verify(gen, *placed);
  if (!findings.ok()) return findings.status();
  for (const isa::Finding& finding : *findings) {
    analysis.findings.push_back(absl::StrCat("byte ", finding.offset, ": ", finding.text));
  }
  AddMissingWaits(device, *placed, *program, Has(options.switches, "fusion"), &analysis);
  if (!device.instructions.software_scoreboard) return analysis;
  if (absl::Status s = AddRedundantSyncs(*program, &analysis); !s.ok()) return s;
  return analysis;
}

}  // namespace kiln::intel
