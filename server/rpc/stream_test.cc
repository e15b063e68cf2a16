// Tests the end of a stream's reactor, with a gRPC that is as quick as possible.
// tests/service/e2e_test.cc tests what a stream does for clients.
#include "server/rpc/stream.h"

#include <gtest/gtest.h>

#include <memory>

namespace kiln::server {

class StreamReactorPeer {
 public:
  explicit StreamReactorPeer(StreamReactor* reactor) : reactor_(reactor) {}
  void OpenItem(uint64_t item) {
    absl::MutexLock lock(&reactor_->mutex_);
    reactor_->open_.emplace(item, nullptr);
  }
  void Answer(uint64_t item) { reactor_->Answer(item, {}); }
  bool IsLocked() {
    if (!reactor_->mutex_.TryLock()) return true;
    reactor_->mutex_.Unlock();
    return false;
  }

 private:
  StreamReactor* const reactor_;
};

namespace {

// gRPC 1.51 calls OnDone when the handler has returned, Finish is carried out, the call is complete
// and no reaction runs: at the earliest within Finish, if another thread is quick.
class QuickCall : public grpc::ServerCallbackReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit QuickCall(StreamReactor* reactor) : reactor_(reactor) { BindReactor(reactor); }
  void Finish(grpc::Status status) override {
    ended_with = status.error_code();
    was_locked = StreamReactorPeer(reactor_).IsLocked();
    reactor_->OnDone();
  }
  void SendInitialMetadata() override {}
  void Read(grpc::ByteBuffer*) override { ++reads; }
  void Write(const grpc::ByteBuffer*, grpc::WriteOptions) override { ++writes; }
  void WriteAndFinish(const grpc::ByteBuffer*, grpc::WriteOptions, grpc::Status) override {}
  int reads = 0, writes = 0;
  int ended_with = -1;
  bool was_locked = false;  // and would be unlocked after it is gone

 private:
  grpc::internal::ServerReactor* reactor() override { return reactor_; }
  void CallOnDone() override {}
  StreamReactor* const reactor_;
};

// The last answer comes from a worker's thread, which is no reaction: OnDone does not wait for it.
TEST(StreamReactorTest, NothingIsTouchedAfterFinish) {
  ByteBudget requests(1000), answers(1000);
  std::atomic<int> in_flight = 0;
  const std::atomic<bool> draining = false;
  Refusals refusals;
  metrics::Metrics metrics(worker::Hello(), "test");
  const grpc::CallbackServerContext context;
  auto* reactor = new StreamReactor({&context,
                                     nullptr,
                                     &refusals,
                                     &metrics,
                                     &in_flight,
                                     &draining,
                                     &requests,
                                     &answers,
                                     nullptr,
                                     {},
                                     "id",
                                     "",
                                     {},
                                     {},
                                     1000,
                                     nullptr});
  QuickCall call(reactor);
  StreamReactorPeer peer(reactor);
  EXPECT_EQ(call.reads, 1);
  EXPECT_EQ(call.writes, 1);
  peer.OpenItem(1);
  reactor->OnCancel();
  reactor->OnWriteDone(false);
  reactor->OnReadDone(false);
  EXPECT_EQ(call.ended_with, -1);
  peer.Answer(1);
  EXPECT_EQ(call.ended_with, grpc::StatusCode::CANCELLED);
  EXPECT_FALSE(call.was_locked);
}

}  // namespace
}  // namespace kiln::server
