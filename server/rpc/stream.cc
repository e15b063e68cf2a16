// The CompileStream call: see stream.h.
#include "server/rpc/stream.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/bad_text.h"
#include "server/engine/call.h"
#include "server/rpc/ending.h"
#include "server/rpc/leaving.h"

namespace kiln::server {
namespace {

using kiln::v1::ItemError;
using kiln::v1::StreamRequest;
using kiln::v1::StreamResponse;

using Message = std::vector<grpc::Slice>;

Message MessageOf(const StreamResponse& message) {
  return {grpc::Slice(message.SerializeAsString())};
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

ItemError TooLarge(size_t bytes, size_t most) {
  ItemError error;
  error.set_code(static_cast<int>(absl::StatusCode::kResourceExhausted));
  error.set_message(absl::StrCat(
      "the answer has ", bytes, " bytes; a message of this stream has at most ", most,
      " (Limits.max_response_bytes); set takes_chunks and join the chunks, or request fewer "
      "outputs or targets"));
  return error;
}

void AppendVarint(uint64_t n, std::string* out) {
  for (; n >= 0x80; n >>= 7) out->push_back(static_cast<char>(n | 0x80));
  out->push_back(static_cast<char>(n));
}

std::string Varint(uint64_t n) {
  std::string bytes;
  AppendVarint(n, &bytes);
  return bytes;
}

// Returns the tag and length before the contents of a length-delimited field.
std::string Head(int field, size_t length) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(length);
}

Message Join(const std::string& head, std::vector<grpc::Slice> parts) {
  parts.insert(parts.begin(), grpc::Slice(head));
  return parts;
}

// Returns the beginning of every StreamResponse to an item.
std::string ItemHead(uint64_t item) {
  return Varint(StreamResponse::kItemFieldNumber << 3) + Varint(item);
}

// An answer of at most this many bytes needs no share.
constexpr uint64_t kSmallAnswer = 256;

// More than the fields of a StreamResponse around the bytes of an answer.
constexpr size_t kEnvelope = 48;

// Builds a StreamResponse around the bytes of a CompileResponse, without copying them.
Message Whole(uint64_t item, size_t bytes, std::vector<grpc::Slice> response) {
  return Join(ItemHead(item) + Head(StreamResponse::kResponseFieldNumber, bytes),
              std::move(response));
}

Message ChunkOf(uint64_t item, size_t bytes, std::vector<grpc::Slice> data, bool last) {
  using Chunk = StreamResponse::Chunk;
  std::string head = Head(Chunk::kDataFieldNumber, bytes);
  if (last) head = Varint(Chunk::kLastFieldNumber << 3) + Varint(1) + head;
  return Join(ItemHead(item) + Head(StreamResponse::kChunkFieldNumber, head.size() + bytes) + head,
              std::move(data));
}

// Distributes the slices of a CompileResponse over messages with at most `most` bytes of it. Slices
// that are cut share their bytes.
std::vector<Message> ChunksOf(uint64_t item, size_t left, const std::vector<grpc::Slice>& response,
                              size_t most) {
  std::vector<Message> chunks;
  std::vector<grpc::Slice> data;
  size_t bytes = 0;
  for (const grpc::Slice& slice : response) {
    for (size_t at = 0; at < slice.size();) {
      const size_t n = std::min(most - bytes, slice.size() - at);
      data.push_back(slice.sub(at, at + n));
      at += n;
      bytes += n;
      left -= n;
      if (bytes < most && left > 0) continue;
      chunks.push_back(ChunkOf(item, bytes, std::exchange(data, {}), left == 0));
      bytes = 0;
    }
  }
  return chunks;
}

// Returns the number of an item without parsing its request; 0 if it has none. Nothing: the bytes
// are no StreamRequest.
std::optional<uint64_t> ItemOf(const grpc::ByteBuffer& bytes) {
  using google::protobuf::internal::WireFormatLite;
  // The reader does not change the buffer.
  grpc::ProtoBufferReader reader(const_cast<grpc::ByteBuffer*>(&bytes));
  if (!reader.status().ok()) return std::nullopt;
  google::protobuf::io::CodedInputStream in(&reader);
  uint64_t item = 0;
  while (const uint32_t tag = in.ReadTag()) {
    const bool good = tag == StreamRequest::kItemFieldNumber << 3
                          ? in.ReadVarint64(&item)
                          : WireFormatLite::SkipField(&in, tag);
    if (!good) return std::nullopt;
  }
  if (!in.ConsumedEntireMessage()) return std::nullopt;
  return item;
}

// Returns what is wrong in bytes that are no valid request of a stream; nothing if that is not
// known.
std::optional<BadText> BadTextOf(const grpc::ByteBuffer& bytes) {
  grpc::Slice slice;
  if (!bytes.DumpToSingleSlice(&slice).ok()) return std::nullopt;
  std::optional<BadText> bad = FindBadText(
      {reinterpret_cast<const char*>(slice.begin()), slice.size()}, *StreamRequest::descriptor());
  return bad;
}

// Fields of a stream's item are named as those of a Compile call.
std::string FieldOfRequest(absl::string_view field) {
  return std::string(absl::StripPrefix(field, "request."));
}

ItemError NoRoom() {
  ItemError error;
  error.set_code(static_cast<int>(absl::StatusCode::kUnavailable));
  error.set_message(
      "unread answers fill the memory for answers, or this client's share of it: read them");
  error.set_retry_after_ms(1000);
  return error;
}

// Builds a vector of one; an initialiser list would copy the message.
std::vector<Message> Only(Message message) {
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  return messages;
}

Message Failure(uint64_t item, ItemError error) {
  StreamResponse failure;
  failure.set_item(item);
  *failure.mutable_error() = std::move(error);
  return MessageOf(failure);
}

}  // namespace

StreamReactor::StreamReactor(Parts parts) : parts_(std::move(parts)) {
  StreamResponse hello;
  hello.set_credits(kStreamCredits);
  parts_.metrics->RequestBegins(metrics::Metrics::Method::kCompileStream);
  absl::MutexLock lock(&mutex_);
  Message message = MessageOf(hello);
  const size_t bytes = BytesOf(message);
  unread_ += bytes;
  answers_.push_back({std::move(message), bytes, {}});
  Advance();  // never the end here: no item was read yet
}

std::optional<grpc::Status> StreamReactor::Advance() {
  if (!writing_ && !answers_.empty() && !broken_) {
    writing_ = true;
    const Message& message = answers_.front().message;
    grpc::ByteBuffer(message.data(), message.size()).Swap(&outgoing_);
    StartWrite(&outgoing_);
  }
  const size_t busy = open_.size() + answers_.size();
  if (!reading_ && !no_more_items_ && busy < kStreamCredits && unread_ < kStreamUnread) {
    reading_ = true;
    StartRead(&incoming_);
  }
  if (broken_ && !writing_) answers_.clear();
  if (finished_ || reading_ || writing_ || !no_more_items_ || !open_.empty() || !answers_.empty()) {
    return std::nullopt;
  }
  finished_ = true;
  return status_;
}

void StreamReactor::End(std::optional<grpc::Status> status) {
  if (!status.has_value()) return;
  const auto code = static_cast<absl::StatusCode>(status->error_code());
  parts_.metrics->RequestEnds(metrics::Metrics::Method::kCompileStream, code);
  if (parts_.trace != nullptr) {
    EndTrace({metrics::Metrics::Method::kCompileStream, code, parts_.id}, parts_.trace.get());
  }
  Finish(*std::move(status));
}

void StreamReactor::OnReadDone(bool ok) {
  ItemAnswer answer;
  const bool good = ok && Receive(incoming_, &answer);
  incoming_.Clear();
  if (ok && !good) CancelAll();
  std::optional<grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    reading_ = false;
    if (!answer.messages.empty()) Enqueue(answer.item, std::move(answer.messages));
    if (!good) no_more_items_ = true;
    if (ok && !good) {
      status_ = grpc::Status(grpc::StatusCode::INVALID_ARGUMENT,
                             "the message is not a valid StreamRequest");
    }
    end = Advance();
  }
  End(std::move(end));
}

