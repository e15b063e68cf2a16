// The Admin service (proto/kiln/v1/admin.proto). Answers only clients on its own machine. A
// loopback connection does not say which user asks, so the answers are what every user there may
// know, and no shader.
#ifndef KILN_SERVER_QUARANTINE_ADMIN_SERVICE_H_
#define KILN_SERVER_QUARANTINE_ADMIN_SERVICE_H_

#include "kiln/v1/admin.grpc.pb.h"
#include "server/quarantine/quarantine.h"
#include "server/rpc/clients.h"

namespace kiln::server {

// Takes its messages as bytes: gRPC would parse them, at any cost, before the peer is checked.
class AdminService final
    : public kiln::v1::Admin::WithRawCallbackMethod_ListQuarantine<
          kiln::v1::Admin::WithRawCallbackMethod_ShowQuarantine<
              kiln::v1::Admin::WithRawCallbackMethod_ClearQuarantine<kiln::v1::Admin::Service>>> {
 public:
  // More than the keys of all possible entries take.
  static constexpr size_t kMaxRequestBytes = size_t{128} << 10;

  // Both outlive the service; `connections` null: calls are not counted.
  explicit AdminService(quarantine::Quarantine* quarantine,
                        const net::ConnectionTable* connections = nullptr)
      : quarantine_(quarantine), connections_(connections) {}

  grpc::ServerUnaryReactor* ListQuarantine(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ShowQuarantine(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ClearQuarantine(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) override;

 private:
  quarantine::Quarantine* quarantine_;
  const net::ConnectionTable* const connections_;
};

// Returns true if gRPC's name of a peer ("ipv4:127.0.0.1:4711") is of this machine.
bool IsOwnMachine(const std::string& peer);

}  // namespace kiln::server

#endif  // KILN_SERVER_QUARANTINE_ADMIN_SERVICE_H_
