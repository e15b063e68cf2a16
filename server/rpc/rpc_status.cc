// Converts errors of calls to gRPC statuses: see rpc_status.h.
#include "server/rpc/rpc_status.h"

#include <string>

#include "proto/error_details.pb.h"

namespace kiln::server {

grpc::Status ToGrpcStatus(const Reply& reply) {
  if (reply.status.ok()) return grpc::Status::OK;
  std::string message(reply.status.message());
  google::rpc::Status details;
  details.set_code(static_cast<int>(reply.status.code()));
  details.set_message(message);
  if (absl::IsUnavailable(reply.status)) {
    google::rpc::RetryInfo retry;
    int64_t nanos = absl::ToInt64Nanoseconds(reply.retry);
    retry.mutable_retry_delay()->set_seconds(nanos / 1'000'000'000);
    retry.mutable_retry_delay()->set_nanos(static_cast<int32_t>(nanos % 1'000'000'000));
    details.add_details()->PackFrom(retry);
  }
  if (!reply.violations.empty()) {
    google::rpc::BadRequest bad;
    for (const auto& [field, description] : reply.violations) {
      auto* violation = bad.add_field_violations();
      violation->set_field(field);
      violation->set_description(description);
    }
    details.add_details()->PackFrom(bad);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(reply.status.code()), message,
                      details.SerializeAsString());
}

}  // namespace kiln::server
