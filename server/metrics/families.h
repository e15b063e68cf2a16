// Builds families of metrics that are read when scraped.
#ifndef KILN_SERVER_METRICS_FAMILIES_H_
#define KILN_SERVER_METRICS_FAMILIES_H_

#include <prometheus/metric_family.h>

#include <cstdint>
#include <vector>

namespace kiln::metrics {

struct Sample {
  std::vector<prometheus::ClientMetric::Label> labels;
  double value;
};

// Appends a family of counters or gauges.
void Add(std::vector<prometheus::MetricFamily>* out, const char* name, const char* help,
         prometheus::MetricType type, const std::vector<Sample>& samples);

inline double D(uint64_t n) { return static_cast<double>(n); }

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_FAMILIES_H_
