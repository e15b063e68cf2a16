// What the callers of one service know together of its absence: since when it has answered nobody,
// why, and how long they wait.
//
// An absence begins with the first call that failed after the last answer, and ends with an answer
// to anybody. So a call that is unlucky while others are answered is tried on, and a service that
// answers nobody is given up by all its callers at the same time, however late each of them began.
// A connection is no answer: a daemon that dies of each call it takes is given up as well.
#ifndef KILN_CLIENT_SERVICE_OUTAGE_H_
#define KILN_CLIENT_SERVICE_OUTAGE_H_

#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/service/service.h"

namespace kiln::client {

// For many threads.
class Outage {
 public:
  explicit Outage(absl::Duration patience) : patience_(patience) {}

  // A call was answered.
  void Answered();
  // Somebody listens again, but has not answered yet.
  void Reached();
  // A call failed for want of an answer (`sheds`: because the service takes no work). When the
  // absence began.
  absl::Time Failed(bool sheds, const std::string& why, absl::Time now);

  // Nothing: as far as anybody knows the service is there.
  std::optional<Away> away(absl::Time now) const;

 private:
  const absl::Duration patience_;
  mutable absl::Mutex mutex_;
  std::optional<absl::Time> since_ ABSL_GUARDED_BY(mutex_);
  bool reached_ ABSL_GUARDED_BY(mutex_) = false;
  bool sheds_ ABSL_GUARDED_BY(mutex_) = false;
  std::string why_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_OUTAGE_H_
