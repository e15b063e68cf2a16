// One CompileStream call: many compile requests, answered as they are ready.
//
// Bounded memory: at most kStreamCredits items are begun and not yet written out. Nothing is read
// while there are that many, or while kStreamUnread bytes of answers wait for a client that does
// not read, so that the transport's flow control holds the client back. Items that such a client
// has begun before still end in answers: these may hold a quarter of the daemon's budget for
// answers in one stream, and the client's share of the budget in all (byte_budget.h). An answer
// without room is dropped, its result is not: the item is told to come again and then finds it in
// the cache. An item takes its share of the budget for requests before its bytes are parsed or
// copied.
//
// To the engine, the caches and the metrics an item is like a Compile call. Errors in an item (also
// text that is not UTF-8) are its answer and do not end the stream. An answer larger than
// `max_response_bytes` goes out in chunks that share its bytes, or is refused with the limits that
// would be needed: a message larger than the client's gRPC accepts would end the stream for all
// items. The stream ends early if bytes are no StreamRequest, or the client leaves (its items are
// cancelled).
#ifndef KILN_SERVER_RPC_STREAM_H_
#define KILN_SERVER_RPC_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "kiln/v1/compiler.pb.h"
#include "server/engine/byte_budget.h"
#include "server/engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/request/wire_bounds.h"
#include "server/rpc/clients.h"
#include "server/trace/tracer.h"

namespace kiln::server {

inline constexpr size_t kStreamCredits = 64;
// No further items are read while so many bytes of answers wait.
inline constexpr uint64_t kStreamUnread = uint64_t{4} << 20;

class StreamReactor final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // All outlive the stream.
  struct Parts {
    const grpc::CallbackServerContext* context;  // of the call
    Engine* engine;
    Refusals* refusals;
    metrics::Metrics* metrics;
    std::atomic<int>* in_flight;
    const std::atomic<bool>* draining;
    ByteBudget* budget;   // of requests
    ByteBudget* answers;  // for answers that are not written out
    const WireBounds* bounds;
    worker::Fault fault;
    std::string id;
    std::string client;
    worker::Owner owner;
    net::OpenCall open;
    uint64_t max_response_bytes;
    std::shared_ptr<trace::Trace> trace;  // of the stream; null: it is not traced
  };
  explicit StreamReactor(Parts parts);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  friend class StreamReactorPeer;  // for tests

  // The bytes of a StreamResponse. Converted to a grpc::ByteBuffer, which cannot be moved, when
  // they are written.
  using Message = std::vector<grpc::Slice>;
  // A message to be written. The last message of an answer holds the whole answer's share.
  struct Unwritten {
    Message message;
    uint64_t bytes = 0;
    ByteBudget::Share share;
  };

  // The messages to be written for an item; none: no answer yet.
  struct ItemAnswer {
    uint64_t item = 0;
    std::vector<Message> messages;
  };

  // Receives an item. Returns false if the bytes are no StreamRequest. If the item could be
  // answered without waiting, its answer is in `answer` and it was never open.
  bool Receive(const grpc::ByteBuffer& bytes, ItemAnswer* answer);
  // Returns the messages that refuse the item. `share`: of its bytes, if it got one.
  std::vector<Message> Refuse(uint64_t item, const Reply& reply, ByteBudget::Share share);
  // Begins an item that MayBegin accepted. Returns its answer; none: it is open now, and will be
  // answered exactly once.
  std::vector<Message> Begin(uint64_t item, kiln::v1::StreamRequest request,
                             ByteBudget::Share share);
  // Returns true if the item can be begun; otherwise the reply says why not.
  bool MayBegin(uint64_t item, Reply* reply) ABSL_LOCKS_EXCLUDED(mutex_);
  // Enqueues an open item's answer and closes the item.
  void Answer(uint64_t item, std::vector<Message> messages) ABSL_LOCKS_EXCLUDED(mutex_);
  // Holds an item's refusal back; until it is told the item is open. Returns false if it is to be
  // told now.
  bool Hold(uint64_t item, const std::vector<Message>& refusal) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the messages of an answer; `response` as from Ending::End.
  std::vector<Message> Messages(uint64_t item, bool takes_chunks, const Reply& reply,
                                std::vector<grpc::Slice> response) const;
  void Enqueue(uint64_t item, std::vector<Message> messages) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ByteBudget::Share ShareOfAnswers(uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts the reads and writes that are possible. Returns a status once, when nothing is under way
  // any more: End is to be called with it, without the lock. OnDone may run in another thread
  // before Finish has returned, so nothing of this object may be touched after it; within a
  // reaction OnDone comes later.
  std::optional<grpc::Status> Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(std::optional<grpc::Status> status) ABSL_LOCKS_EXCLUDED(mutex_);
  void CancelAll() ABSL_LOCKS_EXCLUDED(mutex_);
  // The client no longer reads answers: cancels open items, and those just being begun.
  void Abandon() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the request id of an item.
  std::string IdOf(uint64_t item) const { return parts_.id + "." + std::to_string(item); }
  // Returns the trace of an item that begins; null: the stream is not traced.
  std::shared_ptr<trace::Trace> TraceOfItem() const {
    return parts_.trace == nullptr ? nullptr : parts_.trace->Child();
  }
  // Returns the largest CompileResponse that reaches the client.
  size_t MostBytes(bool takes_chunks) const;

  const Parts parts_;
  const absl::Time begun_ = absl::Now();
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;  // of the first of answers_, while that is written

  absl::Mutex mutex_;
  // Items that wait for the engine. An item that the engine answers at once never gets here: until
  // then a read is under way, so that no other item comes and the stream does not end.
  std::map<uint64_t, std::shared_ptr<Call>> open_ ABSL_GUARDED_BY(mutex_);
  std::deque<Unwritten> answers_ ABSL_GUARDED_BY(mutex_);  // the first is being written
  uint64_t unread_ ABSL_GUARDED_BY(mutex_) = 0;            // bytes of answers_
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool no_more_items_ ABSL_GUARDED_BY(mutex_) = false;  // the client has said so, or has left
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;         // the client no longer reads answers
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_STREAM_H_
