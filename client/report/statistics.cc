// Figures about changes: see statistics.h.
#include "client/report/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace kiln::client::report {
namespace {

double Mean(absl::Span<const double> values) {
  double sum = 0;
  for (double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Spread SpreadOf(absl::Span<const double> values) {
  assert(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  const double median =
      sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return {sorted.front(), sorted.back(), Mean(values), median};
}

double TwoSidedT95(double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), 0.975);
}

Interval MeanInterval(absl::Span<const double> values) {
  if (values.size() < 2) return {};
  const double n = static_cast<double>(values.size());
  const double mean = Mean(values);
  double squares = 0;
  for (double v : values) squares += (v - mean) * (v - mean);
  const double half = TwoSidedT95(n - 1) * std::sqrt(squares / (n - 1) / n);
  return {true, mean - half, mean + half};
}

}  // namespace kiln::client::report
