// One CompileStream call: many compile requests, answered as they are ready.
//
// Bounded memory: at most kStreamCredits items are begun and not yet written out; nothing is read
// while there are that many, so that the transport's flow control holds the client back. An item is
// what a Compile call is to the engine, the caches and the metrics; what is wrong with it is its
// answer and does not end the stream. What ends it early: bytes that are no StreamRequest, or a
// client that leaves (its items are cancelled).
#ifndef KILN_SERVER_STREAM_H_
#define KILN_SERVER_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "proto/compiler.pb.h"
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
    worker::Fault fault;
  };
  explicit StreamReactor(Parts parts);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { delete this; }

 private:
  void Take(kiln::v1alpha::StreamRequest request);
  void Answer(uint64_t item, const Reply& reply, const grpc::ByteBuffer& response);
  void Enqueue(grpc::ByteBuffer bytes);
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
