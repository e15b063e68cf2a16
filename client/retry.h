// When to try a refused call again.
//
// kilnd sheds load with UNAVAILABLE and says in google.rpc.RetryInfo when to come back; a broken
// connection is UNAVAILABLE without it. Both are safe to repeat: a compile has no effect but on the
// cache. Delays double from `first_delay` to `longest_delay`, or are what the daemon asks for; up
// to a quarter is added at random, so that refused clients do not come back together.
#ifndef KILN_CLIENT_RETRY_H_
#define KILN_CLIENT_RETRY_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace kiln::client {

struct RetryPolicy {
  absl::Duration first_delay = absl::Milliseconds(100);
  absl::Duration longest_delay = absl::Seconds(5);
  // How long a daemon that does not answer is waited for, and how long one that sheds load.
  absl::Duration patience_when_lost = absl::Seconds(10);
  absl::Duration patience_when_shed = absl::Seconds(120);
};

// The delay that the daemon asked for, if it did.
std::optional<absl::Duration> RetryDelayOf(const grpc::Status& status);

// What went wrong, with the fields that google.rpc.BadRequest names.
absl::Status ToAbslStatus(const grpc::Status& status);

// The tries of one call.
class Retry {
 public:
  Retry(const RetryPolicy& policy, absl::Time start, uint64_t seed)
      : policy_(policy), start_(start), random_(seed | 1), delay_(policy.first_delay) {}

  // After a failed try: how long to wait before the next one; nothing: give up.
  std::optional<absl::Duration> Next(const grpc::Status& status, absl::Time now);

 private:
  double Jitter();

  const RetryPolicy& policy_;
  absl::Time start_;
  uint64_t random_;
  absl::Duration delay_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_RETRY_H_
