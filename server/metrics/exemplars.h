// Exemplars of histograms: for each bucket the last call that was counted there, by its request id.
//
// Kept beside prometheus-cpp's histograms, which have none. Calls answered from memory have no
// request id, and cost nothing here.
#ifndef KILN_SERVER_METRICS_EXEMPLARS_H_
#define KILN_SERVER_METRICS_EXEMPLARS_H_

#include <prometheus/client_metric.h>
#include <prometheus/histogram.h>
#include <prometheus/labels.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace kiln::metrics {

struct Exemplar {
  std::string request_id;  // empty: the bucket has none
  double value = 0;
  double time = 0;  // seconds since 1970
};

// Identifies a series: the family's name and the labels, sorted.
using SeriesKey = std::pair<std::string, prometheus::Labels>;
SeriesKey KeyOf(const std::string& family,
                const std::vector<prometheus::ClientMetric::Label>& labels);

class Exemplars {
 public:
  // By series; the exemplars in the order of the buckets, the last for +Inf.
  using Map = std::map<SeriesKey, std::vector<Exemplar>>;
  // The longest request id that OpenMetrics allows in an exemplar: 128 characters with the name of
  // the label.
  static constexpr size_t kMaxId = 128 - std::string_view("request_id").size();

  // Notes a value that the histogram `key` observed; `bounds`: its buckets' upper bounds. Does
  // nothing without a request id, or with one that is longer than kMaxId.
  void Note(const SeriesKey& key, const prometheus::Histogram::BucketBoundaries& bounds,
            double value, std::string_view request_id);
  Map Read() const;

 private:
  mutable absl::Mutex mutex_;
  Map map_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_EXEMPLARS_H_
