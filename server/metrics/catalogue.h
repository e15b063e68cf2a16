// The catalogue of metrics: for each its name, type, unit, labels, help, and what it is for.
//
// The one list: families are made from its rows (families.h), METRICS.md is printed from it
// (`kilnd --metrics-markdown`), and tests compare it with what a daemon serves and with what
// deploy/grafana and deploy/prometheus ask for.
#ifndef KILN_SERVER_METRICS_CATALOGUE_H_
#define KILN_SERVER_METRICS_CATALOGUE_H_

#include <prometheus/metric_type.h>

#include <string>
#include <string_view>
#include <vector>

namespace kiln::metrics {

struct Row {
  std::string_view name;  // as in the text format: counters end in _total
  prometheus::MetricType type;
  std::string_view unit;    // "seconds", "bytes"; empty: a number or a share
  std::string_view labels;  // separated by commas, in their order; without a histogram's le
  std::string_view help;
  std::string_view use;  // ends the sentence "It is for seeing ..."
};

// The rows by room of the daemon. Each name is in one of them, once.
const std::vector<Row>& ServiceRows();
const std::vector<Row>& CompilerRows();
const std::vector<Row>& CacheRows();

// Returns the metric's row. Ends the process if it has none: a test asks for all of them.
const Row& RowOf(std::string_view name);

// True for a metric whose value is always 1, and whose labels are what it tells.
bool IsInfo(const Row& row);

// Returns METRICS.md.
std::string MetricsPage();

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_CATALOGUE_H_
