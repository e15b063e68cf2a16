// The stream client against a daemon made for the test: digests first, credits, broken
// calls, shed items, Stop.
#include "client/service/stream_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"

namespace kiln::client {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::StreamRequest;
using kiln::v1::StreamResponse;
using kiln::v1::TargetResult;
using testing::HasSubstr;

constexpr size_t kCredits = 8;

class FakeDaemon : public kiln::v1::Compiler::Service {
 public:
  grpc::Status GetCapabilities(grpc::ServerContext*, const kiln::v1::GetCapabilitiesRequest*,
                               kiln::v1::Capabilities* response) override {
    response->set_version("fake");
    auto* target = response->add_targets();
    target->set_name("tgl");
    target->set_code_generation_version(compiler);
    response->mutable_limits()->set_max_message_bytes(most_message);
    return grpc::Status::OK;
  }

  // Remembers what it has compiled.
  grpc::Status CompileStream(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<StreamResponse, StreamRequest>* stream) override {
    ++calls;
    if (deaf > 0 && --deaf >= 0) {
      while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
      return grpc::Status::CANCELLED;
    }
    StreamResponse hello;
    hello.set_credits(kCredits);
    stream->Write(hello);
    if (reads_nothing > 0 && --reads_nothing >= 0) {
      while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
      return grpc::Status::CANCELLED;
    }
    StreamRequest item;
    for (int n = 0; stream->Read(&item); ++n) {
      bytes += static_cast<int64_t>(item.ByteSizeLong());
      if (hang) {
        while (!context->IsCancelled()) absl::SleepFor(absl::Milliseconds(1));
        return grpc::Status::CANCELLED;
      }
      if (item.ByteSizeLong() > most_bytes) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "large"};
      if (break_after == 1) absl::SleepFor(absl::Milliseconds(slow_ms.load()));
      if (break_after > 0 && --break_after == 0) return {break_with, "broken"};
      if (chunk_bytes == 0) {
        stream->Write(AnswerTo(item));
      } else {
        WriteInChunks(AnswerTo(item), stream);
      }
    }
    return grpc::Status::OK;
  }

  grpc::Status Compile(grpc::ServerContext*, const CompileRequest* request,
                       kiln::v1::CompileResponse* response) override {
    ++single;
    if (request->ByteSizeLong() > most_bytes)
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "large"};
    StreamRequest item;
    *item.mutable_request() = *request;
    *response = AnswerTo(item).response();
    return grpc::Status::OK;
  }

  std::atomic<int> single{0}, deaf{0}, reads_nothing{0};
  std::atomic<uint64_t> most_message{100000};
  std::atomic<size_t> most_bytes{size_t{1} << 30};
  std::atomic<int> calls{0}, break_after{0}, shed{0}, sources{0}, digests{0}, slow_ms{0};
  std::atomic<int64_t> bytes{0};
  std::atomic<bool> hang{false};
  std::atomic<grpc::StatusCode> break_with{grpc::StatusCode::UNAVAILABLE};
  std::atomic<uint32_t> compiler{6};
  std::atomic<size_t> chunk_bytes{0};
  std::atomic<int> again{0};  // items sent after their result had been sent

 private:
  void WriteInChunks(const StreamResponse& whole,
                     grpc::ServerReaderWriter<StreamResponse, StreamRequest>* stream) {
    const std::string bytes = whole.response().SerializeAsString();
    for (size_t at = 0; at < bytes.size(); at += chunk_bytes) {
      StreamResponse part;
      part.set_item(whole.item());
      part.mutable_chunk()->set_data(bytes.substr(at, chunk_bytes));
      part.mutable_chunk()->set_last(at + chunk_bytes >= bytes.size());
      stream->Write(part);
    }
  }

  StreamResponse AnswerTo(const StreamRequest& item) {
    StreamResponse answer;
    answer.set_item(item.item());
    const CompileRequest& request = item.request();
    if (request.targets(0) == "mars") {
      answer.mutable_error()->set_code(grpc::StatusCode::INVALID_ARGUMENT);
      auto* v = answer.mutable_error()->add_violations();
      v->set_field("targets");
      v->set_description("there is no such target");
      return answer;
    }
    if (shed > 0 && --shed >= 0) {
      answer.mutable_error()->set_code(grpc::StatusCode::UNAVAILABLE);
      answer.mutable_error()->set_retry_after_ms(5);
      return answer;
    }
    const bool digest = request.has_digest();
    ++(digest ? digests : sources);
    const std::string& name = request.entry_point();
    absl::MutexLock lock(&mutex_);
    if (!digest) known_.insert(name);
    if (request.stage() == "once") again += !(digest ? seen_ : sent_).insert(name).second;
    auto* result = answer.mutable_response()->add_results();
    result->set_target(request.targets(0));
    result->set_entry_point(name);
    result->set_status(known_.count(name) != 0 ? TargetResult::OK : TargetResult::NOT_CACHED);
    return answer;
  }
  absl::Mutex mutex_;
  std::set<std::string> known_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> seen_ ABSL_GUARDED_BY(mutex_), sent_ ABSL_GUARDED_BY(mutex_);
};

