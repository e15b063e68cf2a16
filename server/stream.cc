// The CompileStream call: see stream.h.
#include "server/stream.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/bad_text.h"
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

ItemError TooLarge(size_t bytes, size_t most) {
  ItemError error;
  error.set_code(static_cast<int>(absl::StatusCode::kResourceExhausted));
  error.set_message(absl::StrCat("the answer has ", bytes,
                                 " bytes, and a message of this stream at most ", most,
                                 " (Limits.max_response_bytes); set takes_chunks and put it "
                                 "together, or ask for fewer outputs or "
                                 "targets"));
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

// What stands before the contents of a length-delimited field.
std::string Head(int field, size_t length) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(length);
}

grpc::ByteBuffer Join(const std::string& head, std::vector<grpc::Slice> parts) {
  parts.insert(parts.begin(), grpc::Slice(head));
  return grpc::ByteBuffer(parts.data(), parts.size());
}

// What every StreamResponse to an item begins with.
std::string ItemHead(uint64_t item) {
  return Varint(StreamResponse::kItemFieldNumber << 3) + Varint(item);
}

// More than the fields of a StreamResponse around the bytes of an answer.
constexpr size_t kEnvelope = 48;

// A StreamResponse around the bytes of a CompileResponse, which are not copied.
grpc::ByteBuffer Whole(uint64_t item, size_t bytes, std::vector<grpc::Slice> response) {
  return Join(ItemHead(item) + Head(StreamResponse::kResponseFieldNumber, bytes),
              std::move(response));
}

grpc::ByteBuffer ChunkOf(uint64_t item, size_t bytes, std::vector<grpc::Slice> data, bool last) {
  using Chunk = StreamResponse::Chunk;
  std::string head = Head(Chunk::kDataFieldNumber, bytes);
  if (last) head = Varint(Chunk::kLastFieldNumber << 3) + Varint(1) + head;
  return Join(ItemHead(item) + Head(StreamResponse::kChunkFieldNumber, head.size() + bytes) + head,
              std::move(data));
}

