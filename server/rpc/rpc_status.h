// Converts errors of calls to gRPC statuses with machine-readable details
// (grpc-status-details-bin).
#ifndef KILN_SERVER_RPC_RPC_STATUS_H_
#define KILN_SERVER_RPC_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "server/engine/engine.h"

namespace kiln::server {

// Unavailable carries google.rpc.RetryInfo, InvalidArgument google.rpc.BadRequest.
grpc::Status ToGrpcStatus(const Reply& reply);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_RPC_STATUS_H_
