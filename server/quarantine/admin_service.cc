// The Admin service: see admin_service.h.
#include "server/quarantine/admin_service.h"

#include <grpcpp/grpcpp.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kiln::server {
namespace {

// Finishes the call, with `answer` where the peer may have one.
template <typename Answer>
grpc::ServerUnaryReactor* Serve(grpc::CallbackServerContext* context, const Answer& answer) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (IsOwnMachine(context->peer())) {
    reactor->Finish(answer());
  } else {
    reactor->Finish({grpc::StatusCode::PERMISSION_DENIED,
                     "the Admin service answers on the daemon's own machine only"});
  }
  return reactor;
}

}  // namespace

// The address is in brackets, as it is or percent-encoded.
bool IsOwnMachine(const std::string& peer) {
  for (const char* own : {"unix:", "ipv4:127.", "ipv6:[::1]:", "ipv6:%5B::1%5D:",
                          "ipv6:[::ffff:127.", "ipv6:%5B::ffff:127."}) {
    if (absl::StartsWith(peer, own)) return true;
  }
  return false;
}

grpc::ServerUnaryReactor* AdminService::ListQuarantine(grpc::CallbackServerContext* context,
                                                       const kiln::v1alpha::ListQuarantineRequest*,
                                                       kiln::v1alpha::QuarantineList* response) {
  return Serve(context, [&] {
    *response = quarantine_->List();
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* AdminService::ShowQuarantine(
    grpc::CallbackServerContext* context, const kiln::v1alpha::ShowQuarantineRequest* request,
    kiln::v1alpha::QuarantineEntry* response) {
  return Serve(context, [&]() -> grpc::Status {
    auto entry = quarantine_->Show(request->key());
    if (!entry.has_value()) {
      return {grpc::StatusCode::NOT_FOUND,
              absl::StrCat("there is no key '", request->key(), "' in quarantine")};
    }
    *response = *std::move(entry);
    return grpc::Status::OK;
  });
}

grpc::ServerUnaryReactor* AdminService::ClearQuarantine(
    grpc::CallbackServerContext* context, const kiln::v1alpha::ClearQuarantineRequest* request,
    kiln::v1alpha::ClearQuarantineResponse* response) {
  return Serve(context, [&] {
    response->set_cleared(
        request->all() ? quarantine_->ClearAll()
                       : quarantine_->Clear({request->keys().begin(), request->keys().end()}));
    return grpc::Status::OK;
  });
}

}  // namespace kiln::server
