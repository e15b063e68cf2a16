// kiln.v1alpha.Compiler over gRPC's callback API: see service.h.
#include "server/service.h"

#include <grpcpp/support/proto_buffer_reader.h>

#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/time/clock.h"
#include "server/call.h"
#include "server/response.h"
#include "server/rpc_status.h"

namespace kiln::server {
namespace {

using kiln::v1alpha::CompileRequest;
using metrics::Metrics;

// One Compile call. gRPC binds the reactor when the handler returns: OnCancel and OnDone come after
// that, and a Finish before it is kept until then. So Begin has ended before either is called.
class CompileReactor final : public grpc::ServerUnaryReactor {
 public:
  CompileReactor(Engine* engine, Metrics* metrics, grpc::ByteBuffer* response)
      : engine_(engine), metrics_(metrics), response_(response) {
    metrics_->RequestBegins();
  }

  void Begin(CompileRequest request, const worker::Fault& fault) {
    targets_ = {request.targets().begin(), request.targets().end()};
    call_ = engine_->Start(std::move(request), fault, [this](Reply reply) { Send(reply); });
  }

  void OnCancel() override {
    if (call_ != nullptr) engine_->Cancel(call_);
  }

  void OnDone() override { delete this; }

  void Send(const Reply& reply) {
    absl::Duration took = absl::Now() - start_;
    bool hit = true;
    if (reply.status.ok()) {
      for (size_t i = 0; i < reply.answers.size(); ++i) {
        const Answer& a = reply.answers[i];
        hit = hit && (a.tier == kiln::v1alpha::CACHE_MEMORY || a.tier == kiln::v1alpha::CACHE_DISK);
        metrics_->Result(targets_[i], a.ready.status, a.tier);
      }
      BuildResponse(reply, absl::ToInt64Nanoseconds(took), response_);
    }
    metrics_->RequestEnds(Metrics::Method::kCompile, reply.status.code(),
                          absl::ToDoubleSeconds(took), hit);
    Finish(ToGrpcStatus(reply));
  }

 private:
  Engine* const engine_;
  Metrics* const metrics_;
  grpc::ByteBuffer* const response_;
  const absl::Time start_ = absl::Now();
  std::vector<std::string> targets_;
  std::shared_ptr<Call> call_;
};

bool Parse(const grpc::ByteBuffer& bytes, CompileRequest* request) {
  // The reader does not change the buffer.
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));
  return reader.status().ok() && request->ParseFromZeroCopyStream(&reader);
}

}  // namespace

worker::Fault ParseFault(std::string_view text) {
  worker::Fault fault;
  std::string_view parts[3];
  for (auto& part : parts) {
    size_t colon = text.find(':');
    part = text.substr(0, colon);
    text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  }
  worker::Fault::Kind kind = worker::Fault::NONE;
  worker::Fault::Kind_Parse(absl::AsciiStrToUpper(std::string(parts[0])), &kind);
  fault.set_kind(kind);
  fault.set_pass(std::string(parts[1]));
  uint32_t milliseconds = 0;
  std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), milliseconds);
  fault.set_milliseconds(milliseconds);
  return fault;
}

grpc::ServerUnaryReactor* CompilerService::Compile(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* response) {
  auto* reactor = new CompileReactor(engine_, metrics_, response);
  Reply refusal;
  if (draining_) {
    metrics_->ShedRequest(Metrics::Shed::kDraining);
    refusal.status = absl::UnavailableError("the daemon is stopping");
    refusal.retry = absl::Seconds(1);
    reactor->Send(refusal);
    return reactor;
  }
  CompileRequest parsed;
  if (!Parse(*request, &parsed)) {
    refusal.status = absl::InvalidArgumentError("the request is no CompileRequest");
    reactor->Send(refusal);
    return reactor;
  }
  worker::Fault fault;
  if (faults_) {
    auto header = context->client_metadata().find("kiln-fault");
    if (header != context->client_metadata().end()) {
      fault = ParseFault(std::string_view(header->second.data(), header->second.size()));
    }
  }
  reactor->Begin(std::move(parsed), fault);
  return reactor;
}

grpc::ServerUnaryReactor* CompilerService::GetCapabilities(
    grpc::CallbackServerContext* context, const kiln::v1alpha::GetCapabilitiesRequest*,
    kiln::v1alpha::Capabilities* response) {
  *response = capabilities_;
  metrics_->RequestEnds(Metrics::Method::kGetCapabilities, absl::StatusCode::kOk, 0, true);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace kiln::server
