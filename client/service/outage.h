// Shares between callers of one service the time since its last answer, the reason, and how long
// they wait.
//
// An absence begins with the first call that failed after the last answer, and ends with an answer
// to any call. So a call that fails while others are answered is retried, and all callers give up a
// silent service at the same time, however late each of them began. A connection is no answer:
// callers also give up a daemon that dies of each call it takes.
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

  // To be called when a call was answered.
  void Answered();
  // To be called when a daemon listens again, but has not answered yet.
  void Reached();
  // To be called when a call got no answer (`sheds`: because the service takes no work). Returns
  // when the absence began.
  absl::Time Failed(bool sheds, const std::string& why, absl::Time now);

  // Returns nullopt if the service is present, as far as its callers know.
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
