// The Admin service: see admin_service.h.
#include "server/quarantine/admin_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/rpc/small_message.h"

namespace kiln::server {

using kiln::v1::ClearQuarantineRequest;
using kiln::v1::ClearQuarantineResponse;
using kiln::v1::ListQuarantineRequest;
using kiln::v1::QuarantineEntry;
using kiln::v1::QuarantineList;
using kiln::v1::ShowQuarantineRequest;

namespace {

// Finishes the call: with the result of `answer` if the peer may have one.
template <typename Request, typename Response, typename Answer>
grpc::ServerUnaryReactor* Serve(grpc::CallbackServerContext* context, const grpc::ByteBuffer& bytes,
                                grpc::ByteBuffer* response, const Answer& answer) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  Request request;
  Response message;
  grpc::Status status;
  if (!IsOwnMachine(context->peer())) {
    status = {grpc::StatusCode::PERMISSION_DENIED,
              "the Admin service answers on the daemon's own machine only"};
  } else {
    status = ParseSmall(bytes, AdminService::kMaxRequestBytes, &request);
  }
  if (status.ok()) status = answer(request, &message);
  if (status.ok()) *response = BytesOf(message);
  reactor->Finish(status);
  return reactor;
}

// Bounds how many keys a message names.
grpc::Status StatusOf(const quarantine::Quarantine::Cleared& cleared) {
  constexpr size_t kMaxNamed = 16;
  if (cleared.left.empty()) return grpc::Status::OK;
  const size_t named = std::min(kMaxNamed, cleared.left.size());
  std::string text = absl::StrCat(
      cleared.entries, " cleared, but until the next start only: of ", cleared.left.size(),
      " the file could not be removed (CACHE-DIR/quarantine/KEY): ",
      absl::StrJoin(cleared.left.begin(), cleared.left.begin() + static_cast<ptrdiff_t>(named),
                    ", "));
  if (named < cleared.left.size()) absl::StrAppend(&text, ", ...");
  return {grpc::StatusCode::INTERNAL, text};
}

}  // namespace

// The address is in brackets, as it is or percent-encoded. A descriptor ("fd:7") is a Unix-domain
// connection's (net/connection.h).
bool IsOwnMachine(const std::string& peer) {
  for (const char* own : {"unix:", "fd:", "ipv4:127.", "ipv6:[::1]:", "ipv6:%5B::1%5D:",
                          "ipv6:[::ffff:127.", "ipv6:%5B::ffff:127."}) {
    if (absl::StartsWith(peer, own)) return true;
  }
  return false;
}

grpc::ServerUnaryReactor* AdminService::ListQuarantine(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request,
                                                       grpc::ByteBuffer* response) {
  const net::OpenCall open = BeginCall(connections_, *context);
  return Serve<ListQuarantineRequest, QuarantineList>(context, *request, response,
                                                      [&](const auto&, QuarantineList* list) {
                                                        *list = quarantine_->List();
                                                        return grpc::Status::OK;
                                                      });
}

grpc::ServerUnaryReactor* AdminService::ShowQuarantine(grpc::CallbackServerContext* context,
                                                       const grpc::ByteBuffer* request,
                                                       grpc::ByteBuffer* response) {
  const net::OpenCall open = BeginCall(connections_, *context);
  return Serve<ShowQuarantineRequest, QuarantineEntry>(
      context, *request, response,
      [&](const ShowQuarantineRequest& show, QuarantineEntry* found) -> grpc::Status {
        auto entry = quarantine_->Show(show.key());
        if (!entry.has_value()) {
          return {grpc::StatusCode::NOT_FOUND,
                  absl::StrCat("the quarantine has no key '", show.key(), "' in quarantine")};
        }
        *found = *std::move(entry);
        return grpc::Status::OK;
      });
}

grpc::ServerUnaryReactor* AdminService::ClearQuarantine(grpc::CallbackServerContext* context,
                                                        const grpc::ByteBuffer* request,
                                                        grpc::ByteBuffer* response) {
  const net::OpenCall open = BeginCall(connections_, *context);
  return Serve<ClearQuarantineRequest, ClearQuarantineResponse>(
      context, *request, response,
      [&](const ClearQuarantineRequest& clear, ClearQuarantineResponse* response) {
        const auto cleared = clear.all()
                                 ? quarantine_->ClearAll()
                                 : quarantine_->Clear({clear.keys().begin(), clear.keys().end()});
        response->set_cleared(cleared.entries);
        return StatusOf(cleared);
      });
}

}  // namespace kiln::server