void StreamReactor::OnWriteDone(bool ok) {
  if (!ok) Abandon();
  std::optional<grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    outgoing_.Clear();
    unread_ -= answers_.front().bytes;
    answers_.pop_front();
    end = Advance();
  }
  End(std::move(end));
}

void StreamReactor::OnCancel() {
  Abandon();
  std::optional<grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    end = Advance();
  }
  End(std::move(end));
}

void StreamReactor::Abandon() {
  {
    // Set first, so that an item that is just being begun sees it and cancels itself.
    absl::MutexLock lock(&mutex_);
    broken_ = true;
    no_more_items_ = true;
    if (status_.ok()) {
      const absl::Status why = WhyOver(*parts_.context, begun_);
      status_ = grpc::Status(static_cast<grpc::StatusCode>(why.code()), std::string(why.message()));
    }
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
  // Without the lock: a cancelled call answers at once.
  for (const auto& call : calls) parts_.engine->Cancel(call, WhyOver(*parts_.context, begun_));
  parts_.refusals->Leave(this);
}

size_t StreamReactor::MostBytes(bool takes_chunks) const {
  const size_t most = parts_.max_response_bytes;
  if (takes_chunks) return std::numeric_limits<size_t>::max();
  return most < kEnvelope ? 0 : most - kEnvelope;
}

bool StreamReactor::Receive(const grpc::ByteBuffer& bytes, ItemAnswer* answer) {
  const std::optional<uint64_t> item = ItemOf(bytes);
  if (!item.has_value()) return false;
  answer->item = *item;
  Reply reply;
  if (!MayBegin(*item, &reply)) {
    answer->messages = Refuse(*item, reply, {});
    return true;
  }
  const uint64_t size = bytes.Length();
  ByteBudget::Share share = parts_.budget->Take(parts_.owner, size);
  if (!share) {
    parts_.metrics->ShedRequest(metrics::Metrics::Shed::kBytes);
    reply.status = parts_.budget->Refusal(size);
    reply.retry = absl::Seconds(1);
    answer->messages = Refuse(*item, reply, {});
    if (Hold(*item, answer->messages)) answer->messages.clear();
    return true;
  }
  if (auto too_many = CheckBuffer(*parts_.bounds, bytes, *StreamRequest::descriptor())) {
    reply.Refuse(FieldOfRequest(too_many->field), std::move(too_many->what));
    answer->messages = Refuse(*item, reply, std::move(share));
    return true;
  }
  StreamRequest request;
  if (ParseBuffer(bytes, &request)) {
    incoming_.Clear();  // the bytes are in the request now
    answer->messages = Begin(*item, std::move(request), std::move(share));
    return true;
  }
  std::optional<BadText> bad = BadTextOf(bytes);
  if (bad.has_value()) {
    reply.Refuse(FieldOfRequest(bad->field), std::move(bad->what));
  } else {
    reply.Refuse("request", "it is not a valid CompileRequest");
  }
  answer->messages = Refuse(*item, reply, std::move(share));
  return true;
}

bool StreamReactor::MayBegin(uint64_t item, Reply* reply) {
  absl::MutexLock lock(&mutex_);
  if (item == 0) {
    reply->Refuse("item", "item numbers begin at 1");
  } else if (open_.count(item) > 0) {
    reply->Refuse("item", "an earlier item of this number is not answered yet");
  } else if (*parts_.draining) {
    parts_.metrics->ShedRequest(metrics::Metrics::Shed::kDraining);
    reply->status = absl::UnavailableError("the daemon is stopping");
    reply->retry = absl::Seconds(1);
  } else {
    return true;
  }
  return false;
}

std::vector<StreamReactor::Message> StreamReactor::Refuse(uint64_t item, const Reply& reply,
                                                          ByteBudget::Share share) {
  ++*parts_.in_flight;
  parts_.metrics->RequestBegins(metrics::Metrics::Method::kItem);
  Ending(parts_.metrics, metrics::Metrics::Method::kItem, parts_.in_flight, {}, std::move(share),
         TraceOfItem())
      .End(reply, IdOf(item));
  return Messages(item, false, reply, {});
}

std::vector<StreamReactor::Message> StreamReactor::Begin(uint64_t item, StreamRequest request,
                                                         ByteBudget::Share share) {
  const bool takes_chunks = request.takes_chunks();
  ++*parts_.in_flight;
  parts_.metrics->RequestBegins(metrics::Metrics::Method::kItem);
  const std::shared_ptr<trace::Trace> trace = TraceOfItem();
  Ending ending(parts_.metrics, metrics::Metrics::Method::kItem, parts_.in_flight,
                request.request(), std::move(share), trace, MostBytes(takes_chunks));
  Reply reply;
  auto call = parts_.engine->Begin(std::move(*request.mutable_request()), parts_.fault,
                                   parts_.client, &reply, trace);
  if (call == nullptr) {
    std::vector<grpc::Slice> response = ending.End(reply, trace == nullptr ? "" : IdOf(item));
    return Messages(item, takes_chunks, reply, std::move(response));
  }
  call->request_id = IdOf(item);
  call->owner = parts_.owner;
  bool broken = false;
  {
    absl::MutexLock lock(&mutex_);
    open_[item] = call;
    broken = broken_;
  }
  auto kept = std::make_shared<Ending>(std::move(ending));
  parts_.engine->Continue(
      call, [this, item, takes_chunks, kept, id = call->request_id](Reply late) {
        std::vector<grpc::Slice> response = kept->End(late, id);
        std::vector<Message> messages = Messages(item, takes_chunks, late, std::move(response));
        if (absl::IsUnavailable(late.status) && Hold(item, messages)) return;
        Answer(item, std::move(messages));
      });
  if (broken) parts_.engine->Cancel(call, WhyOver(*parts_.context, begun_));
  return {};
}

bool StreamReactor::Hold(uint64_t item, const std::vector<Message>& refusal) {
  Refusals::Tell tell = [this, item, refusal] { Answer(item, refusal); };
  absl::MutexLock lock(&mutex_);
  // Abandon sets it under the lock before it releases held refusals.
  if (broken_ || !parts_.refusals->Hold(parts_.owner, this, MayHold(*parts_.context), &tell)) {
    return false;
  }
  open_[item] = nullptr;  // frees its request; the item stays open
  return true;
}

std::vector<StreamReactor::Message> StreamReactor::Messages(
    uint64_t item, bool takes_chunks, const Reply& reply, std::vector<grpc::Slice> response) const {
  if (!reply.status.ok()) return Only(Failure(item, ErrorOf(reply)));
  const size_t bytes = BytesOf(response), most = parts_.max_response_bytes;
  if (bytes <= MostBytes(false)) return Only(Whole(item, bytes, std::move(response)));
  if (takes_chunks) {
    return ChunksOf(item, bytes, response, std::max(most, 2 * kEnvelope) - kEnvelope);
  }
  return Only(Failure(item, TooLarge(bytes, most)));
}

void StreamReactor::Answer(uint64_t item, std::vector<Message> messages) {
  std::optional<grpc::Status> end;
  {
    absl::MutexLock lock(&mutex_);
    open_.erase(item);
    Enqueue(item, std::move(messages));
    end = Advance();
  }
  End(std::move(end));
}

ByteBudget::Share StreamReactor::ShareOfAnswers(uint64_t bytes) {
  // An answer larger than the whole budget passes if it is the only one.
  const uint64_t all = parts_.answers->limit();
  if (unread_ > 0 && unread_ + bytes > std::max(all / 4, kStreamUnread)) return {};
  return parts_.answers->Take(parts_.owner, std::min(bytes, all));
}

void StreamReactor::Enqueue(uint64_t item, std::vector<Message> messages) {
  if (broken_) return;
  uint64_t bytes = 0;
  for (const Message& message : messages) bytes += BytesOf(message);
  // Answers smaller than their bookkeeping are bounded by the credits.
  ByteBudget::Share share;
  if (bytes > kSmallAnswer) {
    share = ShareOfAnswers(bytes);
    if (!share) {
      messages.clear();
      messages.push_back(Failure(item, NoRoom()));
      bytes = BytesOf(messages.back());
    }
  }
  unread_ += bytes;
  for (Message& message : messages) {
    const size_t size = BytesOf(message);
    answers_.push_back({std::move(message), size, {}});
  }
  answers_.back().share = std::move(share);
}

}  // namespace kiln::server