class StreamClientTest : public testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&daemon_);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10);
    server_ = builder.BuildAndStart();
    ClientOptions options;
    options.server = absl::StrCat("127.0.0.1:", port);
    options.retry.first_delay = absl::Milliseconds(5);
    options.retry.patience = absl::Milliseconds(500);
    Connect(options);
  }
  void Connect(const ClientOptions& options) {
    options_ = options;
    auto client = Client::Connect(options);
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = std::make_unique<StreamClient>(*std::move(client));
  }
  void TearDown() override {
    client_.reset();
    server_->Shutdown(std::chrono::system_clock::now());
  }

  static CompileRequest Request(int n) {
    CompileRequest request;
    request.set_spirv(std::string(1000, static_cast<char>(n)));
    request.set_entry_point(absl::StrCat("e", n));
    request.add_targets("tgl");
    return request;
  }
  // Compiles items 0 to count - 1 by `threads` threads; returns the number of correct results.
  int CompileAll(int count, int threads) {
    std::atomic<int> next{0}, good{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        for (int n = next++; n < count; n = next++) {
          const auto response = client_->Compile(Request(n));
          good += response.ok() && response->results(0).status() == TargetResult::OK &&
                  response->results(0).entry_point() == absl::StrCat("e", n);
        }
      });
    }
    for (std::thread& t : all) t.join();
    return good;
  }

  FakeDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
  ClientOptions options_;
  std::unique_ptr<StreamClient> client_;
};

TEST_F(StreamClientTest, SourcesGoOnAMissOnlyAndOverOneCall) {
  EXPECT_EQ(CompileAll(100, 16), 100);  // more threads than credits
  EXPECT_EQ(daemon_.digests, 100);
  EXPECT_EQ(daemon_.sources, 100);
  const int64_t missed = daemon_.bytes.exchange(0);
  EXPECT_EQ(CompileAll(100, 16), 100);
  EXPECT_EQ(daemon_.digests, 200);
  EXPECT_EQ(daemon_.sources, 100);
  EXPECT_EQ(daemon_.calls, 1);
  EXPECT_LT(10 * daemon_.bytes, missed);
}

TEST_F(StreamClientTest, ABrokenCallIsMadeAgain) {
  daemon_.break_after = 37;
  EXPECT_EQ(CompileAll(100, 8), 100);
  EXPECT_EQ(daemon_.calls, 2);
}

TEST_F(StreamClientTest, PatienceBeginsWithTheLoss) {
  daemon_.break_after = 3;
  daemon_.slow_ms = 700;  // longer than the client waits for a lost daemon
  EXPECT_EQ(CompileAll(20, 4), 20);
  EXPECT_EQ(daemon_.calls, 2);
}

TEST_F(StreamClientTest, ShedItemsComeAgain) {
  daemon_.shed = 20;
  EXPECT_EQ(CompileAll(50, 8), 50);
  EXPECT_EQ(daemon_.calls, 1);
}

// A daemon or proxy that shuts down ends the call; the client has not cancelled it.
TEST_F(StreamClientTest, ACallThatOthersCancelIsMadeAgain) {
  daemon_.break_with = grpc::StatusCode::CANCELLED;
  daemon_.break_after = 37;
  EXPECT_EQ(CompileAll(100, 8), 100);
  EXPECT_EQ(daemon_.calls, 2);
}

