// Looks up values in collected metrics: see readings.h.
#include "server/pages/readings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::pages {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool Meets(const prometheus::ClientMetric& metric, const Where& where) {
  const auto label = std::find_if(metric.label.begin(), metric.label.end(),
                                  [&](const auto& l) { return l.name == where.label; });
  const bool has =
      label != metric.label.end() &&
      std::find(where.values.begin(), where.values.end(), label->value) != where.values.end();
  return has != where.negated;
}

bool MeetsAll(const prometheus::ClientMetric& metric, const std::vector<Where>& where) {
  return std::all_of(where.begin(), where.end(), [&](const Where& w) { return Meets(metric, w); });
}

}  // namespace

Readings::Readings(const std::vector<prometheus::MetricFamily>& families) {
  for (const auto& family : families) families_.emplace(family.name, &family);
}

const prometheus::MetricFamily* Readings::Find(std::string_view family) const {
  const auto found = families_.find(family);
  return found == families_.end() ? nullptr : found->second;
}

double Readings::Sum(std::string_view family, const std::vector<Where>& where) const {
  const prometheus::MetricFamily* found = Find(family);
  if (found == nullptr) return kNone;
  double sum = 0;
  for (const auto& metric : found->metric) {
    if (!MeetsAll(metric, where)) continue;
    sum +=
        found->type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value;
  }
  return sum;
}

Buckets Readings::Histogram(std::string_view family, const std::vector<Where>& where) const {
  Buckets sum;
  const prometheus::MetricFamily* found = Find(family);
  if (found == nullptr) return sum;
  for (const auto& metric : found->metric) {
    if (!MeetsAll(metric, where)) continue;
    const auto& buckets = metric.histogram.bucket;
    if (sum.bounds.empty()) {
      for (const auto& bucket : buckets) sum.bounds.push_back(bucket.upper_bound);
      sum.counts.resize(buckets.size());
    }
    for (size_t i = 0; i < std::min(buckets.size(), sum.counts.size()); ++i) {
      sum.counts[i] += buckets[i].cumulative_count;
    }
  }
  return sum;
}

double Quantile(double quantile, const Buckets& before, const Buckets& now) {
  std::vector<double> counts;
  for (size_t i = 0; i < now.counts.size(); ++i) {
    const uint64_t then = i < before.counts.size() ? before.counts[i] : 0;
    counts.push_back(static_cast<double>(now.counts[i] - std::min(then, now.counts[i])));
  }
  if (counts.empty() || counts.back() == 0) return kNone;
  const double rank = quantile * counts.back();
  const auto at = static_cast<size_t>(
      std::find_if(counts.begin(), counts.end(), [&](double c) { return c >= rank; }) -
      counts.begin());
  const double low = at == 0 ? 0 : now.bounds[at - 1], below = at == 0 ? 0 : counts[at - 1];
  if (std::isinf(now.bounds[at])) return low;
  if (counts[at] == below) return low;
  return low + (now.bounds[at] - low) * (rank - below) / (counts[at] - below);
}

}  // namespace kiln::pages
