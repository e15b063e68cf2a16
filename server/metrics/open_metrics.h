// Serialises families of metrics as OpenMetrics text, version 1.0.0: the specification is
// https://prometheus.io/docs/specs/om/open_metrics_spec.
#ifndef KILN_SERVER_METRICS_OPEN_METRICS_H_
#define KILN_SERVER_METRICS_OPEN_METRICS_H_

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/metrics/exemplars.h"

namespace kiln::metrics {

inline constexpr char kOpenMetricsType[] = "application/openmetrics-text";
// Value of Content-Type.
inline constexpr char kOpenMetricsContentType[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

// Returns the text. Units come from the catalogue, which has a row for each family. `created`: when
// the counters and histograms were 0, in seconds since 1970.
std::string OpenMetrics(const std::vector<prometheus::MetricFamily>& families,
                        const Exemplars::Map& exemplars, double created);

// Returns a number as Go formats it with the shortest digits, with ".0" if it is whole: the form
// that OpenMetrics asks of bounds ("1.0", "5e-05", "+Inf").
std::string CanonicalNumber(double value);

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_OPEN_METRICS_H_
