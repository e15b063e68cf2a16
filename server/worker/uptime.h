// Returns the time since the machine's start, for deadlines: unlike absl::Now() it is never set.
#ifndef KILN_SERVER_WORKER_UPTIME_H_
#define KILN_SERVER_WORKER_UPTIME_H_

#include <chrono>

#include "absl/time/time.h"

namespace kiln::worker {

inline absl::Duration Uptime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_UPTIME_H_
