// Builds families of metrics that are read when scraped: see families.h.
#include "server/metrics/families.h"

#include <utility>

namespace kiln::metrics {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void Add(std::vector<MetricFamily>* out, const char* name, const char* help, MetricType type,
         const std::vector<Sample>& samples) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  for (const Sample& sample : samples) {
    ClientMetric metric;
    metric.label = sample.labels;
    if (type == MetricType::Counter) {
      metric.counter.value = sample.value;
    } else {
      metric.gauge.value = sample.value;
    }
    family.metric.push_back(std::move(metric));
  }
  out->push_back(std::move(family));
}

}  // namespace kiln::metrics
