// The processor time that a run may take, its preparation included.
#ifndef KILN_CORE_SIM_SCENE_TIME_LIMIT_H_
#define KILN_CORE_SIM_SCENE_TIME_LIMIT_H_

#include <cstdint>

#include "absl/status/status.h"

namespace kiln::sim::scene {

class TimeLimit {
 public:
  TimeLimit() = default;  // no limit
  // So many seconds of the calling thread's processor time from now on; 0: no limit.
  explicit TimeLimit(double seconds);

  // DeadlineExceeded: the time is over.
  absl::Status Check() const;

  // Does the same now and then. `steps`: a measure of the work since the last call, of about a
  // microsecond each.
  absl::Status Spend(uint64_t steps);

 private:
  double seconds_ = 0, end_ = 0;
  uint64_t spent_ = 0;  // steps since the last look at the clock
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_TIME_LIMIT_H_
