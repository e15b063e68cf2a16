// Decides when to retry a call that had no answer.
//
// kilnd sheds load with UNAVAILABLE and a time to retry in google.rpc.RetryInfo; a lost connection
// is UNAVAILABLE without it; a daemon or proxy that shuts down ends a call with CANCELLED or a
// reset stream. All are safe to repeat: a compile has no effect but on the cache. Delays double
// from `first_delay` to `longest_delay`, or are the daemon's, but no longer than that; up to a
// fifth of each is chance, so that callers do not return together. outage.h bounds the total wait:
// from the service's last answer to any caller.
#ifndef KILN_CLIENT_SERVICE_RETRY_H_
#define KILN_CLIENT_SERVICE_RETRY_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/service/outage.h"

namespace kiln::client {

struct RetryPolicy {
  absl::Duration first_delay = absl::Milliseconds(100);
  absl::Duration longest_delay = absl::Seconds(1);  // with its chance
  // How long to wait for a silent service; zero: not at all.
  absl::Duration patience = absl::Seconds(60);
};

// Returns the delay that the daemon requests, if any.
std::optional<absl::Duration> RetryDelayOf(const grpc::Status& status);

// Returns the error, with the fields that google.rpc.BadRequest names.
absl::Status ToAbslStatus(const grpc::Status& status);

// Returns true if the call was not answered, and a retry may help.
bool WasNotAnswered(const grpc::Status& status);

// Returns gRPC's reason for people: "Connection refused" without the layers that it came through.
std::string ReasonOf(const grpc::Status& status);

// The tries of one call.
class Retry {
 public:
  // `outage` outlives it.
  Retry(const RetryPolicy& policy, Outage* outage, uint64_t seed)
      : policy_(policy),
        outage_(outage),
        random_(seed * 0x9e3779b97f4a7c15 | 1),
        delay_(policy.first_delay) {}

  // Returns the delay after a failed try; nullopt: give up.
  std::optional<absl::Duration> Next(const grpc::Status& status, absl::Time now);

  // Returns the caller's error after giving up on `service`.
  absl::Status Failure(const grpc::Status& status, const std::string& service) const;

 private:
  double Chance();

  const RetryPolicy policy_;
  Outage* const outage_;
  uint64_t random_;
  absl::Duration delay_;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_RETRY_H_
