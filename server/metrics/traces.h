// Metrics of the export of traces. Read when scraped.
#ifndef KILN_SERVER_METRICS_TRACES_H_
#define KILN_SERVER_METRICS_TRACES_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

#include "server/trace/exporter.h"

namespace kiln::metrics {

class Traces : public prometheus::Collectable {
 public:
  // `exporter` outlives this; null: traces are off, and all counts stay 0.
  explicit Traces(const trace::Exporter* exporter) : exporter_(exporter) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const trace::Exporter* exporter_;
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_TRACES_H_
