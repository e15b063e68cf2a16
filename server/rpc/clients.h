// Tells which client makes a call: its connection, and the owner that the call is charged to.
//
// An owner (worker/owner.h) is the connection's address and the connection, as known when it was
// accepted (net/listener.h). A proxy that the configuration trusts forwards its clients' calls:
// their address is the last one in `x-forwarded-for`, and their connection the one that the proxy
// names in `kiln-client-connection`, if any. If the former is no address the call is the proxy's
// own. In calls of any other peer these headers are ignored.
#ifndef KILN_SERVER_RPC_CLIENTS_H_
#define KILN_SERVER_RPC_CLIENTS_H_

#include <grpcpp/server_context.h>

#include <map>
#include <string>

#include "server/net/connection.h"
#include "server/worker/owner.h"

namespace kiln::server {

inline constexpr char kForwardedForHeader[] = "x-forwarded-for";
inline constexpr char kForwardedConnectionHeader[] = "kiln-client-connection";
// Bound on the latter header's value; longer ones are cut.
inline constexpr size_t kMaxConnectionName = 64;

// Returns the call's connection, which counts as in use as long as the result lives. `table` null:
// the connection is not known.
inline net::OpenCall BeginCall(const net::ConnectionTable* table,
                               const grpc::CallbackServerContext& context) {
  return table == nullptr ? net::OpenCall() : table->Begin(context.peer());
}

// The headers of a call, as gRPC has them.
using Headers = std::multimap<grpc::string_ref, grpc::string_ref>;

// Returns the owner of a call. It is empty if the connection is not known (closed meanwhile, or the
// daemon's own).
worker::Owner OwnerOf(const net::OpenCall& call, const Headers& headers);

inline worker::Owner OwnerOf(const net::OpenCall& call,
                             const grpc::CallbackServerContext& context) {
  return OwnerOf(call, context.client_metadata());
}

// Returns the client's name for known_sources.h. Empty if the connection is not known: then the
// client has sent no source.
std::string ClientName(const net::OpenCall& call, const worker::Owner& owner);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_CLIENTS_H_
