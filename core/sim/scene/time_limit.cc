// See time_limit.h.
#include "core/sim/scene/time_limit.h"

#include <time.h>

#include "absl/strings/str_format.h"

namespace kiln::sim::scene {
namespace {

constexpr uint64_t kSteps = 1024;  // between two looks at the clock

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TimeLimit::TimeLimit(double seconds) : seconds_(seconds), end_(ProcessorSeconds() + seconds) {}

absl::Status TimeLimit::Check() const {
  if (seconds_ <= 0 || ProcessorSeconds() <= end_) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrFormat("more than %g seconds of processor time", seconds_));
}

absl::Status TimeLimit::Spend(uint64_t steps) {
  spent_ += steps;
  if (spent_ < kSteps) return absl::OkStatus();
  spent_ = 0;
  return Check();
}

}  // namespace kiln::sim::scene
