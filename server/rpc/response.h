// Builds a CompileResponse from ready bytes.
//
// Results come out of the cache as serialised messages. Serialised protobuf messages may be
// concatenated (later fields add to earlier ones), so the fields of this request are appended, and
// nothing is parsed or copied: large results are passed to gRPC by reference.
#ifndef KILN_SERVER_RPC_RESPONSE_H_
#define KILN_SERVER_RPC_RESPONSE_H_

#include <grpcpp/support/slice.h>

#include <cstdint>
#include <vector>

#include "server/engine/engine.h"

namespace kiln::server {

// `service_ns`: time this request took in the daemon. The result has capacity for one more slice,
// which may be put before the others.
std::vector<grpc::Slice> BuildResponse(const Reply& reply, int64_t service_ns);

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_RESPONSE_H_