TEST_F(StreamClientTest, WhatWasAnsweredIsNotSentAgain) {
  for (int round = 1; round <= 5; ++round) {
    daemon_.break_after = 20 * round;
    std::atomic<int> next{0}, good{0};
    std::vector<std::thread> all;
    for (int t = 0; t < 8; ++t) {
      all.emplace_back([&, round] {
        for (int n = next++; n < 100; n = next++) {
          CompileRequest request = Request(n);
          request.set_stage("once");
          request.set_entry_point(absl::StrCat("round ", round, " item ", n));
          good += client_->Compile(request).ok();
        }
      });
    }
    for (std::thread& t : all) t.join();
    EXPECT_EQ(good, 100);
  }
  EXPECT_EQ(daemon_.again, 0);
  EXPECT_EQ(daemon_.calls, 6);
}

TEST_F(StreamClientTest, ADaemonThatShedsEverythingIsGivenUpByAllAtOnce) {
  daemon_.shed = 1 << 30;
  std::atomic<int> unavailable{0};
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t) {
    all.emplace_back([&, t] {
      const absl::Status status = client_->Compile(Request(t)).status();
      unavailable += absl::IsUnavailable(status);
      EXPECT_THAT(std::string(status.message()), HasSubstr("has refused work for"));
    });
  }
  std::optional<Away> away;
  const bool is_away = Await([&] { return (away = client_->CurrentlyAway()).has_value(); });
  for (std::thread& t : all) t.join();
  ASSERT_TRUE(is_away);
  EXPECT_TRUE(away->sheds);
  EXPECT_EQ(unavailable, 8);
}

TEST_F(StreamClientTest, StopEndsTheWaitForADaemonThatIsAway) {
  options_.retry.patience = absl::Seconds(600);
  Connect(options_);
  EXPECT_TRUE(client_->Compile(Request(1)).ok());
  server_->Shutdown(std::chrono::system_clock::now());
  std::vector<std::thread> all;
  for (int t = 0; t < 8; ++t) {
    all.emplace_back(
        [&, t] { EXPECT_TRUE(absl::IsCancelled(client_->Compile(Request(t)).status())); });
  }
  EXPECT_TRUE(Await([&] { return client_->CurrentlyAway().has_value(); }));
  absl::SleepFor(absl::Milliseconds(300));
  client_->Stop();
  for (std::thread& t : all) t.join();
}

TEST_F(StreamClientTest, ADaemonThatComesBackWithAnotherCompilerIsANotice) {
  daemon_.break_after = 10;
  EXPECT_EQ(CompileAll(20, 4), 20);
  EXPECT_EQ(client_->TakeNotice(), "");  // the same one
  daemon_.compiler = 7;
  daemon_.break_after = 10;
  EXPECT_EQ(CompileAll(40, 4), 40);
  EXPECT_THAT(client_->TakeNotice(),
              HasSubstr("another compiler (code-generation versions: tgl 7; before: tgl 6)"));
  EXPECT_EQ(client_->TakeNotice(), "");
}

TEST_F(StreamClientTest, ChunksArePutTogether) {
  daemon_.chunk_bytes = 7;
  EXPECT_EQ(CompileAll(100, 16), 100);
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_F(StreamClientTest, WhatCannotBeSentDoesNotBreakTheCall) {
  CompileRequest large = Request(1);
  large.set_spirv(std::string(200000, 'x'));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Compile(large).status()));
  CompileRequest text = Request(1);
  text.mutable_glsl()->set_name("\xff");
  EXPECT_EQ(client_->Compile(text).status(),
            absl::InvalidArgumentError("glsl.name: not UTF-8: byte 0xff at offset 0"));
  EXPECT_EQ(CompileAll(20, 4), 20);
  EXPECT_EQ(daemon_.calls, 1);
}

