// Metrics that other parts count themselves: cache tiers, queue, workers, this process. Read when
// scraped.
#ifndef KILN_SERVER_METRICS_SNAPSHOT_H_
#define KILN_SERVER_METRICS_SNAPSHOT_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "server/cache/result_cache.h"
#include "server/quarantine/quarantine.h"
#include "server/worker/pool.h"

namespace kiln::metrics {

class Snapshot : public prometheus::Collectable {
 public:
  // Both outlive this.
  Snapshot(const cache::ResultCache* cache, const worker::Pool* pool, size_t queue_limit)
      : cache_(cache), pool_(pool), queue_limit_(queue_limit) {}

  // To be called before the first Collect; the argument outlives this.
  void Watch(const quarantine::Quarantine* quarantine) { quarantine_ = quarantine; }

  // Likewise for a queue that is not the pool's: its length, read at every scrape, and its bound.
  void WatchDiskQueue(std::function<size_t()> queued, size_t limit) {
    disk_queued_ = std::move(queued);
    disk_queue_limit_ = limit;
  }

  // Likewise: the memory that the daemon and all its workers may come to need by their settings,
  // and the limit on both together; 0: there is none. In bytes.
  struct Memory {
    uint64_t daemon = 0, workers = 0, limit = 0;
  };
  void WatchMemory(const Memory& memory) { memory_ = memory; }

  // Likewise for refused calls that are not told yet.
  void WatchRefusals(std::function<size_t()> held) { refusals_held_ = std::move(held); }

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void CollectQuarantine(std::vector<prometheus::MetricFamily>* out) const;
  void CollectCache(std::vector<prometheus::MetricFamily>* out) const;
  void CollectDisk(const cache::DiskTier::Usage& disk,
                   std::vector<prometheus::MetricFamily>* out) const;
  void CollectQueues(size_t jobs, std::vector<prometheus::MetricFamily>* out) const;
  static void CollectShares(const worker::Pool::Load& load,
                            std::vector<prometheus::MetricFamily>* out);
  void CollectMemory(std::vector<prometheus::MetricFamily>* out) const;
  void CollectPool(std::vector<prometheus::MetricFamily>* out) const;
  static void CollectProcess(std::vector<prometheus::MetricFamily>* out);

  const cache::ResultCache* cache_;
  const worker::Pool* pool_;
  size_t queue_limit_;
  std::function<size_t()> disk_queued_;
  size_t disk_queue_limit_ = 0;
  std::function<size_t()> refusals_held_;
  const quarantine::Quarantine* quarantine_ = nullptr;
  Memory memory_;
};

// Returns the start of this process, in seconds since 1970. Computed once: a step of the clock is
// not a restart.
double StartTime();

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_SNAPSHOT_H_
