// Bounds small messages before they are parsed.
//
// The server's bound on messages is that of shaders, megabytes. gRPC parses a message before a
// handler sees it, and protobuf keeps fields that it does not know: 8 MiB of those took 80 MiB and
// more. So methods with small messages take bytes (gRPC's raw methods) and parse them here.
#ifndef KILN_SERVER_RPC_SMALL_MESSAGE_H_
#define KILN_SERVER_RPC_SMALL_MESSAGE_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>
#include <grpcpp/support/status.h>

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace kiln::server {

// Parses `bytes`. RESOURCE_EXHAUSTED: they are more than `most`, and were not looked at.
template <typename Message>
grpc::Status ParseSmall(const grpc::ByteBuffer& bytes, size_t most, Message* message) {
  if (bytes.Length() > most) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            absl::StrCat("the request has ", bytes.Length(), " bytes; at most ", most,
                         " are accepted")};
  }
  grpc::Slice slice;
  if (!bytes.DumpToSingleSlice(&slice).ok() ||
      !message->ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) {
    return {grpc::StatusCode::INVALID_ARGUMENT,
            "the message is not a valid request of this method"};
  }
  return grpc::Status::OK;
}

template <typename Message>
grpc::ByteBuffer BytesOf(const Message& message) {
  const grpc::Slice text(message.SerializeAsString());
  return grpc::ByteBuffer(&text, 1);
}

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_SMALL_MESSAGE_H_
