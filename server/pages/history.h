// The last hour's samples of the daemon's figures, which the status page's charts are drawn from.
//
// A ring of kSamples rows with a number for each of Columns(): counters as they stand, gauges as
// they are, quantiles of what happened since the row before. Some 100 KiB, whatever happens.
// Thread-safe.
#ifndef KILN_SERVER_PAGES_HISTORY_H_
#define KILN_SERVER_PAGES_HISTORY_H_

#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/pages/readings.h"

namespace kiln::pages {

// A row: the values of Columns(), NaN where there is none.
using Sample = std::vector<double>;

class History {
 public:
  static constexpr absl::Duration kInterval = absl::Seconds(10);
  static constexpr size_t kSamples = 361;  // an hour, both ends included

  enum class Kind { kTime, kCounter, kGauge, kQuantile };
  struct Column {
    std::string_view name;
    Kind kind;
  };
  // The first is the time, in seconds since 1970.
  static std::vector<Column> Columns();

  // Adds a row.
  void Take(const Readings& readings, absl::Time now);
  // Returns the row that Take would add, and adds none.
  Sample Look(const Readings& readings, absl::Time now) const;
  // The oldest first.
  std::vector<Sample> All() const;

 private:
  struct Times {
    Buckets hits, misses, queue;
  };
  static Times TimesOf(const Readings& readings);
  Sample Row(const Readings& readings, const Times& times, absl::Time now) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  std::deque<Sample> samples_ ABSL_GUARDED_BY(mutex_);
  Times last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_HISTORY_H_