// The slices of a CompileResponse in messages of at most `most` bytes of it. Slices that are cut
// share their bytes.
std::vector<grpc::ByteBuffer> ChunksOf(uint64_t item, size_t left,
                                       const std::vector<grpc::Slice>& response, size_t most) {
  std::vector<grpc::ByteBuffer> chunks;
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

// The number of an item whose request does not parse; nothing: the bytes are no StreamRequest at
// all.
std::optional<uint64_t> ItemOf(absl::string_view bytes) {
  using google::protobuf::internal::WireFormatLite;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  uint64_t item = 0;
  while (const uint32_t tag = in.ReadTag()) {
    const bool good = tag == StreamRequest::kItemFieldNumber << 3
                          ? in.ReadVarint64(reinterpret_cast<uint64_t*>(&item))
                          : WireFormatLite::SkipField(&in, tag);
    if (!good) return std::nullopt;
  }
  if (!in.ConsumedEntireMessage()) return std::nullopt;
  return item;
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
  const uint64_t bytes = ok ? incoming_.Length() : 0;
  bool good = ok && ParseBuffer(incoming_, &request);
  if (good) {
    incoming_.Clear();
    Take(std::move(request), bytes);
  } else if (ok) {
    good = Refuse(incoming_);
    if (!good) CancelAll();
  }
  incoming_.Clear();
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

bool StreamReactor::Refuse(const grpc::ByteBuffer& bytes) {
  grpc::Slice slice;
  if (!bytes.DumpToSingleSlice(&slice).ok()) return false;
  const absl::string_view text(reinterpret_cast<const char*>(slice.begin()), slice.size());
  const std::optional<uint64_t> item = ItemOf(text);
  std::optional<BadText> bad = FindBadText(text, *StreamRequest::descriptor());
  if (!item.has_value() || !bad.has_value()) return false;
  ++*parts_.in_flight;
  parts_.metrics->RequestBegins();
  Reply reply;
  // Fields of a stream's item are named as those of a Compile call.
  reply.Refuse(std::string(absl::StripPrefix(bad->field, "request.")), std::move(bad->what));
  Ending(parts_.metrics, parts_.in_flight, {}, nullptr, {}).End(reply);
  absl::MutexLock lock(&mutex_);
  Enqueue(Messages(*item, false, reply, {}));
  Advance();
  return true;
}

void StreamReactor::Take(StreamRequest request, uint64_t bytes) {
  const uint64_t item = request.item();
  const bool takes_chunks = request.takes_chunks();
  Reply reply;
  bool known = false;
  {
    absl::MutexLock lock(&mutex_);
    known = !open_.emplace(item, nullptr).second;
  }
  ++*parts_.in_flight;
  parts_.metrics->RequestBegins();
  auto response = std::make_shared<grpc::ByteBuffer>();
  ByteBudget::Share share = parts_.budget->Take(bytes);
  const bool has_share(share);
  auto ending = std::make_shared<Ending>(parts_.metrics, parts_.in_flight, request.request(),
                                         response.get(), std::move(share));
  if (item == 0 || known) {
    reply.Refuse("item", item == 0 ? "item numbers begin at 1"
                                   : "an item of this number is not answered yet");
  } else if (*parts_.draining) {
    parts_.metrics->ShedRequest(metrics::Metrics::Shed::kDraining);
    reply.status = absl::UnavailableError("the daemon is stopping");
    reply.retry = absl::Seconds(1);
  } else if (!has_share) {
    parts_.metrics->ShedRequest(metrics::Metrics::Shed::kBytes);
    reply.status = parts_.budget->Refusal(bytes);
    reply.retry = absl::Seconds(1);
  } else if (auto call = parts_.engine->Begin(std::move(*request.mutable_request()), parts_.fault,
                                              &reply)) {
    call->request_id = parts_.id + "." + std::to_string(item);
    bool nobody_waits = false;
    {
      absl::MutexLock lock(&mutex_);
      open_[item] = call;
      nobody_waits = broken_;
    }
    parts_.engine->Continue(call, [this, item, takes_chunks, response, ending](Reply late) {
      ending->End(late);
      Answer(item, Messages(item, takes_chunks, late, *response));
    });
    if (nobody_waits) parts_.engine->Cancel(call);
    return;
  }
  ending->End(reply);
  std::vector<grpc::ByteBuffer> messages = Messages(item, takes_chunks, reply, *response);
  if (!known) return Answer(item, std::move(messages));
  absl::MutexLock lock(&mutex_);
  Enqueue(std::move(messages));
  Advance();
}

std::vector<grpc::ByteBuffer> StreamReactor::Messages(uint64_t item, bool takes_chunks,
                                                      const Reply& reply,
                                                      const grpc::ByteBuffer& response) const {
  std::vector<grpc::Slice> slices;
  const size_t bytes = response.Length(), most = parts_.max_response_bytes;
  StreamResponse failure;
  failure.set_item(item);
  if (!reply.status.ok()) {
    *failure.mutable_error() = ErrorOf(reply);
  } else if (response.Dump(&slices).ok() && bytes + kEnvelope <= most) {
    return {Whole(item, bytes, std::move(slices))};
  } else if (takes_chunks) {
    return ChunksOf(item, bytes, slices, std::max(most, 2 * kEnvelope) - kEnvelope);
  } else {
    *failure.mutable_error() = TooLarge(bytes, most);
  }
  return {BufferOf(failure)};
}

void StreamReactor::Answer(uint64_t item, std::vector<grpc::ByteBuffer> messages) {
  absl::MutexLock lock(&mutex_);
  open_.erase(item);
  Enqueue(std::move(messages));
  Advance();
}

void StreamReactor::Enqueue(std::vector<grpc::ByteBuffer> messages) {
  if (broken_) return;
  for (grpc::ByteBuffer& message : messages) answers_.push_back(std::move(message));
}

}  // namespace kiln::server
