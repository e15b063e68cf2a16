// Builds families of metrics from their rows in the catalogue.
#ifndef KILN_SERVER_METRICS_FAMILIES_H_
#define KILN_SERVER_METRICS_FAMILIES_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <vector>

namespace kiln::metrics {

struct Sample {
  std::vector<prometheus::ClientMetric::Label> labels;
  double value;
};

// Appends a family of counters or gauges that is read when scraped.
void Add(std::vector<prometheus::MetricFamily>* out, const char* name,
         const std::vector<Sample>& samples);

// Add a family to a registry; return it.
prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name);
prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name);
prometheus::Family<prometheus::Histogram>& Histograms(prometheus::Registry& registry,
                                                      const char* name);

inline double D(uint64_t n) { return static_cast<double>(n); }

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_FAMILIES_H_
