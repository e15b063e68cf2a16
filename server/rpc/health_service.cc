// grpc.health.v1.Health: see health_service.h.
#include "server/rpc/health_service.h"

#include <optional>
#include <utility>

#include "server/rpc/small_message.h"

namespace kiln::server {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

namespace {

grpc::ByteBuffer AnswerOf(HealthCheckResponse::ServingStatus status) {
  HealthCheckResponse response;
  response.set_status(status);
  return BytesOf(response);
}

grpc::Status Stopping() { return {grpc::StatusCode::UNAVAILABLE, "the daemon is stopping"}; }

}  // namespace

// A Watch call. Everything but OnDone's delete happens under the service's lock: gRPC calls
// OnWriteDone, OnCancel and OnDone neither within StartWrite and Finish nor before the handler has
// returned.
class HealthService::Watcher final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  // `known`: true if there is a service of the requested name.
  Watcher(HealthService* service, bool known, net::OpenCall open)
      : service_(service), known_(known), open_(std::move(open)) {}

  // Writes the state if it differs from the one told last, or ends the watch if it is to end.
  void Tell() ABSL_EXCLUSIVE_LOCKS_REQUIRED(service_->mutex_) {
    if (writing_ || finished_) return;
    if (end_.has_value()) {
      finished_ = true;
      Finish(*end_);
    } else if (const ServingStatus now = service_->StatusOf(known_); now != told_) {
      told_ = now;
      message_ = AnswerOf(now);
      writing_ = true;
      StartWrite(&message_);
    }
  }
  // Ends the watch; the first status given counts.
  void End(grpc::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(service_->mutex_) {
    if (!end_.has_value()) end_ = std::move(status);
    Tell();
  }

  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&service_->mutex_);
    writing_ = false;
    if (ok) {
      Tell();
    } else {
      End(grpc::Status::CANCELLED);
    }
  }
  void OnCancel() override {
    absl::MutexLock lock(&service_->mutex_);
    End(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    {
      absl::MutexLock lock(&service_->mutex_);
      service_->watchers_.erase(this);
    }
    delete this;
  }

 private:
  HealthService* const service_;
  const bool known_;
  const net::OpenCall open_;
  grpc::ByteBuffer message_;
  bool writing_ = false;
  bool finished_ = false;
  ServingStatus told_ = HealthCheckResponse::UNKNOWN;  // a status that is never sent
  std::optional<grpc::Status> end_;
};

HealthService::ServingStatus HealthService::StatusOf(bool known) const {
  if (!known) return HealthCheckResponse::SERVICE_UNKNOWN;
  return serving_ ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

void HealthService::SetServing(bool serving) {
  absl::MutexLock lock(&mutex_);
  serving_ = serving;
  for (Watcher* watcher : watchers_) watcher->Tell();
}

void HealthService::End() {
  absl::MutexLock lock(&mutex_);
  ended_ = true;
  for (Watcher* watcher : watchers_) watcher->End(Stopping());
}

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const grpc::ByteBuffer* request,
                                               grpc::ByteBuffer* response) {
  const net::OpenCall open = BeginCall(connections_, *context);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  HealthCheckRequest asked;
  grpc::Status status = ParseSmall(*request, kMaxRequestBytes, &asked);
  if (status.ok() && !names_.contains(asked.service())) {
    status = {grpc::StatusCode::NOT_FOUND, "there is no service of this name"};
  }
  if (status.ok()) {
    absl::MutexLock lock(&mutex_);
    *response = AnswerOf(StatusOf(true));
  }
  reactor->Finish(status);
  return reactor;
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* HealthService::Watch(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) {
  HealthCheckRequest asked;
  const grpc::Status status = ParseSmall(*request, kMaxRequestBytes, &asked);
  // gRPC would keep the bytes as long as the watch lasts.
  const_cast<grpc::ByteBuffer*>(request)->Clear();
  auto* watcher =
      new Watcher(this, names_.contains(asked.service()), BeginCall(connections_, *context));
  absl::MutexLock lock(&mutex_);
  watchers_.insert(watcher);
  if (!status.ok()) {
    watcher->End(status);
  } else if (ended_) {
    watcher->End(Stopping());
  } else {
    watcher->Tell();
  }
  return watcher;
}

}  // namespace kiln::server
