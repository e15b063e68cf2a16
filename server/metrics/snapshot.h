// Metrics of what counts itself: cache tiers, queue, workers, this process. Read when scraped.
#ifndef KILN_SERVER_METRICS_SNAPSHOT_H_
#define KILN_SERVER_METRICS_SNAPSHOT_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

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

  // Before the first Collect; outlives this.
  void Watch(const quarantine::Quarantine* quarantine) { quarantine_ = quarantine; }

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void CollectQuarantine(std::vector<prometheus::MetricFamily>* out) const;
  void CollectCache(std::vector<prometheus::MetricFamily>* out) const;
  void CollectDisk(const cache::DiskTier::Usage& disk,
                   std::vector<prometheus::MetricFamily>* out) const;
  void CollectPool(std::vector<prometheus::MetricFamily>* out) const;
  static void CollectProcess(std::vector<prometheus::MetricFamily>* out);

  const cache::ResultCache* cache_;
  const worker::Pool* pool_;
  size_t queue_limit_;
  const quarantine::Quarantine* quarantine_ = nullptr;
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_SNAPSHOT_H_
