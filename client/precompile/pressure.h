// Pauses work while the machine is short of processor time, memory or disk bandwidth, as Linux
// reports it (/proc/pressure, "some avg10": the percentage of the last ten seconds in which some
// task waited for it).
#ifndef KILN_CLIENT_PRECOMPILE_PRESSURE_H_
#define KILN_CLIENT_PRECOMPILE_PRESSURE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace kiln::client {

struct PressureLimit {
  std::string kind;  // "cpu", "memory", "io"
  double percent = 0;
};

// Reads "cpu=80,io=40". InvalidArgument: another form, or not above 0 and at most 100.
absl::StatusOr<std::vector<PressureLimit>> ParsePressureLimits(absl::string_view text);

// Returns avg10 of the line "some" of such a file. DataLoss: it has none.
absl::StatusOr<double> ParsePressure(absl::string_view text);

class PressureGate {
 public:
  // `folder`: /proc/pressure, but for tests. FailedPrecondition: the system does not report one of
  // the limits' kinds.
  static absl::StatusOr<std::unique_ptr<PressureGate>> Make(std::vector<PressureLimit> limits,
                                                            std::string folder);

  // Blocks while a limit is exceeded, and no longer than until Stop. Thread-safe.
  void Wait();
  void Stop();
  // Returns "paused: cpu pressure 85 % is above 80 %", or "" if nothing waits.
  std::string Waiting();

 private:
  PressureGate(std::vector<PressureLimit> limits, std::string folder)
      : limits_(std::move(limits)), folder_(std::move(folder)) {}
  // Returns what is exceeded; empty: nothing, or nothing is reported any more.
  std::string Exceeded() const;

  const std::vector<PressureLimit> limits_;
  const std::string folder_;
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time looked_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string exceeded_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_PRESSURE_H_
