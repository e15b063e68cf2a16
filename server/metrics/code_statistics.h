// Statistics of generated code: sums over the results that workers made and that clients were
// served, by target and stage, and the origin of results by stage.
//
// Counting a hit is 7 atomic additions. Read when scraped; a target and stage has series from its
// first result on.
#ifndef KILN_SERVER_METRICS_CODE_STATISTICS_H_
#define KILN_SERVER_METRICS_CODE_STATISTICS_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "server/cache/result_tag.h"

namespace kiln::metrics {

class CodeStatistics : public prometheus::Collectable {
 public:
  // Where a served result came from: the index of its label in kTierLabels.
  enum class Tier { kMemory, kDisk, kCoalesced, kMiss };
  static constexpr const char* kTierLabels[] = {"memory", "disk", "coalesced", "miss"};

  // `targets`: labels, the last for all others. `stages`: those that are labels; others are
  // "other".
  CodeStatistics(std::vector<std::string> targets, const std::vector<std::string>& stages);

  // `target`: an index of `targets`.
  void Made(size_t target, const cache::ResultTag& tag);
  void Served(size_t target, Tier tier, const cache::ResultTag& tag);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  using Count = std::atomic<uint64_t>;
  // The order of kFamilies in code_statistics.cc.
  enum Figure { kVariants, kInstructions, kBytes, kSpills, kSpilling, kRegisters, kFigures };
  struct Cell {
    std::array<Count, std::size(kTierLabels)> tiers{};
    std::array<Count, kFigures> made{}, served{};
  };

  Cell& CellOf(size_t target, const cache::ResultTag& tag);
  static void Add(const cache::ResultTag& tag, std::array<Count, kFigures>* sums);

  const std::vector<std::string> targets_;
  std::array<uint8_t, cache::kStages> stage_label_{};  // by stage: itself, or kOtherStage
  std::vector<std::array<Cell, cache::kStages>> cells_;
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_CODE_STATISTICS_H_
