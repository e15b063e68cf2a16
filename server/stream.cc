// The CompileStream call: see stream.h.
#include "server/stream.h"

#include <string>
#include <utility>
#include <vector>

#include "server/call.h"
#include "server/ending.h"

namespace kiln::server {
namespace {

using kiln::v1alpha::ItemError;
using kiln::v1alpha::StreamRequest;
using kiln::v1alpha::StreamResponse;

grpc::ByteBuffer BufferOf(const StreamResponse& message) {
  const grpc::Slice slice(message.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

ItemError ErrorOf(const Reply& reply) {
  ItemError error;
  error.set_code(static_cast<int>(reply.status.code()));
  error.set_message(std::string(reply.status.message()));
  if (absl::IsUnavailable(reply.status)) {
    error.set_retry_after_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(reply.retry)));
  }
  for (const auto& [field, description] : reply.violations) {
    auto* violation = error.add_violations();
    violation->set_field(field);
    violation->set_description(description);
  }
  return error;
}

void AppendVarint(uint64_t n, std::string* out) {
  for (; n >= 0x80; n >>= 7) out->push_back(static_cast<char>(n | 0x80));
  out->push_back(static_cast<char>(n));
}

// A StreamResponse around the bytes of a CompileResponse, which are not copied.
grpc::ByteBuffer Wrap(uint64_t item, const grpc::ByteBuffer& response) {
  std::string head;
  AppendVarint(StreamResponse::kItemFieldNumber << 3, &head);
  AppendVarint(item, &head);
  AppendVarint((StreamResponse::kResponseFieldNumber << 3) | 2, &head);
  AppendVarint(response.Length(), &head);
  std::vector<grpc::Slice> parts;
  if (!response.Dump(&parts).ok()) parts.clear();
  parts.insert(parts.begin(), grpc::Slice(head));
  return grpc::ByteBuffer(parts.data(), parts.size());
}

}  // namespace

StreamReactor::StreamReactor(Parts parts) : parts_(std::move(parts)) {
  StreamResponse hello;
  hello.set_credits(kStreamCredits);
  absl::MutexLock lock(&mutex_);
  answers_.push_back(BufferOf(hello));
  Advance();
}

void StreamReactor::Advance() {
  if (!writing_ && !answers_.empty() && !broken_) {
    writing_ = true;
    StartWrite(&answers_.front());
  }
  const size_t busy = open_.size() + answers_.size();
  if (!reading_ && !no_more_items_ && busy < kStreamCredits) {
    reading_ = true;
    StartRead(&incoming_);
  }
  if (broken_ && !writing_) answers_.clear();
  if (finished_ || reading_ || writing_ || !no_more_items_ || !open_.empty() || !answers_.empty()) {
    return;
  }
  finished_ = true;
  Finish(status_);
}

void StreamReactor::OnReadDone(bool ok) {
  StreamRequest request;
  bool good = ok && ParseBuffer(incoming_, &request);
  incoming_.Clear();
  if (good) {
    Take(std::move(request));
  } else if (ok) {
    CancelAll();
  }
  absl::MutexLock lock(&mutex_);
  reading_ = false;
  if (!good) no_more_items_ = true;
  if (ok && !good) {
    status_ = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "the message is no StreamRequest");
  }
  Advance();
}

void StreamReactor::OnWriteDone(bool ok) {
  if (!ok) Abandon();
  absl::MutexLock lock(&mutex_);
  writing_ = false;
  answers_.pop_front();
  Advance();
}

void StreamReactor::OnCancel() {
  Abandon();
  absl::MutexLock lock(&mutex_);
  if (status_.ok()) status_ = grpc::Status(grpc::StatusCode::CANCELLED, "the client has left");
  Advance();
}

void StreamReactor::Abandon() {
  {
    // First: an item that is being begun meanwhile sees it, and cancels itself.
    absl::MutexLock lock(&mutex_);
    broken_ = true;
    no_more_items_ = true;
  }
  CancelAll();
}

void StreamReactor::CancelAll() {
  std::vector<std::shared_ptr<Call>> calls;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [item, call] : open_) {
      if (call != nullptr) calls.push_back(call);
    }
  }
  // Outside of the lock: a cancelled call answers at once.
  for (const auto& call : calls) parts_.engine->Cancel(call);
}

void StreamReactor::Take(StreamRequest request) {
  const uint64_t item = request.item();
  Reply reply;
  bool known = false;
  {
    absl::MutexLock lock(&mutex_);
    known = !open_.emplace(item, nullptr).second;
  }
  ++*parts_.in_flight;
  parts_.metrics->RequestBegins();
  auto response = std::make_shared<grpc::ByteBuffer>();
  auto ending = std::make_shared<Ending>(parts_.metrics, parts_.in_flight, request.request(),
                                         response.get());
  if (item == 0 || known) {
    reply.status = absl::InvalidArgumentError(
        item == 0 ? "item numbers begin at 1" : "an item of this number is not answered yet");
    reply.violations.emplace_back("item", std::string(reply.status.message()));
  } else if (*parts_.draining) {
    parts_.metrics->ShedRequest(metrics::Metrics::Shed::kDraining);
    reply.status = absl::UnavailableError("the daemon is stopping");
    reply.retry = absl::Seconds(1);
  } else if (auto call = parts_.engine->Begin(std::move(*request.mutable_request()), parts_.fault,
                                              &reply)) {
    bool nobody_waits = false;
    {
      absl::MutexLock lock(&mutex_);
      open_[item] = call;
      nobody_waits = broken_;
    }
    parts_.engine->Continue(call, [this, item, response, ending](Reply late) {
      ending->End(late);
      Answer(item, late, *response);
    });
    if (nobody_waits) parts_.engine->Cancel(call);
    return;
  }
  ending->End(reply);
  if (!known) return Answer(item, reply, *response);
  StreamResponse refusal;
  refusal.set_item(item);
  *refusal.mutable_error() = ErrorOf(reply);
  Enqueue(BufferOf(refusal));
}

void StreamReactor::Answer(uint64_t item, const Reply& reply, const grpc::ByteBuffer& response) {
  grpc::ByteBuffer bytes;
  if (reply.status.ok()) {
    bytes = Wrap(item, response);
  } else {
    StreamResponse failure;
    failure.set_item(item);
    *failure.mutable_error() = ErrorOf(reply);
    bytes = BufferOf(failure);
  }
  absl::MutexLock lock(&mutex_);
  open_.erase(item);
  if (!broken_) answers_.push_back(std::move(bytes));
  Advance();
}

void StreamReactor::Enqueue(grpc::ByteBuffer bytes) {
  absl::MutexLock lock(&mutex_);
  if (!broken_) answers_.push_back(std::move(bytes));
  Advance();
}

}  // namespace kiln::server
