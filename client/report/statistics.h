// Figures about a list of changes: spread, mean, median, and the confidence interval of the mean.
#ifndef KILN_CLIENT_REPORT_STATISTICS_H_
#define KILN_CLIENT_REPORT_STATISTICS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace kiln::client::report {

struct Spread {
  double least = 0;
  double most = 0;
  double mean = 0;
  double median = 0;  // for an even count, the mean of the two in the middle
};

// `values` is not empty.
Spread SpreadOf(absl::Span<const double> values);

struct Interval {
  bool known = false;  // if there are at least two values
  double low = 0;
  double high = 0;
};

// Returns the 95 % confidence interval of the mean, by Student's t with n - 1 degrees of freedom:
// mean +- t(0.975, n - 1) * s / sqrt(n), s the sample's standard deviation.
Interval MeanInterval(absl::Span<const double> values);

// Returns t such that a variable of Student's distribution with `degrees` > 0 lies below t with
// probability 0.975.
double TwoSidedT95(double degrees);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_STATISTICS_H_
