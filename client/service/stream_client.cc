// Compiles over CompileStream: see stream_client.h.
#include "client/service/stream_client.h"

#include <unistd.h>

#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/service/retry.h"
#include "proto/error_details.pb.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::ItemError;
using kiln::v1::StreamRequest;
using kiln::v1::StreamResponse;

// Returns the status that a Compile call would have had.
grpc::Status StatusOf(const ItemError& error) {
  google::rpc::Status details;
  details.set_code(error.code());
  if (error.retry_after_ms() != 0) {
    google::rpc::RetryInfo info;
    info.mutable_retry_delay()->set_seconds(static_cast<int64_t>(error.retry_after_ms() / 1000));
    info.mutable_retry_delay()->set_nanos(static_cast<int32_t>(error.retry_after_ms() % 1000) *
                                          1000000);
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
  return {static_cast<grpc::StatusCode>(error.code()), error.message(),
          details.SerializeAsString()};
}

// Returns "tgl 6, skl 2": the compiler versions on which its code depends.
std::string CompilersOf(const Capabilities& capabilities) {
  std::string text;
  for (const auto& target : capabilities.targets()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", target.name(), " ",
                    target.code_generation_version());
  }
  return text;
}

constexpr char kTakesNoMore[] = "the daemon accepts no more items";

}  // namespace

class StreamClient::Session {
 public:
  // Begins to connect. `checks`: first requests the daemon's capabilities.
  Session(StreamClient* owner, bool checks)
      : owner_(owner),
        checks_(checks),
        greeting_by_(absl::Now() + owner->client_->options().keepalive) {
    reader_ = std::thread([this] { Run(); });
    watch_ = std::thread([this] { Watch(); });
  }

  ~Session() {
    Cancel();  // no thread waits for answers any more
    reader_.join();
    watch_.join();
  }

