// Statistics of generated code: see code_statistics.h.
#include "server/metrics/code_statistics.h"

#include <algorithm>
#include <utility>

#include "server/metrics/families.h"

namespace kiln::metrics {
namespace {

using prometheus::MetricFamily;

constexpr const char* kFamilies[] = {
    "kiln_code_variants_total", "kiln_code_instructions_total",      "kiln_code_bytes_total",
    "kiln_code_spills_total",   "kiln_code_spilling_variants_total", "kiln_code_registers_total"};

std::string StageLabel(size_t stage) {
  return stage < cache::kOtherStage ? std::string(kShaderStages[stage].name) : "other";
}

}  // namespace

CodeStatistics::CodeStatistics(std::vector<std::string> targets,
                               const std::vector<std::string>& stages)
    : targets_(std::move(targets)), cells_(targets_.size()) {
  stage_label_.fill(cache::kOtherStage);
  for (const std::string& stage : stages) {
    const uint8_t index = cache::StageIndex(stage);
    stage_label_[index] = index;
  }
}

CodeStatistics::Cell& CodeStatistics::CellOf(size_t target, const cache::ResultTag& tag) {
  return cells_[target][stage_label_[tag.stage]];
}

void CodeStatistics::Add(const cache::ResultTag& tag, std::array<Count, kFigures>* sums) {
  const auto add = [&](Figure figure, uint64_t n) {
    (*sums)[figure].fetch_add(n, std::memory_order_relaxed);
  };
  add(kVariants, tag.variants);
  add(kInstructions, tag.instructions);
  add(kBytes, tag.bytes);
  add(kRegisters, tag.registers);
  if (tag.spilling == 0) return;
  add(kSpills, tag.spills);
  add(kSpilling, tag.spilling);
}

void CodeStatistics::Made(size_t target, const cache::ResultTag& tag) {
  if (tag.variants > 0) Add(tag, &CellOf(target, tag).made);
}

void CodeStatistics::Served(size_t target, Tier tier, const cache::ResultTag& tag) {
  Cell& cell = CellOf(target, tag);
  cell.tiers[static_cast<size_t>(tier)].fetch_add(1, std::memory_order_relaxed);
  if (tag.variants > 0) Add(tag, &cell.served);
}

std::vector<MetricFamily> CodeStatistics::Collect() const {
  std::vector<Sample> tiers;
  std::array<std::vector<Sample>, kFigures> figures;
  const auto value = [](const Count& count) { return D(count.load(std::memory_order_relaxed)); };
  for (size_t target = 0; target < targets_.size(); ++target) {
    for (size_t stage = 0; stage < cache::kStages; ++stage) {
      const Cell& cell = cells_[target][stage];
      const bool served = std::any_of(cell.tiers.begin(), cell.tiers.end(),
                                      [&](const Count& count) { return value(count) > 0; });
      for (size_t tier = 0; served && tier < cell.tiers.size(); ++tier) {
        tiers.push_back({{{"target", targets_[target]},
                          {"stage", StageLabel(stage)},
                          {"cache", kTierLabels[tier]}},
                         value(cell.tiers[tier])});
      }
      for (const auto& [label, sums] :
           {std::pair("made", &cell.made), std::pair("served", &cell.served)}) {
        if (value((*sums)[kVariants]) == 0) continue;
        for (size_t figure = 0; figure < kFigures; ++figure) {
          figures[figure].push_back(
              {{{"target", targets_[target]}, {"stage", StageLabel(stage)}, {"results", label}},
               value((*sums)[figure])});
        }
      }
    }
  }
  std::vector<MetricFamily> out;
  metrics::Add(&out, "kiln_code_results_total", tiers);
  for (size_t figure = 0; figure < kFigures; ++figure) {
    metrics::Add(&out, kFamilies[figure], figures[figure]);
  }
  return out;
}

}  // namespace kiln::metrics
