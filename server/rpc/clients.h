// Who makes a call: its connection, and whose share of the workers it is charged to.
//
// An owner (worker/owner.h) is the connection's address and the connection, as they were known when
// it was accepted (net/listener.h). What a proxy that the configuration trusts forwards is its
// clients': there the address is the last one in `x-forwarded-for`, and the connection the one that
// the proxy names in `kiln-client-connection`, if it names any. Where the former is no address the
// call is the proxy's own. In calls of any other peer the same headers say nothing.
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
// Of the latter; what is longer is cut.
inline constexpr size_t kMaxConnectionName = 64;

// The call's connection, which counts as in use as long as the result lives. `table` null: not
// known.
inline net::OpenCall BeginCall(const net::ConnectionTable* table,
                               const grpc::CallbackServerContext& context) {
  return table == nullptr ? net::OpenCall() : table->Begin(context.peer());
}

// The headers of a call, as gRPC has them.
using Headers = std::multimap<grpc::string_ref, grpc::string_ref>;

// Of a connection that is not known: (closed meanwhile, or the daemon's own) the owner is empty.
worker::Owner OwnerOf(const net::OpenCall& call, const Headers& headers);

inline worker::Owner OwnerOf(const net::OpenCall& call,
                             const grpc::CallbackServerContext& context) {
  return OwnerOf(call, context.client_metadata());
}

// Under which name known_sources.h knows the client. Empty: a connection that is not known is no
// client, and has shown nothing.
std::string ClientName(const net::OpenCall& call, const worker::Owner& owner);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_CLIENTS_H_
