// A CompileResponse put together from ready bytes.
//
// Results come out of the cache as serialised messages. Serialised protobuf messages may be
// concatenated (later fields add to earlier ones), so what belongs to this request is appended and
// nothing is parsed or copied: large results are passed to gRPC by reference.
#ifndef KILN_SERVER_RESPONSE_H_
#define KILN_SERVER_RESPONSE_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>

#include "server/engine.h"

namespace kiln::server {

// `service_ns`: time this request took in the daemon.
void BuildResponse(const Reply& reply, int64_t service_ns, grpc::ByteBuffer* out);

}  // namespace kiln::server

#endif  // KILN_SERVER_RESPONSE_H_
