// Compiles over CompileStream: see stream_client.h.
#include "client/stream_client.h"

#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/retry.h"
#include "proto/error_details.pb.h"

namespace kiln::client {
namespace {

using kiln::v1alpha::CompileRequest;
using kiln::v1alpha::CompileResponse;
using kiln::v1alpha::ItemError;
using kiln::v1alpha::StreamRequest;
using kiln::v1alpha::StreamResponse;

// What a Compile call would have ended with.
grpc::Status StatusOf(const ItemError& error) {
  google::rpc::Status details;
  details.set_code(error.code());
  if (error.retry_after_ms() != 0) {
    google::rpc::RetryInfo info;
    info.mutable_retry_delay()->set_seconds(static_cast<int64_t>(error.retry_after_ms() / 1000));
    info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(error.retry_after_ms() % 1000) * 1000000);
    details.add_details()->PackFrom(info);
  }
  if (error.violations_size() != 0) {
    google::rpc::BadRequest bad;
    for (const auto& v : error.violations()) {
      auto* to = bad.add_field_violations();
      to->set_field(v.field());
      to->set_description(v.description());
    }
    details.add_details()->PackFrom(bad);
  }
  return {static_cast<grpc::StatusCode>(error.code()), error.message(), details.SerializeAsString()};
}

}  // namespace

class StreamClient::Session {
 public:
  explicit Session(kiln::v1alpha::Compiler::Stub* stub) : call_(stub->CompileStream(&context_)) {
    reader_ = std::thread([this] { Read(); });
  }

  ~Session() {
    {
      absl::MutexLock lock(&write_mutex_);
      call_->WritesDone();
    }
    // Nobody waits for answers any more.
    context_.TryCancel();
    reader_.join();
  }

  // Sends an item and waits for its answer.
  grpc::Status Ask(const CompileRequest& request, absl::Duration timeout, CompileResponse* response) {
    const absl::Time deadline = absl::Now() + timeout;
    StreamRequest item;
    Waiting waiting;
    waiting.session = this;
    {
      absl::MutexLock lock(&mutex_);
      if (!mutex_.AwaitWithDeadline(absl::Condition(this, &Session::MaySend), deadline)) {
        return {grpc::StatusCode::DEADLINE_EXCEEDED, "the daemon takes no more items"};
      }
      if (broken_) return end_;
      --credits_;
      item.set_item(++last_item_);
      waiting_.emplace(last_item_, &waiting);
    }
    *item.mutable_request() = request;
    {
      absl::MutexLock lock(&write_mutex_);
      call_->Write(item);  // false: the reader sees why
    }
    absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithDeadline(absl::Condition(&waiting, &Waiting::Over), deadline);
    waiting_.erase(item.item());
    if (!waiting.answered) {
      if (broken_) return end_;
      return {grpc::StatusCode::DEADLINE_EXCEEDED, "the deadline of this item has passed"};
    }
    if (waiting.answer.has_error()) return StatusOf(waiting.answer.error());
    *response = std::move(*waiting.answer.mutable_response());
    return grpc::Status::OK;
  }

  bool broken() {
    absl::MutexLock lock(&mutex_);
    return broken_;
  }
  void Cancel() { context_.TryCancel(); }

 private:
  struct Waiting {
    Session* session = nullptr;
    bool answered = false;
    StreamResponse answer;
    bool Over() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return answered || session->broken_; }
  };

  bool MaySend() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return broken_ || credits_ > 0; }

  void Read() {
    StreamResponse response;
    while (call_->Read(&response)) {
      absl::MutexLock lock(&mutex_);
      credits_ += response.item() == 0 ? response.credits() : 1;
      const auto found = waiting_.find(response.item());
      if (found == waiting_.end()) continue;  // given up
      found->second->answer = std::move(response);
      found->second->answered = true;
    }
    grpc::Status end = call_->Finish();
    absl::MutexLock lock(&mutex_);
    broken_ = true;
    end_ = end.ok() ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "the daemon has ended the call") : end;
  }

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<StreamRequest, StreamResponse>> call_;
  std::thread reader_;
  absl::Mutex write_mutex_;
  absl::Mutex mutex_;
  uint64_t credits_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t last_item_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Waiting*> waiting_ ABSL_GUARDED_BY(mutex_);
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status end_ ABSL_GUARDED_BY(mutex_);
};

StreamClient::StreamClient(std::unique_ptr<Client> client) : client_(std::move(client)) {}

StreamClient::~StreamClient() = default;

std::shared_ptr<StreamClient::Session> StreamClient::Open() {
  std::shared_ptr<Session> old;  // ends outside of the lock
  absl::MutexLock lock(&mutex_);
  if (stopped_) return nullptr;
  if (session_ == nullptr || session_->broken()) {
    old = std::move(session_);
    session_ = std::make_shared<Session>(client_->stub());
  }
  return session_;
}

bool StreamClient::Sleep(absl::Duration duration) {
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(&stopped_), duration);
  return !stopped_;
}

absl::StatusOr<CompileResponse> StreamClient::Ask(const CompileRequest& request) {
  uint64_t seed = 0;
  {
    absl::MutexLock lock(&mutex_);
    seed = ++asked_ << 32;
  }
  const ClientOptions& options = client_->options();
  std::optional<Retry> retry;  // patience counts from the first failure: an item may have waited long
  for (;;) {
    const std::shared_ptr<Session> session = Open();
    if (session == nullptr) return absl::CancelledError("stopped");
    CompileResponse response;
    const grpc::Status status = session->Ask(request, options.call_timeout, &response);
    if (status.ok() && response.results_size() != request.targets_size()) {
      return absl::InternalError(absl::StrCat(Name(), " answered with ", response.results_size(),
                                              " results for ", request.targets_size(), " targets"));
    }
    if (status.ok()) return response;
    if (!retry.has_value()) retry.emplace(options.retry, absl::Now(), seed);
    const std::optional<absl::Duration> delay = retry->Next(status, absl::Now());
    if (!delay.has_value()) return ToAbslStatus(status);
    if (!Sleep(*delay)) return absl::CancelledError("stopped");
  }
}

absl::StatusOr<CompileResponse> StreamClient::Compile(const CompileRequest& request) {
  if (MayBeCached(request)) {
    absl::StatusOr<CompileResponse> response = Ask(DigestRequest(request));
    if (!response.ok() || AllCached(*response)) return response;
  }
  return Ask(request);
}

void StreamClient::Stop() {
  client_->Stop();
  absl::MutexLock lock(&mutex_);
  stopped_ = true;
  if (session_ != nullptr) session_->Cancel();
}

}  // namespace kiln::client
