// Which jobs wait for which: shares of the workers and of a full queue, by address and by
// connection, over TCP, a Unix-domain socket and a proxy. bench_fairness measures the times.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/testing/await.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/fairness_client.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using Stub = kiln::v1::Compiler::Stub;
using Headers = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<Stub> StubOn(std::shared_ptr<grpc::Channel> channel) {
  return kiln::v1::Compiler::NewStub(std::move(channel));
}

// Waiting calls, each in a separate thread.
class Waiting {
 public:
  ~Waiting() { Join(); }
  void Begin(Stub* stub, uint32_t seed, const Headers& headers, const std::string& fault,
             int words = 16) {
    const size_t call = statuses_.size();
    statuses_.emplace_back();
    contexts_.push_back(std::make_unique<grpc::ClientContext>());
    threads_.emplace_back([this, stub, seed, headers, fault, words, call] {
      grpc::ClientContext* context = contexts_[call].get();
      if (!fault.empty()) context->AddMetadata("kiln-fault", fault);
      for (const auto& [name, value] : headers) context->AddMetadata(name, value);
      CompileRequest request;
      request.set_spirv(worker::FakeModule(seed, words));
      request.add_targets("tgl");
      CompileResponse response;
      statuses_[call] = stub->Compile(context, request, &response);
    });
  }
  void Cancel() {
    for (auto& context : contexts_) context->TryCancel();
  }
  void Join() {
    for (auto& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  size_t Refused() {
    Join();
    size_t refused = 0;
    for (const auto& status : statuses_) refused += status.error_code() == grpc::UNAVAILABLE;
    return refused;
  }
  // Reserves the space, because threads keep references.
  Waiting() {
    statuses_.reserve(64);
    contexts_.reserve(64);
  }

 private:
  std::vector<grpc::Status> statuses_;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts_;
  std::vector<std::thread> threads_;
};

class FairnessTest : public testing::Test {
 protected:
  void Start(std::vector<std::string> flags) {
    flags.push_back("--enable-fault-injection");
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }
  double Metric(const std::string& name) { return kilnd_->Metric(name); }
  // Starts one job that runs for long, and fills a queue of four.
  void FillQueue(Waiting* waiting, Stub* stub, const Headers& headers = {}) {
    waiting->Begin(stub, 1000, headers, "slow::1500");
    ASSERT_TRUE(Await([&] { return Metric("kiln_workers_busy") == 1; }));
    for (uint32_t i = 1; i <= 4; ++i) waiting->Begin(stub, 1000 + i, headers, "");
    ASSERT_TRUE(Await([&] { return Metric("kiln_queue_depth{queue=\"worker\"}") == 4; }));
  }
  std::shared_ptr<grpc::Channel> From(const std::string& source) {
    return ChannelFrom(source, kilnd_->address());
  }

  std::unique_ptr<KilndProcess> kilnd_;
};

constexpr char kDisplaced[] = "kiln_queue_displaced_total";

TEST_F(FairnessTest, AFullQueueRefusesTheAddressOfWhomMostWaits) {
  Start({"--workers=1", "--queue=4"});
  auto bulk = StubOn(From("127.0.0.1")), other = StubOn(From("127.0.0.2"));
  Waiting crowd, late;
  FillQueue(&crowd, bulk.get());
  late.Begin(other.get(), 1, {}, "");
  EXPECT_TRUE(Await([&] { return Metric(kDisplaced) == 1; }));
  EXPECT_EQ(late.Refused(), 0u);
  EXPECT_EQ(crowd.Refused(), 1u);
}

TEST_F(FairnessTest, OfOneAddressTheConnectionOfWhichMostWaits) {
  for (const char* listen : {"127.0.0.1:0", "unix:fairness_test/kilnd.sock"}) {
    Start({std::string("--listen=") + listen, "--workers=1", "--queue=4"});
    auto bulk = kilnd_->Stub(), other = kilnd_->Stub();
    Waiting crowd, late;
    FillQueue(&crowd, bulk.get());
    late.Begin(other.get(), 1, {}, "");
    EXPECT_TRUE(Await([&] { return Metric(kDisplaced) == 1; })) << listen;
    EXPECT_EQ(late.Refused(), 0u) << listen;
    EXPECT_EQ(crowd.Refused(), 1u) << listen;
  }
}

TEST_F(FairnessTest, ThroughATrustedProxyTheAddressThatItForwardsCounts) {
  Start({"--workers=1", "--queue=4", "--trusted-proxies=127.0.0.1"});
  auto proxy = StubOn(From("127.0.0.1"));
  Waiting crowd, late;
  FillQueue(&crowd, proxy.get(), {{"x-forwarded-for", "198.51.100.1"}});
  late.Begin(proxy.get(), 1, {{"x-forwarded-for", "198.51.100.1, 198.51.100.2"}}, "");
  EXPECT_TRUE(Await([&] { return Metric(kDisplaced) == 1; }));
  EXPECT_EQ(late.Refused(), 0u);
  EXPECT_EQ(crowd.Refused(), 1u);
}

TEST_F(FairnessTest, AndOfTheConnectionsThatItNames) {
  Start({"--workers=1", "--queue=4", "--trusted-proxies=127.0.0.1"});
  auto proxy = StubOn(From("127.0.0.1"));
  const auto client = [](const char* connection) {
    return Headers{{"x-forwarded-for", "198.51.100.1"}, {"kiln-client-connection", connection}};
  };
  Waiting crowd, late;
  FillQueue(&crowd, proxy.get(), client("7"));
  late.Begin(proxy.get(), 1, client("8"), "");
  EXPECT_TRUE(Await([&] { return Metric(kDisplaced) == 1; }));
  EXPECT_EQ(late.Refused(), 0u);
  EXPECT_EQ(crowd.Refused(), 1u);
}

TEST_F(FairnessTest, OnlyATrustedProxysHeaderIsBelieved) {
  Start({"--workers=1", "--queue=4", "--trusted-proxies=127.0.0.1"});
  auto liar = StubOn(From("127.0.0.2"));
  Waiting crowd, late;
  FillQueue(&crowd, liar.get(), {{"x-forwarded-for", "198.51.100.1"}});
  late.Begin(liar.get(), 1, {{"x-forwarded-for", "198.51.100.2"}, {"kiln-client-connection", "8"}},
             "");
  EXPECT_EQ(late.Refused(), 1u) << "of its own connection four wait";
  EXPECT_EQ(Metric(kDisplaced), 0);
  EXPECT_EQ(crowd.Refused(), 0u);
}

// A client has as many bytes of requests in flight as it may, all of which wait for the worker:
// hits of its address' other connections and of other addresses have room.
TEST_F(FairnessTest, TheBytesOfOneClientsRequestsLeaveRoomForOthers) {
  Start({"--workers=1", "--queue=64", "--request-bytes=4MiB"});
  auto bulk = StubOn(From("127.0.0.1"));
  constexpr int kWords = 50'000;
  Waiting first, crowd, hits;
  first.Begin(bulk.get(), 1, {}, "", kWords);
  ASSERT_EQ(first.Refused(), 0u);
  for (uint32_t i = 0; i < 30; ++i) crowd.Begin(bulk.get(), 100 + i, {}, "slow::20000", kWords);
  ASSERT_TRUE(Await([&] { return Metric("kiln_shed_total{reason=\"request_bytes\"}") >= 5; }));
  for (const char* source : {"127.0.0.2", "127.0.0.1"}) {
    auto other = StubOn(From(source));
    for (int i = 0; i < 10; ++i) hits.Begin(other.get(), 1, {}, "", kWords);
    EXPECT_EQ(hits.Refused(), 0u) << source;
  }
  EXPECT_EQ(Metric("kiln_workers_busy"), 1);
  crowd.Cancel();
}

// All workers are busy for 20 s and more jobs wait; a miss of another client, on a separate
// connection, waits for none of them.
TEST_F(FairnessTest, AShortJobOfAnotherDoesNotWaitForARunningOne) {
  Start({"--workers=2", "--spare-workers=1"});
  for (const char* source : {"127.0.0.2", "127.0.0.1"}) {
    auto bulk = StubOn(From("127.0.0.1")), other = StubOn(From(source));
    Waiting crowd, quick;
    for (uint32_t i = 0; i < 10; ++i) crowd.Begin(bulk.get(), i, {}, "slow::20000");
    ASSERT_TRUE(Await([&] { return Metric("kiln_queue_depth{queue=\"worker\"}") == 8; }));
    const double before = Metric("kiln_express_jobs_total");
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t i = 0; i < 3; ++i) {
      quick.Begin(other.get(), 100 + i + (source[8] == '1' ? 100 : 0), {}, "");
      EXPECT_EQ(quick.Refused(), 0u);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << source;
    EXPECT_EQ(Metric("kiln_express_jobs_total"), before + 3);
    crowd.Cancel();
    crowd.Join();
    ASSERT_TRUE(Await([&] { return Metric("kiln_workers_busy") == 0; }));
  }
}

// As above, but each slow module has a separate connection, of which the daemon knows nothing yet.
TEST_F(FairnessTest, NorForOneOfACrowdOfConnectionsWithOneEach) {
  Start({"--workers=2", "--spare-workers=1"});
  std::vector<std::unique_ptr<Stub>> stubs;
  Waiting crowd, quick;
  for (uint32_t i = 0; i < 12; ++i) {
    stubs.push_back(StubOn(From("127.0.0.1")));
    crowd.Begin(stubs.back().get(), i, {}, "slow::20000");
  }
  ASSERT_TRUE(Await([&] { return Metric("kiln_queue_depth{queue=\"worker\"}") >= 9; }));
  auto other = StubOn(From("127.0.0.2"));
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < 3; ++i) {
    quick.Begin(other.get(), 100 + i, {}, "");
    EXPECT_EQ(quick.Refused(), 0u);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_GE(Metric("kiln_worker_exits_total{reason=\"preempted\"}"), 1);
  crowd.Cancel();
  crowd.Join();
}

// A client that retries at once gets its refusals late, since its number of retries is a cost to
// others.
TEST_F(FairnessTest, WhoComesAgainAtOnceIsRefusedAFewHundredTimes) {
  Start({"--worker-binary=server/worker/testing/faulty_worker", "--workers=1", "--queue=4",
         "--spare-workers=1"});
  constexpr int kSlow = 300;  // loops of a module that takes some time
  Crowd crowd{kilnd_->address(), "127.0.0.1", 4, 512, 0, kSlow, 1'000'000};
  crowd.hostile = true;
  const auto start = std::chrono::steady_clock::now();
  CrowdProcess flood(crowd);
  std::this_thread::sleep_for(std::chrono::seconds(4));
  EXPECT_GT(Metric("kiln_refusals_held"), 100);
  const double refused = Metric("kiln_shed_total{reason=\"queue_full\"}");
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto jobs = static_cast<double>(flood.Look().answered);
  // All 512 once; then retries of those that were refused: a hundred at once, a hundred a second,
  // and two for each job that left room.
  EXPECT_LE(refused, 512 + 100 + 100 * seconds + 2 * jobs);
  EXPECT_GT(refused, 512) << "and it came again";
}

// Calls of a client that leaves are dropped, although their refusals were still pending.
TEST_F(FairnessTest, WhoLeavesIsNotHeld) {
  Start({"--worker-binary=server/worker/testing/faulty_worker", "--workers=1", "--queue=4"});
  {
    CrowdProcess flood({kilnd_->address(), "127.0.0.1", 4, 1000, 0, 300, 1'000'000});
    ASSERT_TRUE(Await([&] { return Metric("kiln_refusals_held") > 500; }));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(Await([&] { return Metric("kiln_refusals_held") == 0; }));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5))
      << "their turns would have come in up to 9 s";
}

// Items of a stream are held like calls, and end with it.
TEST_F(FairnessTest, ItemsOfAStreamAreRefusedAsSlowly) {
  Start({"--workers=1", "--queue=4"});
  auto stub = StubOn(From("127.0.0.1"));
  grpc::ClientContext context;
  context.AddMetadata("kiln-fault", "slow::20000");
  auto stream = stub->CompileStream(&context);
  constexpr uint64_t kItems = 60;
  kiln::v1::StreamRequest request;
  request.mutable_request()->add_targets("tgl");
  const auto send = [&](uint64_t item) {
    request.set_item(item);
    request.mutable_request()->set_spirv(worker::FakeModule(static_cast<uint32_t>(item)));
    return stream->Write(request);
  };
  for (uint64_t item = 1; item <= kItems; ++item) ASSERT_TRUE(send(item));
  int refused = 0;
  std::thread stop([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    context.TryCancel();
  });
  kiln::v1::StreamResponse response;
  while (stream->Read(&response)) {
    if (response.item() == 0) continue;
    EXPECT_EQ(response.error().code(), grpc::UNAVAILABLE);
    ++refused;
    if (!send(response.item())) break;
  }
  stop.join();
  stream->Finish().error_code();
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 100 + 100 * 5);
  EXPECT_TRUE(Await([&] { return Metric("kiln_refusals_held") == 0; }));
}

// With the real compiler, whose jobs take processor time.
TEST_F(FairnessTest, OpeningConnectionsGainsNothing) {
  Start({"--worker-binary=server/worker/testing/faulty_worker", "--workers=2", "--queue=4096",
         "--spare-workers=1"});
  constexpr int kEach = 1500;
  CrowdProcess many({kilnd_->address(), "127.0.0.1", 64, 256, 0, 0, 1'000'000});
  CrowdProcess one({kilnd_->address(), "127.0.0.2", 1, 256, 0, 0, 2'000'000});
  ASSERT_TRUE(Await([&] { return many.Look().answered > 50 && one.Look().answered > 50; }));
  const uint64_t many_before = many.Look().answered, one_before = one.Look().answered;
  EXPECT_TRUE(Await([&] { return one.Look().answered >= one_before + kEach; }));
  const double ratio = static_cast<double>(many.Look().answered - many_before) /
                       static_cast<double>(one.Look().answered - one_before);
  EXPECT_NEAR(ratio, 1, 0.15) << "64 connections as against one, jobs of the same length";
}

}  // namespace
}  // namespace kiln::test

int main(int argc, char** argv) {
  if (kiln::test::RunIfCrowd(argc, argv)) return 0;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
