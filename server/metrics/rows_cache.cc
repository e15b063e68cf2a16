// Rows of the catalogue of metrics: the tiers of the cache.
#include "server/metrics/catalogue.h"

namespace kiln::metrics {

using enum prometheus::MetricType;

const std::vector<Row>& CacheRows() {
  static const std::vector<Row> rows = {
      {"kiln_cache_requests_total", Counter, "", "tier,result",
       "Look-ups of records, by tier and outcome",
       "look-ups of each tier (several for one call): damage and errors"},
      {"kiln_cache_bytes", Gauge, "bytes", "tier", "Size of a cache tier in bytes",
       "how full a tier is"},
      {"kiln_cache_limit_bytes", Gauge, "bytes", "tier", "Maximum size of a cache tier in bytes",
       "how full a tier is"},
      {"kiln_cache_entries", Gauge, "", "tier", "Records in a tier; an estimate for the disk tier",
       "the mean size of a record"},
      {"kiln_cache_evicted_bytes_total", Counter, "bytes", "tier", "Bytes evicted from a tier",
       "turnover: a cache that is too small"},
      {"kiln_cache_evicted_age_seconds", Gauge, "seconds", "tier",
       "Retention: seconds for which the record that was evicted last had not been used (memory), or since its table was written (disk); absent until one was evicted",
       "how long a result stays: less than the time between two builds is too little"},
      {"kiln_cache_dropped_generations_total", Counter, "", "",
       "Generations evicted from the disk tier", "turnover of the disk tier"},
      {"kiln_cache_invalid_bytes", Gauge, "bytes", "tier",
       "Bytes of a tier in results of invalid modules; an estimate for the disk tier",
       "clients that send nonsense"},
      {"kiln_cache_invalid_limit_bytes", Gauge, "bytes", "tier",
       "Maximum bytes of results of invalid modules in a tier", "clients that send nonsense"},
      {"kiln_cache_invalid_refused_total", Counter, "", "",
       "Records of invalid modules that the disk tier did not store because of their limit",
       "clients that send nonsense"},
      {"kiln_cache_write_errors_total", Counter, "", "",
       "Records that the disk tier could not store", "results that a restart would lose"},
      {"kiln_cache_disk_state", Gauge, "", "state",
       "1 for the disk tier's present state, 0 for the others; all 0: there is no disk tier",
       "a disk that is full, read-only or gone"},
      {"kiln_cache_disk_failing", Gauge, "", "cause",
       "1 for the cause of the disk tier not serving completely, 0 for the others",
       "why the disk tier is degraded"},
      {"kiln_cache_disk_failures_total", Counter, "", "",
       "Number of times that the disk tier started to fail", "how often it began to fail"},
      {"kiln_cache_disk_recoveries_total", Counter, "", "",
       "Number of times that the disk tier recovered", "how often it came back"},
      {"kiln_cache_lost_records_total", Counter, "", "", "Records on disk lost to damage",
       "the cost of damage"},
      {"kiln_cache_damaged_generations_total", Counter, "", "result",
       "Generations found damaged, and outcomes of those that could not be opened",
       "damage, and whether it could be repaired"},
      {"kiln_cache_old_layouts_dropped_total", Counter, "", "",
       "Caches of an earlier layout that were removed", "a cache of an earlier version"},
  };
  return rows;
}

}  // namespace kiln::metrics
