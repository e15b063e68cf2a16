// Exemplars of histograms: see exemplars.h.
#include "server/metrics/exemplars.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace kiln::metrics {

SeriesKey KeyOf(const std::string& family,
                const std::vector<prometheus::ClientMetric::Label>& labels) {
  SeriesKey key = {family, {}};
  for (const auto& label : labels) key.second.emplace(label.name, label.value);
  return key;
}

void Exemplars::Note(const SeriesKey& key, const prometheus::Histogram::BucketBoundaries& bounds,
                     double value, std::string_view request_id) {
  if (request_id.empty() || request_id.size() > kMaxId) return;
  const auto bucket =
      static_cast<size_t>(std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin());
  const double now = absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch());
  absl::MutexLock lock(&mutex_);
  std::vector<Exemplar>& of_series = map_[key];
  of_series.resize(bounds.size() + 1);
  of_series[bucket] = {std::string(request_id), value, now};
}

Exemplars::Map Exemplars::Read() const {
  absl::MutexLock lock(&mutex_);
  return map_;
}

}  // namespace kiln::metrics
