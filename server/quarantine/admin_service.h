// The Admin service (proto/admin.proto). Answers only to its own machine: over loopback it does not
// know who asks, so it answers what every user there may know, and no shader.
#ifndef KILN_SERVER_QUARANTINE_ADMIN_SERVICE_H_
#define KILN_SERVER_QUARANTINE_ADMIN_SERVICE_H_

#include "proto/admin.grpc.pb.h"
#include "server/quarantine/quarantine.h"

namespace kiln::server {

class AdminService final : public kiln::v1alpha::Admin::CallbackService {
 public:
  // `quarantine` outlives the service.
  explicit AdminService(quarantine::Quarantine* quarantine) : quarantine_(quarantine) {}

  grpc::ServerUnaryReactor* ListQuarantine(grpc::CallbackServerContext* context,
                                           const kiln::v1alpha::ListQuarantineRequest* request,
                                           kiln::v1alpha::QuarantineList* response) override;
  grpc::ServerUnaryReactor* ShowQuarantine(grpc::CallbackServerContext* context,
                                           const kiln::v1alpha::ShowQuarantineRequest* request,
                                           kiln::v1alpha::QuarantineEntry* response) override;
  grpc::ServerUnaryReactor* ClearQuarantine(
      grpc::CallbackServerContext* context, const kiln::v1alpha::ClearQuarantineRequest* request,
      kiln::v1alpha::ClearQuarantineResponse* response) override;

 private:
  quarantine::Quarantine* quarantine_;
};

// Whether gRPC's name of a peer ("ipv4:127.0.0.1:4711") is of this machine.
bool IsOwnMachine(const std::string& peer);

}  // namespace kiln::server

#endif  // KILN_SERVER_QUARANTINE_ADMIN_SERVICE_H_
