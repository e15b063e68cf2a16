// Checks the daemon's health over a new connection through its own listener.
#ifndef KILN_SERVER_NET_HEALTH_CALL_H_
#define KILN_SERVER_NET_HEALTH_CALL_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/net/listener.h"

namespace kiln::net {

// Connects to the listener's first address, exempt from its bound, and calls
// grpc.health.v1.Health/Check without TLS. Ok: there was an answer, whether or not it says that the
// daemon serves. Blocks for up to `timeout`, once to connect and once to call.
absl::Status CallHealthThrough(Listener* listener, absl::Duration timeout);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_HEALTH_CALL_H_
