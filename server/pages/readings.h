// Looks up values in the metrics as collected for a scrape, so that the pages show the figures that
// Prometheus reads.
#ifndef KILN_SERVER_PAGES_READINGS_H_
#define KILN_SERVER_PAGES_READINGS_H_

#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace kiln::pages {

// A condition on a metric: its label has one of the values; with `negated` none of them.
struct Where {
  std::string_view label;
  std::vector<std::string_view> values;
  bool negated = false;
};

// Counts of a histogram up to each upper bound; bounds in seconds, ascending, the last infinite.
struct Buckets {
  std::vector<double> bounds;
  std::vector<uint64_t> counts;  // cumulative
};

class Readings {
 public:
  // `families` outlives it.
  explicit Readings(const std::vector<prometheus::MetricFamily>& families);

  // Returns the sum of a family's counters or gauges that meet all conditions; NaN if there is no
  // such family (a part of the daemon that has ended, or is not in use).
  double Sum(std::string_view family, const std::vector<Where>& where = {}) const;
  // Returns the sum of a family's histograms; empty if there is none.
  Buckets Histogram(std::string_view family, const std::vector<Where>& where) const;
  // Null: there is no such family.
  const prometheus::MetricFamily* Find(std::string_view family) const;

 private:
  absl::flat_hash_map<std::string_view, const prometheus::MetricFamily*> families_;
};

// Returns the value below which the share `quantile` of the observations between two readings of
// one histogram lies, interpolated within its bucket as histogram_quantile() of Prometheus does:
// in the bucket without an upper bound it is that bucket's lower one. NaN: there were none.
double Quantile(double quantile, const Buckets& before, const Buckets& now);

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_READINGS_H_