  // Sends an item and waits for its answer. An error is the item's, or that of the call, which
  // ended before the answer.
  grpc::Status Ask(const CompileRequest& request, absl::Duration timeout,
                   CompileResponse* response) {
    const absl::Time deadline = absl::Now() + timeout;
    StreamRequest item;
    Waiting waiting;
    waiting.session = this;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.AwaitWithDeadline(absl::Condition(this, &Session::Greeted), greeting_by_);
      if (!Greeted()) {
        Cancel();  // for all
        return SaysNothing();
      }
      if (!mutex_.AwaitWithDeadline(absl::Condition(this, &Session::MaySend), deadline)) {
        return {grpc::StatusCode::DEADLINE_EXCEEDED, kTakesNoMore};
      }
      if (broken_) return end_;
      --credits_;
      item.set_item(++last_item_);
      waiting_.emplace(last_item_, &waiting);
    }
    *item.mutable_request() = request;
    item.set_takes_chunks(true);
    if (!Write(item, deadline)) return {grpc::StatusCode::DEADLINE_EXCEEDED, kTakesNoMore};
    absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithDeadline(absl::Condition(&waiting, &Waiting::Over), deadline);
    waiting_.erase(item.item());
    if (waiting.answered) return waiting.TakeResponse(response);
    if (broken_) return end_;
    return {grpc::StatusCode::DEADLINE_EXCEEDED, "the deadline of this item has passed"};
  }

  bool broken() {
    absl::MutexLock lock(&mutex_);
    return broken_;
  }
  void Cancel() {
    look_.TryCancel();
    context_.TryCancel();
  }

 private:
  struct Waiting {
    Session* session = nullptr;
    bool answered = false;
    StreamResponse answer;
    std::string chunks;

    bool Over() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return answered || session->broken_; }
    void Take(StreamResponse message) {
      if (message.has_chunk()) chunks += message.chunk().data();
      answered = !message.has_chunk() || message.chunk().last();
      answer = std::move(message);
    }
    grpc::Status TakeResponse(CompileResponse* response) {
      if (answer.has_error()) return StatusOf(answer.error());
      if (answer.has_response()) *response = std::move(*answer.mutable_response());
      const bool whole = answer.has_response() || response->ParseFromString(chunks);
      return whole ? grpc::Status::OK
                   : grpc::Status(grpc::StatusCode::DATA_LOSS,
                                  "the chunks are not a valid CompileResponse");
    }
  };

  // Writes items one after the other. False: the deadline passed before this item's turn, and it is
  // withdrawn. True does not mean success: the reader learns why a call is broken.
  bool Write(const StreamRequest& item, absl::Time deadline) {
    {
      absl::MutexLock lock(&mutex_);
      if (!mutex_.AwaitWithDeadline(absl::Condition(this, &Session::MayWrite), deadline)) {
        waiting_.erase(item.item());
        ++credits_;
        return false;
      }
      if (broken_) return true;
      // Treats a slower reader as stalled.
      constexpr double kBytesInASecond = 1 << 20;
      const double bytes = static_cast<double>(item.ByteSizeLong());
      writing_ = true;
      write_by_ = absl::Now() + owner_->client_->options().keepalive +
                  absl::Seconds(bytes / kBytesInASecond);
    }
    call_->Write(item);
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    write_by_ = absl::InfiniteFuture();
    return true;
  }

  // Ends the call of a Write to a daemon that answers pings but reads nothing: nothing else would
  // end it.
  void Watch() {
    constexpr absl::Duration kLook = absl::Milliseconds(200);
    absl::MutexLock lock(&mutex_);
    while (!mutex_.AwaitWithTimeout(absl::Condition(&broken_), kLook)) {
      if (absl::Now() < write_by_) continue;
      reads_nothing_ = true;
      write_by_ = absl::InfiniteFuture();
      Cancel();
    }
  }

  bool MayWrite() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return broken_ || !writing_; }
  bool Greeted() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return broken_ || greeted_; }
  bool MaySend() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return broken_ || credits_ > 0; }

  // Runs in a separate thread, as even starting a call waits for a connection.
  void Run() {
    grpc::Status end = checks_ ? Look() : grpc::Status::OK;
    if (end.ok()) end = Read();
    absl::MutexLock lock(&mutex_);
    broken_ = true;
    if (reads_nothing_) end = ReadsNothing();
    end_ = end.ok() ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "the daemon has ended the call")
                    : end;
  }

  grpc::Status Look() {
    Capabilities capabilities;
    look_.set_deadline(
        absl::ToChronoTime(absl::Now() + owner_->client_->options().connect_timeout));
    grpc::Status status = owner_->client_->stub()->GetCapabilities(&look_, {}, &capabilities);
    if (status.ok()) owner_->Compare(capabilities);
    return status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ? SaysNothing() : status;
  }

  static grpc::Status SaysNothing() {
    return {grpc::StatusCode::UNAVAILABLE, "connected, but it sends nothing"};
  }

  static grpc::Status ReadsNothing() {
    return {grpc::StatusCode::UNAVAILABLE, "connected, but it reads nothing"};
  }

  grpc::Status Read() {
    for (const auto& [name, value] : owner_->client_->options().headers) {
      context_.AddMetadata(name, value);
    }
    call_ = owner_->client_->stub()->CompileStream(&context_);
    StreamResponse message;
    while (call_->Read(&message)) {
      if (message.item() == 0) owner_->client_->outage()->Reached();
      const bool more = message.has_chunk() && !message.chunk().last();
      absl::MutexLock lock(&mutex_);
      credits_ += message.item() == 0 ? message.credits() : more ? 0 : 1;
      greeted_ = true;
      const auto found = waiting_.find(message.item());
      if (found == waiting_.end()) continue;  // given up
      found->second->Take(std::move(message));
    }
    return call_->Finish();
  }

  StreamClient* const owner_;
  const bool checks_;
  const absl::Time greeting_by_;  // after this, the daemon counts as absent
  grpc::ClientContext look_, context_;
  // Made before there are credits, and so before any thread writes.
  std::unique_ptr<grpc::ClientReaderWriter<StreamRequest, StreamResponse>> call_;
  std::thread reader_, watch_;
  absl::Mutex mutex_;
  uint64_t credits_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t last_item_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Waiting*> waiting_ ABSL_GUARDED_BY(mutex_);
  bool greeted_ ABSL_GUARDED_BY(mutex_) = false;  // the first answer has come
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time write_by_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();  // after this, it is stuck
  bool reads_nothing_ ABSL_GUARDED_BY(mutex_) = false;
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status end_ ABSL_GUARDED_BY(mutex_);
};