TEST_F(StreamClientTest, ADaemonThatIsConnectedButSaysNothingIsTriedAgain) {
  options_.keepalive = absl::Milliseconds(500);
  options_.retry.patience = absl::Seconds(60);
  Connect(options_);
  daemon_.deaf = 1;
  EXPECT_EQ(CompileAll(20, 4), 20);
  EXPECT_GE(daemon_.calls, 2);
}

// The daemon answers pings, so that its connection lives; sent data fills the transport's window.
TEST_F(StreamClientTest, ADaemonThatReadsNothingIsTriedAgainWhilePatienceLasts) {
  daemon_.most_message = uint64_t{64} << 20;
  options_.keepalive = absl::Milliseconds(500);
  options_.retry.patience = absl::Seconds(60);
  Connect(options_);
  auto large = [](int n) {
    CompileRequest request = Request(n);
    request.set_entry_point(
        std::string(2'000'000, static_cast<char>('a' + n)));  // with the digest, too
    return request;
  };
  auto statuses = [&] {
    std::vector<absl::Status> all(6);
    std::vector<std::thread> threads;
    for (int n = 0; n < 6; ++n) {
      threads.emplace_back(
          [&, n] { all[static_cast<size_t>(n)] = client_->Compile(large(n)).status(); });
    }
    for (std::thread& t : threads) t.join();
    return all;
  };
  daemon_.reads_nothing = 1;
  for (const absl::Status& status : statuses()) EXPECT_TRUE(status.ok()) << status;
  EXPECT_GE(daemon_.calls, 2);

  daemon_.reads_nothing = 1000;
  options_.retry.patience = absl::Seconds(1);
  Connect(options_);
  for (const absl::Status& status : statuses()) {
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("reads nothing"));
  }
}

// The deadline of an item holds also while other items are being written.
TEST_F(StreamClientTest, AnItemAfterAStuckOneHasItsDeadline) {
  daemon_.most_message = uint64_t{64} << 20;
  options_.call_timeout = absl::Milliseconds(300);
  options_.keepalive = absl::Seconds(1);
  Connect(options_);
  daemon_.reads_nothing = 1000;
  CompileRequest large = Request(1);
  large.set_entry_point(std::string(2'000'000, 'a'));
  std::vector<std::thread> stuck;
  for (int n = 0; n < 6; ++n) {
    stuck.emplace_back([&] { EXPECT_FALSE(client_->Compile(large).ok()); });
  }
  absl::SleepFor(absl::Milliseconds(200));
  const absl::Status status = client_->Compile(large).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  for (std::thread& t : stuck) t.join();
}

// Like gRPC with a message over the receiver's bound: ends the call, for all items.
TEST_F(StreamClientTest, AnItemThatIsTooLargeForTheReceiverSpoilsNoOther) {
  daemon_.most_bytes = 10000;
  std::atomic<int> refused{0};
  std::thread large([&] {
    for (int n = 0; n < 5; ++n) {
      CompileRequest request = Request(n);
      request.set_spirv(std::string(20000, static_cast<char>(n)));
      request.set_entry_point("large");
      refused += absl::IsResourceExhausted(client_->Compile(request).status());
    }
  });
  EXPECT_EQ(CompileAll(100, 7), 100);
  large.join();
  EXPECT_EQ(refused, 5);
  EXPECT_LT(daemon_.single, 5 * 2 * 8 + 1);
}

TEST_F(StreamClientTest, WhatIsWrongWithAnItemIsItsOwn) {
  CompileRequest wrong = Request(1);
  wrong.set_targets(0, "mars");
  const auto response = client_->Compile(wrong);
  EXPECT_TRUE(absl::IsInvalidArgument(response.status())) << response.status();
  EXPECT_THAT(std::string(response.status().message()),
              HasSubstr("targets: there is no such target"));
  EXPECT_TRUE(client_->Compile(Request(2)).ok());
}

TEST_F(StreamClientTest, StopEndsWhatWaits) {
  daemon_.hang = true;
  std::thread stopper([this] {
    absl::SleepFor(absl::Milliseconds(100));
    client_->Stop();
  });
  EXPECT_FALSE(client_->Compile(Request(1)).ok());
  stopper.join();
  EXPECT_TRUE(absl::IsCancelled(client_->Compile(Request(2)).status()));
}

}  // namespace
}  // namespace kiln::client
