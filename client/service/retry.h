// When to try a call again that had no answer.
//
// kilnd sheds load with UNAVAILABLE and says in google.rpc.RetryInfo when to come back; a lost
// connection is UNAVAILABLE without it, a daemon or proxy that ends a call on its own way out
// CANCELLED or a reset stream. All are safe to repeat: a compile has no effect but on the cache.
// Delays double from `first_delay` to `longest_delay`, or are what the daemon asks for, no longer
// than that either; up to a fifth of each is chance, so that callers do not come back together. How
// long is waited in all is outage.h's matter: from the service's last answer to anybody.
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
  // How long a service that answers nobody is waited for; zero: not at all.
  absl::Duration patience = absl::Seconds(60);
};

// The delay that the daemon asked for, if it did.
std::optional<absl::Duration> RetryDelayOf(const grpc::Status& status);

// What went wrong, with the fields that google.rpc.BadRequest names.
absl::Status ToAbslStatus(const grpc::Status& status);

// The call was not answered, and trying it again may help.
bool WasNotAnswered(const grpc::Status& status);

// gRPC's reason for people: "Connection refused" without the layers that it came through.
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

  // After a failed try: how long to wait before the next one; nothing: give up.
  std::optional<absl::Duration> Next(const grpc::Status& status, absl::Time now);

  // After giving up: what to tell the caller, who asked `service`.
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
