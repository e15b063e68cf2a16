// kiln.v1.Compiler over gRPC's callback API: see service.h.
#include "server/rpc/service.h"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/time/clock.h"
#include "proto/bad_text.h"
#include "server/engine/call.h"
#include "server/request/request_id.h"
#include "server/rpc/ending.h"
#include "server/rpc/leaving.h"
#include "server/rpc/rpc_status.h"
#include "server/rpc/stream.h"

namespace kiln::server {
namespace {

using kiln::v1::CompileRequest;
using metrics::Metrics;

void Set(const std::vector<grpc::Slice>& slices, grpc::ByteBuffer* response) {
  grpc::ByteBuffer(slices.data(), slices.size()).Swap(response);  // an assignment would copy
}

// A Compile call that has to wait. gRPC binds the reactor when the handler returns: it calls
// OnCancel and OnDone after that, and defers a Finish before it. So Begin has ended before either
// is called.
class CompileReactor final : public grpc::ServerUnaryReactor {
 public:
  // `context` and `response` belong to gRPC's call and outlive this.
  CompileReactor(Engine* engine, const grpc::CallbackServerContext* context,
                 std::shared_ptr<Call> call, net::OpenCall open, Ending ending,
                 grpc::ByteBuffer* response)
      : engine_(engine),
        context_(context),
        call_(std::move(call)),
        open_(std::move(open)),
        request_id_(call_->request_id),
        ending_(std::move(ending)),
        response_(response) {}

  void Begin(const std::shared_ptr<Call>& call) {
    engine_->Continue(call, [this](const Reply& reply) { Answer(reply); });
  }
  void OnCancel() override {
    std::shared_ptr<Call> call;
    {
      absl::MutexLock lock(&mutex_);
      left_ = true;
      call = call_;
    }
    if (call != nullptr) engine_->Cancel(call, WhyOver(*context_, ending_.begun()));
    engine_->refusals().Leave(this);
  }
  void OnDone() override { delete this; }

 private:
  void Answer(const Reply& reply) {
    Set(ending_.End(reply, request_id_), response_);
    const grpc::Status status = ToGrpcStatus(reply);
    if (!absl::IsUnavailable(reply.status) || !Hold(status)) Finish(status);
  }
  // Holds the refusal back, to be told later. Returns false if it is to be told now.
  bool Hold(const grpc::Status& status) {
    Refusals::Tell tell = [this, status] {
      // Finish may destroy this object while Hold still has the lock: wait for it
      { absl::MutexLock lock(&mutex_); }
      Finish(status);
    };
    absl::MutexLock lock(&mutex_);
    const worker::Owner owner = call_->owner;
    call_.reset();  // frees its request; the engine has the call until it has refused it
    return !left_ && engine_->refusals().Hold(owner, this, MayHold(*context_), &tell);
  }

