// Builds families of metrics from their rows in the catalogue: see families.h.
#include "server/metrics/families.h"

#include <string>
#include <utility>

#include "server/metrics/catalogue.h"

namespace kiln::metrics {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void Add(std::vector<MetricFamily>* out, const char* name, const std::vector<Sample>& samples) {
  const Row& row = RowOf(name);
  MetricFamily family;
  family.name = name;
  family.help = std::string(row.help);
  family.type = row.type;
  for (const Sample& sample : samples) {
    ClientMetric metric;
    metric.label = sample.labels;
    if (row.type == MetricType::Counter) {
      metric.counter.value = sample.value;
    } else {
      metric.gauge.value = sample.value;
    }
    family.metric.push_back(std::move(metric));
  }
  out->push_back(std::move(family));
}

prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry,
                                                  const char* name) {
  return prometheus::BuildCounter()
      .Name(name)
      .Help(std::string(RowOf(name).help))
      .Register(registry);
}

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name) {
  return prometheus::BuildGauge().Name(name).Help(std::string(RowOf(name).help)).Register(registry);
}

prometheus::Family<prometheus::Histogram>& Histograms(prometheus::Registry& registry,
                                                      const char* name) {
  return prometheus::BuildHistogram()
      .Name(name)
      .Help(std::string(RowOf(name).help))
      .Register(registry);
}

}  // namespace kiln::metrics
