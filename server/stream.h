// One CompileStream call: many compile requests, answered as they are ready.
//
// Bounded memory: at most kStreamCredits items are begun and not yet written out; nothing is read
// while there are that many, so that the transport's flow control holds the client back. An item is
// what a Compile call is to the engine, the caches and the metrics; what is wrong with it (text
// that is not UTF-8, too) is its answer and does not end the stream. An answer larger than
// `max_response_bytes` goes out in chunks that share its bytes, or is refused with what it would
// take to get it: a message that the client's gRPC does not receive would end the stream for all
// items. What ends it early: bytes that are no StreamRequest, or a client that leaves (its items
// are cancelled).
#ifndef KILN_SERVER_STREAM_H_
#define KILN_SERVER_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "proto/compiler.pb.h"
#include "server/byte_budget.h"
#include "server/engine.h"
#include "server/metrics/metrics.h"

namespace kiln::server {

inline constexpr size_t kStreamCredits = 64;

class StreamReactor final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // All outlive the stream.
  struct Parts {
    Engine* engine;
    metrics::Metrics* metrics;
    std::atomic<int>* in_flight;
    const std::atomic<bool>* draining;
    ByteBudget* budget;
    worker::Fault fault;
    std::string id;
    uint64_t max_response_bytes;
  };
  explicit StreamReactor(Parts parts);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  // `bytes`: of the message that it was.
  void Take(kiln::v1alpha::StreamRequest request, uint64_t bytes);
  // An item that is no request; false: nor is its number known.
  bool Refuse(const grpc::ByteBuffer& bytes);
  void Answer(uint64_t item, std::vector<grpc::ByteBuffer> messages);
  // The messages of an answer.
  std::vector<grpc::ByteBuffer> Messages(uint64_t item, bool takes_chunks, const Reply& reply,
                                         const grpc::ByteBuffer& response) const;
  void Enqueue(std::vector<grpc::ByteBuffer> messages) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the call once nothing is under way any more. `mutex_` is held.
  void Advance() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CancelAll() ABSL_LOCKS_EXCLUDED(mutex_);
  // Nobody reads answers any more: cancels what is open, and what is just being begun.
  void Abandon() ABSL_LOCKS_EXCLUDED(mutex_);

  const Parts parts_;
  grpc::ByteBuffer incoming_;

  absl::Mutex mutex_;
  // Items begun and not answered; null until the engine has given a call.
  std::map<uint64_t, std::shared_ptr<Call>> open_ ABSL_GUARDED_BY(mutex_);
  std::deque<grpc::ByteBuffer> answers_ ABSL_GUARDED_BY(mutex_);  // the first is being written
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool no_more_items_ ABSL_GUARDED_BY(mutex_) = false;  // the client has said so, or is gone
  bool broken_ ABSL_GUARDED_BY(mutex_) = false;         // nobody reads answers any more
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  grpc::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_STREAM_H_