  Engine* const engine_;
  const grpc::CallbackServerContext* const context_;
  absl::Mutex mutex_;
  std::shared_ptr<Call> call_ ABSL_GUARDED_BY(mutex_);  // null: refused
  bool left_ ABSL_GUARDED_BY(mutex_) = false;           // the client no longer waits
  const net::OpenCall open_;
  const std::string request_id_;
  Ending ending_;
  grpc::ByteBuffer* const response_;
};

// Refuses bytes that did not parse; names the wrong field if it can be found.
void Refuse(const grpc::ByteBuffer& request, Reply* reply) {
  reply->status = absl::InvalidArgumentError("the request is not a valid CompileRequest");
  grpc::Slice slice;
  if (!request.DumpToSingleSlice(&slice).ok()) return;
  std::optional<BadText> bad = FindBadText(
      {reinterpret_cast<const char*>(slice.begin()), slice.size()}, *CompileRequest::descriptor());
  if (bad.has_value()) reply->Refuse(std::move(bad->field), std::move(bad->what));
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

std::string CompilerService::ClientOf(const net::OpenCall& open, const worker::Owner& owner) const {
  return engine_->asks_who() ? ClientName(open, owner) : "";
}

worker::Fault CompilerService::FaultOf(const grpc::CallbackServerContext& context) const {
  if (!faults_) return {};
  auto header = context.client_metadata().find("kiln-fault");
  if (header == context.client_metadata().end()) return {};
  return ParseFault(std::string_view(header->second.data(), header->second.size()));
}

std::string CompilerService::GiveId(grpc::CallbackServerContext* context) {
  auto header = context->client_metadata().find(kRequestIdHeader);
  std::string id;
  if (header != context->client_metadata().end()) {
    id.assign(header->second.data(), header->second.size());
  }
  if (!IsRequestId(id)) id = NewRequestId();
  context->AddInitialMetadata(kRequestIdHeader, id);
  return id;
}

grpc::ServerUnaryReactor* CompilerService::Compile(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* request,
                                                   grpc::ByteBuffer* response) {
  net::OpenCall open = BeginCall(connections_, *context);
  worker::Owner owner = OwnerOf(open, *context);
  ++in_flight_;
  metrics_->RequestBegins(Metrics::Method::kCompile);
  const uint64_t bytes = request->Length();
  std::shared_ptr<trace::Trace> trace = BeginTrace(tracer_, context->client_metadata());
  ByteBudget::Share share = budget_.Take(owner, bytes);
  const bool has_share(share);
  CompileRequest parsed;
  std::optional<WireBounds::TooMany> too_many;
  if (has_share) too_many = CheckBuffer(bounds_, *request, *CompileRequest::descriptor());
  const bool is_request = has_share && !too_many.has_value() && ParseBuffer(*request, &parsed);
  // gRPC would keep the bytes until the call has ended. Bytes that are no request are looked at
  // again.
  if (is_request) const_cast<grpc::ByteBuffer*>(request)->Clear();
  Ending ending(metrics_, Metrics::Method::kCompile, &in_flight_, parsed, std::move(share), trace);
  Reply reply;
  if (draining_) {
    metrics_->ShedRequest(Metrics::Shed::kDraining);
    reply.status = absl::UnavailableError("the daemon is stopping");
    reply.retry = absl::Seconds(1);
  } else if (!has_share) {
    metrics_->ShedRequest(Metrics::Shed::kBytes);
    reply.status = budget_.Refusal(bytes);
    reply.retry = absl::Seconds(1);
  } else if (too_many.has_value()) {
    reply.Refuse(std::move(too_many->field), std::move(too_many->what));
  } else if (!is_request) {
    Refuse(*request, &reply);
  } else if (auto call = engine_->Begin(std::move(parsed), FaultOf(*context), ClientOf(open, owner),
                                        &reply, trace)) {
    call->request_id = GiveId(context);
    call->owner = std::move(owner);
    auto* reactor =
        new CompileReactor(engine_, context, call, std::move(open), std::move(ending), response);
    reactor->Begin(call);
    return reactor;
  }
  // Hits get no id unless they are traced: the log has no lines about them, and the header would
  // cost each of them time.
  const bool has_id = !reply.status.ok() || trace != nullptr;
  const std::string id = has_id ? GiveId(context) : "";
  // gRPC's own reactor is cheaper: it needs no thread for notifications, which have no use here.
  auto* reactor = context->DefaultReactor();
  Set(ending.End(reply, id), response);
  const grpc::Status status = ToGrpcStatus(reply);
  if (!absl::IsUnavailable(reply.status) || !Hold(reactor, *context, std::move(open), status)) {
    reactor->Finish(status);
  }
  return reactor;
}

bool CompilerService::Hold(grpc::ServerUnaryReactor* reactor,
                           const grpc::CallbackServerContext& context, net::OpenCall open,
                           const grpc::Status& status) {
  const worker::Owner owner = OwnerOf(open, context);
  const auto kept = std::make_shared<net::OpenCall>(std::move(open));
  Refusals::Tell tell = [reactor, status, kept] { reactor->Finish(status); };
  return engine_->refusals().Hold(owner, reactor, MayHold(context), &tell);
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CompilerService::CompileStream(
    grpc::CallbackServerContext* context) {
  net::OpenCall open = BeginCall(connections_, *context);
  worker::Owner owner = OwnerOf(open, *context);
  std::string client = ClientOf(open, owner);
  return new StreamReactor({context, engine_, &engine_->refusals(), metrics_, &in_flight_,
                            &draining_, &budget_, &answers_, &bounds_, FaultOf(*context),
                            GiveId(context), std::move(client), std::move(owner), std::move(open),
                            capabilities_.limits().max_response_bytes(),
                            BeginTrace(tracer_, context->client_metadata())});
}

grpc::ServerUnaryReactor* CompilerService::GetCapabilities(grpc::CallbackServerContext* context,
                                                           const grpc::ByteBuffer*,
                                                           grpc::ByteBuffer* response) {
  const net::OpenCall open = BeginCall(connections_, *context);
  // The request has no fields that matter, so it is not parsed.
  const grpc::Slice slice(capabilities_.SerializeAsString());
  *response = grpc::ByteBuffer(&slice, 1);
  metrics_->RequestBegins(Metrics::Method::kGetCapabilities);
  metrics_->RequestEnds(Metrics::Method::kGetCapabilities, absl::StatusCode::kOk);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace kiln::server
