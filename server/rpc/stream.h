// One CompileStream call: many compile requests, answered as they are ready.
//
// Bounded memory: at most kStreamCredits items are begun and not yet written out; nothing is read
// while there are that many, or while kStreamUnread bytes of answers wait for a client that does
// not read, so that the transport's flow control holds the client back. What such a client has
// begun before ends in answers all the same: of these a stream keeps a quarter of the daemon's
// budget for answers, its client its share of that (byte_budget.h). The answer that has no room
// goes, not its result: the item is told to come again and finds it in the cache. An item takes its
// share of the budget for requests before anything is made of its bytes.
//
// An item is what a Compile call is to the engine, the caches and the metrics; what is wrong with
// it (text that is not UTF-8, too) is its answer and does not end the stream. An answer larger than
// `max_response_bytes` goes out in chunks that share its bytes, or is refused with what it would
// take to get it: a message that the client's gRPC does not receive would end the stream for all
// items. What ends it early: bytes that are no StreamRequest, or a client that leaves (its items
// are cancelled).
#ifndef KILN_SERVER_RPC_STREAM_H_
#define KILN_SERVER_RPC_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "proto/compiler.pb.h"
#include "server/engine/byte_budget.h"
#include "server/engine/engine.h"
#include "server/metrics/metrics.h"
#include "server/request/wire_bounds.h"
#include "server/rpc/clients.h"

namespace kiln::server {

inline constexpr size_t kStreamCredits = 64;
// Bytes of answers from which on no further items are read.
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
    ByteBudget* answers;  // of answers that are not written out
    const WireBounds* bounds;
    worker::Fault fault;
    std::string id;
    std::string client;
    worker::Owner owner;
    net::OpenCall open;
    uint64_t max_response_bytes;
  };
  explicit StreamReactor(Parts parts);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  friend class StreamReactorPeer;  // for tests

  // The bytes of a StreamResponse. They become a grpc::ByteBuffer, which cannot be moved, when they
  // are written.
  using Message = std::vector<grpc::Slice>;
  // An answer's last message has the share of all.
  struct Unwritten {
    Message message;
    uint64_t bytes = 0;
    ByteBudget::Share share;
  };

  // What is to be written of an item; no messages: nothing yet.
  struct ItemAnswer {
    uint64_t item = 0;
    std::vector<Message> messages;
  };

  // An item, or what should have been one; false: the bytes are no StreamRequest. What can be
  // answered without waiting is in `answer`, and the item was never open.
  bool Receive(const grpc::ByteBuffer& bytes, ItemAnswer* answer);
  // The item is to be answered with this refusal. `share`: of its bytes, if it got one.
  std::vector<Message> Refuse(uint64_t item, const Reply& reply, ByteBudget::Share share);
  // `item` may be begun. Its answer; none: it is open now, and answered exactly once.
  std::vector<Message> Begin(uint64_t item, kiln::v1alpha::StreamRequest request,
                             ByteBudget::Share share);
  // Is it an item that can be begun? The reply says why not.
  bool MayBegin(uint64_t item, Reply* reply) ABSL_LOCKS_EXCLUDED(mutex_);
  // An open item's answer, and its end.
  void Answer(uint64_t item, std::vector<Message> messages) ABSL_LOCKS_EXCLUDED(mutex_);
  // An item's refusal is told later, and until then it is open. False: it is to be told now.
  bool Hold(uint64_t item, const std::vector<Message>& refusal) ABSL_LOCKS_EXCLUDED(mutex_);
  // The messages of an answer; `response` as from Ending::End.
  std::vector<Message> Messages(uint64_t item, bool takes_chunks, const Reply& reply,
                                std::vector<grpc::Slice> response) const;
  void Enqueue(uint64_t item, std::vector<Message> messages) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ByteBudget::Share ShareOfAnswers(uint64_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Reads and writes what can be. Has a value once, when nothing is under way any more: End is to
  // be called with it, without the lock. OnDone may come before Finish has returned, in another
  // thread, so that then nothing of this object may be touched; within a reaction it comes later.
  std::optional<grpc::Status> Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(std::optional<grpc::Status> status) ABSL_LOCKS_EXCLUDED(mutex_);
  void CancelAll() ABSL_LOCKS_EXCLUDED(mutex_);
  // Nobody reads answers any more: cancels what is open, and what is just being begun.
  void Abandon() ABSL_LOCKS_EXCLUDED(mutex_);
  // Above how many bytes a CompileResponse does not reach the client.
  size_t MostBytes(bool takes_chunks) const;

  const Parts parts_;
  const absl::Time begun_ = absl::Now();
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;  // of the first of answers_, while it is being written

  absl::Mutex mutex_;
  // Items that wait for the engine. What it answers at once never gets here: until then a read is
  // under way, so that no other item comes and the stream does not end.
  std::map<uint64_t, std::shared_ptr<Call>> open_ ABSL_GUARDED_BY(mutex_);
  std::deque<Unwritten> answers_ ABSL_GUARDED_BY(mutex_);  // the first is being written
  uint64_t unread_ ABSL_GUARDED_BY(mutex_) = 0;            // bytes of answers_
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool no_more_items_ ABSL_GUARDED_BY(mutex_) = false;  // the client has said so, or is gone
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;         // nobody reads answers any more
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_STREAM_H_