StreamClient::StreamClient(std::unique_ptr<Client> client) : client_(std::move(client)) {
  if (const auto capabilities = client_->GetCapabilities(); capabilities.ok()) {
    compilers_ = CompilersOf(*capabilities);
  }
}

StreamClient::~StreamClient() {
  session_.reset();  // first: its thread uses the other members
}

std::shared_ptr<StreamClient::Session> StreamClient::Open() {
  std::shared_ptr<Session> old;  // destroyed outside of the lock
  absl::MutexLock lock(&mutex_);
  if (stopped_) return nullptr;
  if (session_ == nullptr || session_->broken()) {
    old = std::move(session_);
    session_ = std::make_shared<Session>(this, old != nullptr);
  }
  return session_;
}

void StreamClient::Compare(const Capabilities& now) {
  std::string compilers = CompilersOf(now);
  absl::MutexLock lock(&mutex_);
  if (compilers != compilers_) {
    notice_ = absl::StrCat(
        Name(), " came back with another compiler (code-generation versions: ", compilers,
        "; before: ", compilers_,
        "): results from before and after are of different compilers; run it again to compare "
        "them");
  }
  compilers_ = std::move(compilers);
}

std::string StreamClient::TakeNotice() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(notice_, "");
}

absl::StatusOr<CompileResponse> StreamClient::Ask(const CompileRequest& request) {
  uint64_t seed = 0;
  {
    absl::MutexLock lock(&mutex_);
    seed = ++asked_ + (static_cast<uint64_t>(getpid()) << 32);
  }
  const ClientOptions& options = client_->options();
  Retry retry(options.retry, client_->outage(), seed);
  for (;;) {
    const std::shared_ptr<Session> session = Open();
    if (session == nullptr) return absl::CancelledError("stopped");
    CompileResponse response;
    const grpc::Status status = session->Ask(request, options.call_timeout, &response);
    if (status.ok()) {
      client_->outage()->Answered();
      if (response.results_size() == request.targets_size()) return response;
      return absl::InternalError(absl::StrCat(Name(), " answered with ", response.results_size(),
                                              " results for ", request.targets_size(), " targets"));
    }
    if (!client_->Sleep(absl::ZeroDuration()))
      return absl::CancelledError("stopped");  // by Stop itself
    const std::optional<absl::Duration> delay = retry.Next(status, absl::Now());
    if (!delay.has_value()) return retry.Failure(status, Name());
    if (!client_->Sleep(*delay)) return absl::CancelledError("stopped");
  }
}

absl::StatusOr<CompileResponse> StreamClient::Compile(const CompileRequest& request) {
  if (absl::Status s = CheckSendable(request, client_->max_message_bytes()); !s.ok()) return s;
  if (MayBeCached(request)) {
    absl::StatusOr<CompileResponse> response = Ask(DigestRequest(request));
    if (response.ok() && AllCached(*response)) return response;
    if (!response.ok() && !absl::IsResourceExhausted(response.status())) return response;
  }
  absl::StatusOr<CompileResponse> response = Ask(request);
  // A message that is too large for a proxy on the way ends the call, with all its items. In a
  // separate call each of them learns whether it was the one.
  return absl::IsResourceExhausted(response.status()) ? client_->Compile(request) : response;
}

void StreamClient::Stop() {
  client_->Stop();
  absl::MutexLock lock(&mutex_);
  stopped_ = true;
  if (session_ != nullptr) session_->Cancel();
}

}  // namespace kiln::client
