// grpc.health.v1.Health: tells clients if the daemon serves.
//
// gRPC's own implementation is not used, since it parses whatever a client sends, up to the bound
// on messages. All services of the daemon serve or do not serve together. A watch is told the
// present state, then each change; if changes come faster than its client reads, the latest.
#ifndef KILN_SERVER_RPC_HEALTH_SERVICE_H_
#define KILN_SERVER_RPC_HEALTH_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "proto/health.grpc.pb.h"
#include "server/rpc/clients.h"

namespace kiln::server {

class HealthService final : public grpc::health::v1::Health::WithRawCallbackMethod_Check<
                                grpc::health::v1::Health::WithRawCallbackMethod_Watch<
                                    grpc::health::v1::Health::Service>> {
 public:
  // Room for a service's name and protobuf's framing; a request has nothing else.
  static constexpr size_t kMaxRequestBytes = 512;

  // `names`: of the services; "" is the daemon as a whole. `connections` outlives it; null: calls
  // are not counted.
  explicit HealthService(std::set<std::string> names,
                         const net::ConnectionTable* connections = nullptr)
      : names_(std::move(names)), connections_(connections) {}

  // The services serve until the first call.
  void SetServing(bool serving);
  // Ends all watches, and later ones at once, with UNAVAILABLE.
  void End();

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context,
                                  const grpc::ByteBuffer* request,
                                  grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request) override;

 private:
  using ServingStatus = grpc::health::v1::HealthCheckResponse::ServingStatus;
  class Watcher;

  ServingStatus StatusOf(bool known) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::set<std::string> names_;
  const net::ConnectionTable* const connections_;
  absl::Mutex mutex_;
  bool serving_ ABSL_GUARDED_BY(mutex_) = true;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<Watcher*> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_HEALTH_SERVICE_H_
