// Tells why a call is over before it was answered: its deadline, or its client.
//
// gRPC tells a server only that a call is cancelled. At its deadline a client resets the call
// without a reason, and the server's own clock may be still short of the deadline: the time left
// travels rounded up to two or three digits (1 %), or as that of an earlier call that was up to 3 %
// longer (gRPC 1.51, hpack_encoder.cc and timeout_encoding.cc), and is counted from the arrival of
// the request, on a busy machine some milliseconds after it was sent. A client that leaves of its
// own accord so close to its deadline counts as one that reached it; one whose request was under
// way for longer than that margin counts as one that left.
#ifndef KILN_SERVER_RPC_LEAVING_H_
#define KILN_SERVER_RPC_LEAVING_H_

#include <grpcpp/server_context.h>

#include <algorithm>
#include <chrono>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace kiln::server {

// `deadline`: as the server sees it; `begun`: when the server received the call.
inline absl::Status WhyOver(absl::Time deadline, absl::Time begun, absl::Time now) {
  const absl::Duration timeout = deadline - begun;
  const absl::Duration doubt =
      timeout / 24 + absl::Milliseconds(2) + std::min(timeout / 8, absl::Milliseconds(50));
  if (deadline != absl::InfiniteFuture() && deadline - now <= doubt) {
    return absl::DeadlineExceededError("the client's deadline has passed");
  }
  return absl::CancelledError("the client has left");
}

inline absl::Time DeadlineOf(const grpc::CallbackServerContext& context) {
  const auto deadline = context.deadline();
  const bool none = deadline == std::chrono::system_clock::time_point::max();
  return none ? absl::InfiniteFuture() : absl::FromChrono(deadline);
}

inline absl::Status WhyOver(const grpc::CallbackServerContext& context, absl::Time begun) {
  return WhyOver(DeadlineOf(context), begun, absl::Now());
}

// Returns how long a refusal may be held back: half of the call's remaining time, so that the
// client has the other half for another try, here or elsewhere.
inline absl::Duration MayHold(absl::Time deadline, absl::Time now) {
  return deadline == absl::InfiniteFuture() ? absl::InfiniteDuration() : (deadline - now) / 2;
}

inline absl::Duration MayHold(const grpc::CallbackServerContext& context) {
  return MayHold(DeadlineOf(context), absl::Now());
}

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_LEAVING_H_
