// kilnd end to end: a real daemon process, real workers (with the compiler double inside), gRPC.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "core/base/testing/await.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "proto/error_details.pb.h"
#include "server/key/source_digest.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::SourceDigest;
using kiln::v1::StreamRequest;
using kiln::v1::StreamResponse;
using kiln::v1::TargetResult;
using worker::FakeModule;

CompileRequest Request(uint32_t seed, const std::vector<std::string>& targets = {"tgl"}) {
  CompileRequest request;
  request.set_spirv(FakeModule(seed));
  for (auto& t : targets) request.add_targets(t);
  request.mutable_outputs()->set_binary(true);
  return request;
}

CompileRequest DigestOnly(uint32_t seed) {
  CompileRequest request = Request(seed);
  auto digest = cache::SpirvDigest(request.spirv());
  request.mutable_digest()->set_kind(SourceDigest::SPIRV);
  request.mutable_digest()->set_sha256(std::string(cache::AsBytes(digest)));
  return request;
}

struct Outcome {
  grpc::Status status;
  CompileResponse response;
  const TargetResult& result() const { return response.results(0); }
};

class E2eTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/e2e_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void Start(std::vector<std::string> flags = {}) {
    flags.push_back("--cache-dir=" + dir_ + "/cache");
    flags.push_back("--enable-fault-injection");
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
    stub_ = kilnd_->Stub();
  }
  Outcome Compile(const CompileRequest& request, const std::string& fault = "",
                  int deadline_ms = 60'000) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(deadline_ms));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    Outcome outcome;
    outcome.status = stub_->Compile(&context, request, &outcome.response);
    return outcome;
  }
  void AwaitMetric(const std::string& name, double value) {
    EXPECT_TRUE(Await([&] { return kilnd_->Metric(name) == value; }))
        << name << " is " << kilnd_->Metric(name);
  }

  std::string dir_;
  std::unique_ptr<KilndProcess> kilnd_;
  std::unique_ptr<kiln::v1::Compiler::Stub> stub_;
};

TEST_F(E2eTest, MissThenMemoryThenDiskAfterRestart) {
  Start();
  Outcome first = Compile(Request(1, {"tgl", "skl"}));
  ASSERT_TRUE(first.status.ok()) << first.status.error_message();
  ASSERT_EQ(first.response.results_size(), 2);
  for (const auto& r : first.response.results()) {
    EXPECT_EQ(r.status(), TargetResult::OK);
    EXPECT_EQ(r.cache(), kiln::v1::CACHE_MISS);
    EXPECT_EQ(r.key().size(), 64u);
    EXPECT_FALSE(r.variants(0).code().empty());
    EXPECT_GT(r.timings().service_ns(), 0);
    EXPECT_EQ(r.timings().compile_ns(), 2000);
  }
  EXPECT_NE(first.response.results(0).key(), first.response.results(1).key());
  Outcome second = Compile(DigestOnly(1));
  EXPECT_EQ(second.result().cache(), kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(second.result().variants(0).code(), first.result().variants(0).code());
  EXPECT_EQ(second.result().key(), first.result().key());
  kilnd_->Signal(SIGTERM);
  ASSERT_EQ(kilnd_->Wait(), 0) << kilnd_->log();
  Start();
  Outcome third = Compile(DigestOnly(1));
  EXPECT_EQ(third.result().cache(), kiln::v1::CACHE_DISK);
  EXPECT_EQ(third.result().variants(0).code(), first.result().variants(0).code());
  EXPECT_EQ(Compile(DigestOnly(1)).result().cache(), kiln::v1::CACHE_MEMORY);
}

TEST_F(E2eTest, KillNineLosesNothingAcknowledged) {
  uint32_t next = 1;
  for (int round = 0; round < 4; ++round) {
    Start();
    // Everything acknowledged before is served, from disk.
    for (uint32_t seed = 1; seed < next; ++seed) {
      Outcome outcome = Compile(DigestOnly(seed));
      ASSERT_TRUE(outcome.status.ok());
      ASSERT_EQ(outcome.result().status(), TargetResult::OK) << seed << " in round " << round;
      ASSERT_EQ(outcome.result().cache(), kiln::v1::CACHE_DISK);
    }
    // Killed at a moment unrelated to the daemon's work: a few acknowledgements and some hundred
    // microseconds into a round.
    std::atomic<uint32_t> acknowledged = 0;
    std::thread killer([&] {
      const uint32_t enough = 5u + 9u * static_cast<uint32_t>(round);
      EXPECT_TRUE(Await([&] { return acknowledged >= enough; }));
      std::this_thread::sleep_for(std::chrono::microseconds(300 * round));
      kilnd_->Signal(SIGKILL);
    });
    for (;;) {
      Outcome outcome = Compile(Request(next));
      if (!outcome.status.ok()) break;
      EXPECT_EQ(outcome.result().status(), TargetResult::OK);
      ++next;
      ++acknowledged;
    }
    killer.join();
    ASSERT_EQ(kilnd_->Wait(), 128 + SIGKILL);
  }
  EXPECT_GE(next, 74u);
}

TEST_F(E2eTest, WorkersDieWithTheDaemon) {
  Start({"--workers=3"});
  std::vector<pid_t> children = kilnd_->Children();
  ASSERT_EQ(children.size(), 3u);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  EXPECT_TRUE(Await([&] {
    std::erase_if(children, [](pid_t id) {
      std::ifstream stat("/proc/" + std::to_string(id) + "/stat");
      std::string pid, name, state;
      return !(stat >> pid >> name >> state) || state == "Z";
    });
    return children.empty();
  }));
}

TEST_F(E2eTest, ADeathIsOneRequestsResult) {
  Start({"--workers=2", "--job-time=4s"});
  std::atomic<bool> stop = false;
  std::atomic<int> good = 0, bad = 0;
  std::thread others([&] {
    for (uint32_t seed = 1000; !stop; ++seed) {
      Outcome outcome = Compile(Request(seed));
      bool ok = outcome.status.ok() && outcome.result().status() == TargetResult::OK;
      ++(ok ? good : bad);
    }
  });
  struct {
    const char* fault;
    TargetResult::Status status;
    const char* cause;
    const char* pass;
  } cases[] = {
      {"crash:fake_fold", TargetResult::CRASHED, "segmentation_fault", "fake_fold"},
      {"abort:fake_select", TargetResult::CRASHED, "assertion", "fake_select"},
      {"hang:fake_encode", TargetResult::TIMED_OUT, "wall_time_limit", "fake_encode"},
      {"syscall", TargetResult::CRASHED, "forbidden_system_call", "fake_import"},
  };
  uint32_t seed = 1;
  for (const auto& c : cases) {
    Outcome outcome = Compile(Request(seed), c.fault);
    ASSERT_TRUE(outcome.status.ok()) << c.fault << ": " << outcome.status.error_message();
    EXPECT_EQ(outcome.result().status(), c.status) << c.fault;
    EXPECT_EQ(outcome.result().cause(), c.cause);
    EXPECT_EQ(outcome.result().last_pass(), c.pass);
    EXPECT_EQ(outcome.result().target(), "tgl");
    // Not remembered: the same request without the fault compiles.
    Outcome again = Compile(Request(seed));
    EXPECT_EQ(again.result().status(), TargetResult::OK);
    EXPECT_EQ(again.result().cache(), kiln::v1::CACHE_MISS);
    ++seed;
  }
  stop = true;
  others.join();
  EXPECT_GT(good, 0);
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(kilnd_->Metric("kiln_worker_exits_total{reason=\"segv\"}"), 1);
  EXPECT_EQ(kilnd_->Metric("kiln_worker_exits_total{reason=\"timeout\"}"), 1);
}

TEST_F(E2eTest, MemoryLimitIsNamed) {
  Start({"--job-memory=512MiB"});
  Outcome outcome = Compile(Request(1), "allocate:fake_fold");
  EXPECT_EQ(outcome.result().status(), TargetResult::MEMORY_LIMIT);
  EXPECT_EQ(outcome.result().cause(), "memory_limit");
  EXPECT_EQ(outcome.result().last_pass(), "fake_fold");
}

TEST_F(E2eTest, TheOtherTargetsOfADeadJobAreStillCompiled) {
  Start();
  Outcome outcome = Compile(Request(1, {"tgl", "skl"}), "crash:fake_select");
  EXPECT_EQ(outcome.response.results(0).status(), TargetResult::CRASHED);
  EXPECT_EQ(outcome.response.results(1).status(), TargetResult::OK);
}

TEST_F(E2eTest, IdenticalRequestsInFlightCompileOnce) {
  Start({"--workers=2"});
  constexpr int kCallers = 8;
  std::vector<std::thread> threads;
  std::atomic<int> missed = 0, coalesced = 0, cached = 0;
  for (int i = 0; i < kCallers; ++i) {
    threads.emplace_back([&] {
      Outcome outcome = Compile(Request(7), "slow::1500");
      ASSERT_TRUE(outcome.status.ok());
      ASSERT_EQ(outcome.result().status(), TargetResult::OK);
      switch (outcome.result().cache()) {
        case kiln::v1::CACHE_MISS: ++missed; break;
        case kiln::v1::CACHE_COALESCED: ++coalesced; break;
        default: ++cached;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(missed, 1);
  EXPECT_GT(coalesced, 0);
  EXPECT_EQ(missed + coalesced + cached, kCallers);
  EXPECT_EQ(kilnd_->Metric("kiln_pass_runs_total{pass=\"fake_import\",target=\"any\"}"), 1);
}

TEST_F(E2eTest, ACompileIsCancelledOnlyWhenItsLastWaiterLeaves) {
  Start({"--workers=1"});
  auto start = std::chrono::steady_clock::now();
  std::thread leaver([&] {
    Outcome outcome = Compile(Request(7), "slow::4000", 1500);
    EXPECT_EQ(outcome.status.error_code(), grpc::DEADLINE_EXCEEDED);
  });
  AwaitMetric("kiln_workers_busy", 1);
  Outcome stayed = Compile(Request(7));
  leaver.join();
  EXPECT_EQ(stayed.result().status(), TargetResult::OK);
  EXPECT_EQ(stayed.result().cache(), kiln::v1::CACHE_COALESCED);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(3900));
}

TEST_F(E2eTest, ADeadlineStopsTheWorker) {
  Start({"--workers=1"});
  EXPECT_EQ(Compile(Request(1), "slow::60000", 1500).status.error_code(), grpc::DEADLINE_EXCEEDED);
  AwaitMetric("kiln_workers_busy", 0);
  EXPECT_EQ(kilnd_->Metric("kiln_worker_exits_total{reason=\"cancelled\"}"), 0) << "was polite";
  EXPECT_EQ(Compile(Request(2), "hang", 1500).status.error_code(), grpc::DEADLINE_EXCEEDED);
  AwaitMetric("kiln_worker_exits_total{reason=\"cancelled\"}", 1);
  // Neither call stored a result.
  EXPECT_EQ(Compile(Request(1)).result().cache(), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Compile(Request(2)).result().cache(), kiln::v1::CACHE_MISS);
}

TEST_F(E2eTest, CancellationReachesTheWorker) {
  Start({"--workers=1"});
  grpc::ClientContext context;
  context.AddMetadata("kiln-fault", "slow::60000");
  std::thread canceller([&] {
    AwaitMetric("kiln_workers_busy", 1);
    context.TryCancel();
  });
  CompileResponse response;
  grpc::Status status = stub_->Compile(&context, Request(1), &response);
  canceller.join();
  EXPECT_EQ(status.error_code(), grpc::CANCELLED);
  AwaitMetric("kiln_workers_busy", 0);
}

TEST_F(E2eTest, AFullQueueSaysWhenToRetry) {
  Start({"--workers=1", "--queue=1"});
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  std::vector<std::string> details(4);
  threads.emplace_back([&] { Compile(Request(1), "slow::3000"); });
  AwaitMetric("kiln_workers_busy", 1);
  for (uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Outcome outcome = Compile(Request(10 + i), "slow::10");
      if (outcome.status.error_code() == grpc::UNAVAILABLE) {
        ++refused;
        details[i] = outcome.status.error_details();
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(refused, 3);
  for (const std::string& d : details) {
    if (d.empty()) continue;
    google::rpc::Status status;
    google::rpc::RetryInfo retry;
    ASSERT_TRUE(status.ParseFromString(d));
    ASSERT_TRUE(status.details(0).UnpackTo(&retry));
    EXPECT_GT(retry.retry_delay().nanos(), 0);
  }
  EXPECT_EQ(kilnd_->Metric("kiln_shed_total{reason=\"queue_full\"}"), 3);
}

CompileRequest Large(uint32_t seed, int mebibytes) {
  CompileRequest request = Request(seed);
  request.set_spirv(FakeModule(seed, mebibytes << 18));
  return request;
}

TEST_F(E2eTest, BytesOfRequestsInFlightAreBounded) {
  Start({"--workers=1", "--request-bytes=4MiB"});
  std::thread slow([&] {
    Outcome outcome = Compile(Large(1, 3), "slow::3000");
    EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  });
  AwaitMetric("kiln_workers_busy", 1);
  EXPECT_GE(kilnd_->Metric("kiln_request_bytes"), 3 << 20);
  Outcome refused = Compile(Large(2, 2));
  EXPECT_EQ(refused.status.error_code(), grpc::UNAVAILABLE);
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.ParseFromString(refused.status.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&retry));
  EXPECT_GT(retry.retry_delay().seconds(), 0);
  Outcome never = Compile(Large(3, 5));
  EXPECT_EQ(never.status.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_NE(never.status.error_message().find("--request-bytes"), std::string::npos);
  EXPECT_EQ(Compile(DigestOnly(7)).status.error_code(), grpc::OK);
  slow.join();
  EXPECT_EQ(kilnd_->Metric("kiln_shed_total{reason=\"request_bytes\"}"), 2);
  AwaitMetric("kiln_request_bytes", 0);
  EXPECT_TRUE(Compile(Large(2, 2)).status.ok());
}

TEST_F(E2eTest, ItemsOfAStreamShareTheBoundOnBytes) {
  Start({"--workers=1", "--request-bytes=4MiB"});
  grpc::ClientContext context;
  auto stream = stub_->CompileStream(&context);
  kiln::v1::StreamRequest item;
  for (uint32_t i = 1; i <= 3; ++i) {
    item.set_item(i);
    *item.mutable_request() = Large(i, i == 3 ? 5 : 2);
    ASSERT_TRUE(stream->Write(item));
  }
  stream->WritesDone();
  std::map<uint64_t, int> codes;
  kiln::v1::StreamResponse response;
  while (stream->Read(&response)) {
    if (response.has_error()) codes[response.item()] = response.error().code();
    if (response.has_error()) {
      EXPECT_EQ(response.error().retry_after_ms() > 0,
                response.error().code() == grpc::UNAVAILABLE);
    }
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(codes[3], grpc::RESOURCE_EXHAUSTED);
  AwaitMetric("kiln_request_bytes", 0);
}

TEST_F(E2eTest, AnItemsNumberIsItsOwnUntilItIsAnswered) {
  Start();
  grpc::ClientContext context;
  context.AddMetadata("kiln-fault", "slow::1000");
  auto stream = stub_->CompileStream(&context);
  auto ask = [&](uint32_t word) {
    kiln::v1::StreamRequest item;
    item.set_item(1);
    *item.mutable_request() = Request(word);
    EXPECT_TRUE(stream->Write(item));
  };
  kiln::v1::StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));  // the credits
  ask(1);                              // has to wait
  ask(2);
  ASSERT_TRUE(stream->Read(&answer));
  ASSERT_EQ(answer.error().violations_size(), 1) << answer.DebugString();
  EXPECT_EQ(answer.error().violations(0).field(), "item");
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_TRUE(answer.has_response()) << answer.DebugString();
  // Hits finish before another item could take their number.
  for (int i = 0; i < 3; ++i) ask(1);
  stream->WritesDone();
  int hits = 0;
  for (; stream->Read(&answer); ++hits) {
    EXPECT_EQ(answer.response().results(0).cache(), kiln::v1::CACHE_MEMORY);
  }
  EXPECT_EQ(hits, 3);
  EXPECT_TRUE(stream->Finish().ok());
}

// Returns a process's maximum resident memory.
double PeakBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) * 1024;
  }
  return -1;
}

TEST_F(E2eTest, MemoryOfLargeRequestsIsBoundedAndGivenBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers keep what is freed";
#endif
  Start({"--workers=1", "--request-bytes=64MiB", "--max-message-bytes=64MiB",
         "--max-module-bytes=16MiB"});
  const CompileRequest request =
      Large(1, 60);  // beyond --max-module-bytes: refused when it is read
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&] {
      const auto stub = kilnd_->Stub();
      grpc::ClientContext context;
      CompileResponse response;
      const grpc::Status status = stub->Compile(&context, request, &response);
      EXPECT_TRUE(status.error_code() == grpc::INVALID_ARGUMENT ||
                  status.error_code() == grpc::RESOURCE_EXHAUSTED ||
                  status.error_code() == grpc::UNAVAILABLE)
          << status.error_code() << status.error_message();
    });
  }
  for (auto& t : threads) t.join();
  constexpr double kKept = 160 << 20;
  EXPECT_TRUE(Await([&] { return kilnd_->Metric("process_resident_memory_bytes") < kKept; }));
  // Together they have 2.3 GiB. 400 to 533 MiB were seen, with 16 requests as with 40.
  EXPECT_LT(PeakBytes(kilnd_->pid()), 640 << 20);
  EXPECT_TRUE(Compile(Request(2)).status.ok());
  EXPECT_EQ(Compile(request).status.error_code(), grpc::INVALID_ARGUMENT);
}

// Returns a process's resident memory now.
double ResidentBytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stod(line.substr(6)) * 1024;
  }
  return -1;
}

// Eight streams request 64 answers of 2 MiB each and read none: together 1 GiB.
TEST_F(E2eTest, UnreadAnswersAreBounded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers keep what is freed";
#endif
  Start({"--workers=2", "--request-bytes=64MiB", "--memory-cache-bytes=4MiB"});
  constexpr int kStreams = 8, kItems = 64, kDistinct = 128;
  auto large = [](int i) {
    CompileRequest request = Request(static_cast<uint32_t>(i % kDistinct));
    request.set_spirv(FakeModule(static_cast<uint32_t>(i % kDistinct), 1 << 19));
    return request;
  };
  std::vector<CompileRequest> by_digest;
  for (int i = 0; i < kDistinct; ++i) {
    const CompileRequest request = large(i);
    ASSERT_TRUE(Compile(request).status.ok());
    by_digest.push_back(request);
    const auto digest = cache::SpirvDigest(request.spirv());
    by_digest.back().mutable_digest()->set_kind(SourceDigest::SPIRV);
    by_digest.back().mutable_digest()->set_sha256(std::string(cache::AsBytes(digest)));
  }
  const double before = ResidentBytes(kilnd_->pid());
  const auto channel = kilnd_->Channel();
  const auto stub = kiln::v1::Compiler::NewStub(channel);
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReaderWriter<StreamRequest, StreamResponse>>> streams;
  std::vector<std::thread> senders;
  for (int s = 0; s < kStreams; ++s) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub->CompileStream(contexts.back().get()));
    senders.emplace_back([&, s, stream = streams.back().get()] {
      for (int i = 0; i < kItems; ++i) {
        StreamRequest item;
        item.set_item(i + 1);
        item.set_takes_chunks(true);
        *item.mutable_request() = by_digest[(static_cast<size_t>(s) * kItems + i) % kDistinct];
        if (!stream->Write(item)) return;
      }
    });
  }
  for (auto& t : senders) t.join();
  // Waits until the daemon begins no further calls.
  double last = -1;
  for (double now = 0; now != last; now = kilnd_->Metric("kiln_rpcs_handled_total")) {
    last = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_LT(PeakBytes(kilnd_->pid()) - before, 256 << 20);
  // All other clients are served, and so are these when they read at last: each item gets an
  // answer, or UNAVAILABLE with a time to try again.
  EXPECT_TRUE(Compile(Request(1)).status.ok());
  // The order of items decides which streams had a share of the budget.
  int whole = 0;
  for (const auto& stream : streams) {
    std::set<uint64_t> answered;
    StreamResponse answer;
    stream->WritesDone();
    while (stream->Read(&answer)) {
      if (answer.has_error()) {
        EXPECT_EQ(answer.error().code(), grpc::UNAVAILABLE) << answer.error().message();
      }
      whole += answer.has_response() || answer.chunk().last();
      if (answer.item() != 0) answered.insert(answer.item());
    }
    EXPECT_TRUE(stream->Finish().ok());
    EXPECT_EQ(answered.size(), static_cast<size_t>(kItems));
  }
  EXPECT_GT(whole, 0);
}

TEST_F(E2eTest, AStreamGoesOnAfterItemsOfEveryWrongKind) {
  google::protobuf::LogSilencer silence;
  Start({"--workers=1", "--request-bytes=4MiB"});  // and twice that for arriving messages
  grpc::GenericStub raw(kilnd_->Channel());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  grpc::CompletionQueue queue;
  auto call = raw.PrepareCall(&context, "/kiln.v1.Compiler/CompileStream", &queue);
  void* tag;
  bool ok;
  auto done = [&] { return queue.Next(&tag, &ok) && ok; };
  call->StartCall(nullptr);
  ASSERT_TRUE(done());
  auto read = [&] {
    grpc::ByteBuffer bytes;
    StreamResponse answer;
    call->Read(&bytes, nullptr);
    if (!done()) return answer;
    std::vector<grpc::Slice> slices;
    EXPECT_TRUE(bytes.Dump(&slices).ok());
    std::string text;
    for (const auto& s : slices) text.append(reinterpret_cast<const char*>(s.begin()), s.size());
    EXPECT_TRUE(answer.ParseFromString(text));
    return answer;
  };
  auto ask = [&](const std::string& text) {
    grpc::Slice slice(text);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    EXPECT_TRUE(done());
    return read();
  };
  EXPECT_GT(read().credits(), 0u);
  auto item = [](uint64_t number, const CompileRequest& request) {
    StreamRequest one;
    one.set_item(number);
    *one.mutable_request() = request;
    return one.SerializeAsString();
  };
  CompileRequest bad_text = Request(1);
  bad_text.set_stage("\xff");
  EXPECT_EQ(ask(item(1, bad_text)).error().violations(0).field(), "stage");
  // Without an item number this is the only error, whatever else is wrong.
  EXPECT_EQ(ask(item(0, bad_text)).error().violations(0).field(), "item");
  EXPECT_EQ(ask("").error().violations(0).field(), "item");
  // A malformed request in a well-formed item: "\x12": field 2, 4 bytes.
  const StreamResponse none = ask(std::string("\x08\x04\x12\x04\xff\xff\xff\xff", 8));
  ASSERT_EQ(none.item(), 4u) << none.DebugString();
  EXPECT_EQ(none.error().violations(0).field(), "request");
  EXPECT_TRUE(ask(item(4, Request(5))).has_response());
  // Without room for it an item is not parsed: otherwise its text would be the error.
  bad_text.set_spirv(std::string(5 << 20, 'x'));
  const StreamResponse large = ask(item(6, bad_text));
  EXPECT_EQ(large.item(), 6u);
  EXPECT_EQ(large.error().code(), grpc::RESOURCE_EXHAUSTED);
  AwaitMetric("kiln_request_bytes", 0);
  EXPECT_EQ(ask("\xff").item(), 0u);  // the end
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(done());
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  AwaitMetric("kiln_requests_in_flight{method=\"CompileStream/item\"}", 0);
}

// Returns the field that a refusal names.
std::string FieldOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::BadRequest bad;
  if (status.error_code() != grpc::INVALID_ARGUMENT ||
      !details.ParseFromString(status.error_details()) || details.details_size() != 1 ||
      !details.details(0).UnpackTo(&bad) || bad.field_violations_size() != 1) {
    return "";
  }
  return bad.field_violations(0).field();
}

// Returns the status of a call with these bytes.
grpc::Status CallRaw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                     const std::string& bytes) {
  grpc::GenericStub raw(channel);
  const grpc::Slice slice(bytes);
  grpc::ByteBuffer request(&slice, 1), response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  grpc::CompletionQueue queue;
  auto call = raw.PrepareUnaryCall(&context, method, request, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag;
  bool ok;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  return status;
}

// 128 KiB that gRPC would inflate to 128 MiB, for each method.
TEST_F(E2eTest, CompressedRequestsAreRefusedUninflated) {
  Start({"--workers=1"});
  const std::string zeros(128 << 20, 0);
  const double before = PeakBytes(kilnd_->pid());
  for (auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ChannelArguments arguments;
    arguments.SetCompressionAlgorithm(algorithm);
    arguments.SetMaxSendMessageSize(-1);
    const auto channel =
        grpc::CreateCustomChannel(kilnd_->address(), grpc::InsecureChannelCredentials(), arguments);
    for (const char* method :
         {"/kiln.v1.Compiler/Compile", "/kiln.v1.Compiler/CompileStream",
          "/kiln.v1.Compiler/GetCapabilities", "/grpc.health.v1.Health/Check"}) {
      const grpc::Status status = CallRaw(channel, method, zeros);
      EXPECT_EQ(status.error_code(), grpc::UNIMPLEMENTED) << method << status.error_message();
    }
  }
  EXPECT_LT(PeakBytes(kilnd_->pid()) - before, 64 << 20);
  EXPECT_TRUE(Compile(Request(1)).status.ok());
}

// 8 MB of fields of two bytes, each of which would take tens to hundreds of bytes in memory.
TEST_F(E2eTest, FieldsOnTheWireAreBoundedBeforeTheyAreParsed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers keep what is freed";
#endif
  Start({"--workers=1"});
  auto times = [](int n, const std::string& bytes) {
    std::string all;
    for (int i = 0; i < n; ++i) all += bytes;
    return all;
  };
  const std::string pairs[] = {std::string("\x42\x00", 2), std::string("\x32\x00", 2),
                               std::string("\x7a\x00", 2)};  // targets, constants, unknown
  const std::string include("\x2a\x00", 2);
  const double before = PeakBytes(kilnd_->pid());
  for (const std::string& pair : pairs) {
    EXPECT_EQ(
        CallRaw(kilnd_->Channel(), "/kiln.v1.Compiler/Compile", times(4 << 20, pair)).error_code(),
        grpc::INVALID_ARGUMENT);
  }
  const std::string glsl = "\x12\x80\x80\x80\x04" + times(4 << 20, include);
  EXPECT_EQ(FieldOf(CallRaw(kilnd_->Channel(), "/kiln.v1.Compiler/Compile", glsl)),
            "glsl.includes");
  // As an item of a stream, and in a call whose request is not read.
  const std::string item = std::string("\x08\x01\x12\x85\x80\x80\x04", 7) + glsl;
  StreamRequest parsed;
  ASSERT_TRUE(parsed.ParseFromString(item));
  grpc::ClientContext context;
  auto stream = stub_->CompileStream(&context);
  StreamResponse answer;
  ASSERT_TRUE(stream->Write(parsed) && stream->Read(&answer) && stream->Read(&answer));
  ASSERT_EQ(answer.error().violations_size(), 1);
  EXPECT_EQ(answer.error().violations(0).field(), "glsl.includes");
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(
      CallRaw(kilnd_->Channel(), "/kiln.v1.Compiler/GetCapabilities", times(4 << 20, pairs[2]))
          .ok());
  EXPECT_LT(PeakBytes(kilnd_->pid()) - before, 96 << 20);
  EXPECT_TRUE(Compile(Request(1)).status.ok());
}

// Four messages at a time, each with 8 MB of an unknown field.
TEST_F(E2eTest, HealthAndReflectionParseSmallMessagesOnly) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers keep what is freed";
#endif
  Start({"--workers=1"});
  std::string unknown;
  while (unknown.size() < 8 << 20) unknown += "\xf8\x07\x01";
  for (const std::string method :
       {"/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"}) {
    const double before = PeakBytes(kilnd_->pid());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        EXPECT_EQ(CallRaw(kilnd_->Channel(), method, unknown).error_code(),
                  grpc::RESOURCE_EXHAUSTED)
            << method;
      });
    }
    for (auto& t : threads) t.join();
    EXPECT_LT(PeakBytes(kilnd_->pid()) - before, 64 << 20) << method;
  }
  EXPECT_TRUE(CallRaw(kilnd_->Channel(), "/grpc.health.v1.Health/Check", "").ok());
}

TEST_F(E2eTest, DrainFinishesWhatIsInFlight) {
  Start();
  Outcome outcome;
  std::thread caller([&] { outcome = Compile(Request(1), "slow::2000"); });
  AwaitMetric("kiln_workers_busy", 1);
  kilnd_->Signal(SIGTERM);
  caller.join();
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  EXPECT_EQ(outcome.result().status(), TargetResult::OK);
  EXPECT_EQ(kilnd_->Wait(), 0);
  EXPECT_NE(kilnd_->log().find("stopped"), std::string::npos);
}

TEST_F(E2eTest, DrainTimeIsBounded) {
  Start({"--drain-time=200ms"});
  std::thread caller([&] {
    Outcome outcome = Compile(Request(1), "hang");
    EXPECT_FALSE(outcome.status.ok());
  });
  AwaitMetric("kiln_workers_busy", 1);
  auto start = std::chrono::steady_clock::now();
  kilnd_->Signal(SIGINT);
  EXPECT_EQ(kilnd_->Wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  caller.join();
}

TEST_F(E2eTest, GlslIsTranslatedOnceAndKeyedByItsText) {
  Start();
  CompileRequest request;
  request.mutable_glsl()->set_text("void main() {}");
  request.mutable_glsl()->set_name("a.comp");
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  Outcome first = Compile(request);
  ASSERT_TRUE(first.status.ok()) << first.status.error_message();
  EXPECT_EQ(first.result().status(), TargetResult::OK);
  EXPECT_EQ(first.result().spirv_sha256().size(), 32u);
  EXPECT_EQ(first.result().timings().translate_ns(), 1000);
  EXPECT_EQ(first.result().timings().start_ns(), 70);

  CompileRequest digest = request;
  auto sha = cache::GlslDigest(request.glsl());
  digest.mutable_digest()->set_kind(SourceDigest::GLSL);
  digest.mutable_digest()->set_sha256(std::string(cache::AsBytes(sha)));
  Outcome cached = Compile(digest);
  EXPECT_EQ(cached.result().cache(), kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(cached.result().timings().translate_ns(), 1000);
  EXPECT_EQ(cached.result().timings().start_ns(), 0);  // per worker, not per text
  // Another target of a known source needs neither the text nor glslang again.
  digest.set_targets(0, "skl");
  EXPECT_EQ(Compile(digest).result().status(), TargetResult::OK);
  EXPECT_EQ(kilnd_->Metric("kiln_pass_runs_total{pass=\"translate_glsl\",target=\"any\"}"), 1);

  request.mutable_glsl()->set_text("error");
  Outcome bad = Compile(request);
  EXPECT_EQ(bad.result().status(), TargetResult::INVALID);
  EXPECT_EQ(bad.result().cause(), "invalid_glsl");
  EXPECT_EQ(bad.result().message(), "a.comp:1: fake error");
  EXPECT_EQ(bad.result().timings().translate_ns(), 1000);
  Outcome again = Compile(request);
  EXPECT_EQ(again.result().timings().translate_ns(), 1000);
}

TEST_F(E2eTest, PoliciesAndRefusals) {
  Start();
  CompileRequest request = Request(1);
  request.set_cache_policy(kiln::v1::CACHE_ONLY_IF_CACHED);
  EXPECT_EQ(Compile(request).result().status(), TargetResult::NOT_CACHED);
  EXPECT_EQ(Compile(DigestOnly(1)).result().status(), TargetResult::NOT_CACHED);
  request.set_cache_policy(kiln::v1::CACHE_BYPASS);
  EXPECT_EQ(Compile(request).result().cache(), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Compile(DigestOnly(1)).result().status(), TargetResult::NOT_CACHED);
  request.set_cache_policy(kiln::v1::CACHE_REFRESH);
  EXPECT_EQ(Compile(request).result().cache(), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Compile(request).result().cache(), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Compile(DigestOnly(1)).result().cache(), kiln::v1::CACHE_MEMORY);

  CompileRequest refused = Request(1);
  refused.set_spirv(worker::RefusedFakeModule());
  for (auto tier : {kiln::v1::CACHE_MISS, kiln::v1::CACHE_MEMORY}) {
    Outcome outcome = Compile(refused);
    EXPECT_EQ(outcome.result().status(), TargetResult::REFUSED);
    EXPECT_EQ(outcome.result().cause(), "fake_capability");
    EXPECT_EQ(outcome.result().spirv_id(), 7u);
    EXPECT_EQ(outcome.result().cache(), tier);
  }
}

TEST_F(E2eTest, OutputsAreWhatWasAskedFor) {
  Start();
  CompileRequest request = Request(1);
  request.clear_outputs();
  Outcome bare = Compile(request);
  EXPECT_EQ(bare.result().variants(0).code(), "");
  EXPECT_EQ(bare.result().passes_size(), 0);
  EXPECT_GT(bare.result().variants(0).statistics().values(0).value(), 0);
  request.mutable_outputs()->set_pass_records(true);
  EXPECT_EQ(Compile(request).result().passes_size(), 5);
  request.mutable_outputs()->set_pass_sums(true);
  for (int i = 0; i < 2; ++i) {  // from disk, then from memory
    const auto summed = Compile(request);
    EXPECT_EQ(summed.result().passes_size(), 0);
    EXPECT_EQ(summed.result().pass_sums().runs_size(), 5);
  }
  request.mutable_outputs()->set_assembly(true);
  Outcome assembly = Compile(request);  // was not stored: compiled again, once
  EXPECT_EQ(assembly.result().cache(), kiln::v1::CACHE_MISS);
  EXPECT_FALSE(assembly.result().variants(0).assembly().empty());
  EXPECT_EQ(Compile(request).result().cache(), kiln::v1::CACHE_MEMORY);
}

TEST_F(E2eTest, MalformedRequestsAreNamedByField) {
  Start({"--max-module-bytes=1KiB", "--max-message-bytes=64KiB"});
  struct {
    const char* field;
    std::function<void(CompileRequest*)> change;
  } cases[] = {
      {"source", [](CompileRequest* r) { r->clear_spirv(); }},
      {"spirv", [](CompileRequest* r) { r->set_spirv(std::string(2000, 'x')); }},
      {"targets", [](CompileRequest* r) { r->clear_targets(); }},
      {"targets", [](CompileRequest* r) { r->add_targets("tgl"); }},
      {"targets", [](CompileRequest* r) { r->set_targets(0, "vax"); }},
      {"stage", [](CompileRequest* r) { r->set_stage("kitchen"); }},
      {"digest.sha256", [](CompileRequest* r) { r->mutable_digest()->set_sha256("short"); }},
      {"glsl.stage", [](CompileRequest* r) { r->mutable_glsl()->set_text("x"); }},
      {"spec_constants", [](CompileRequest* r) { r->add_spec_constants()->set_id(3); }},
      {"options.widths", [](CompileRequest* r) { r->mutable_options()->add_widths(13); }},
      {"options.required_subgroup_size",
       [](CompileRequest* r) { r->mutable_options()->set_required_subgroup_size(7); }},
      {"options.disabled_passes",
       [](CompileRequest* r) { r->mutable_options()->add_disabled_passes("fake_select"); }},
      {"entry_point", [](CompileRequest* r) { r->set_entry_point(std::string(5000, 'e')); }},
  };
  for (const auto& c : cases) {
    CompileRequest request = Request(1);
    c.change(&request);
    Outcome outcome = Compile(request);
    EXPECT_EQ(outcome.status.error_code(), grpc::INVALID_ARGUMENT) << c.field;
    google::rpc::Status status;
    google::rpc::BadRequest bad;
    ASSERT_TRUE(status.ParseFromString(outcome.status.error_details()));
    ASSERT_TRUE(status.details(0).UnpackTo(&bad));
    EXPECT_EQ(bad.field_violations(0).field(), c.field);
  }
  CompileRequest huge = Request(1);
  huge.set_spirv(std::string(100'000, 'x'));
  EXPECT_EQ(Compile(huge).status.error_code(), grpc::RESOURCE_EXHAUSTED);
  // INVALID is a result: here for bytes that are not a module.
  CompileRequest nonsense = Request(1);
  nonsense.set_spirv("nonsense");
  EXPECT_EQ(Compile(nonsense).result().status(), TargetResult::INVALID);
}

// Bytes that no client library would send.
TEST_F(E2eTest, HostileBytesAreRefused) {
  Start({"--workers=1"});
  grpc::GenericStub raw(kilnd_->Channel());
  std::string valid = Request(1).SerializeAsString();
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = valid.substr(0, random() % valid.size());
    for (int n = static_cast<int>(random() % 8); n > 0 && !bytes.empty(); --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    grpc::Slice slice(bytes);
    grpc::ByteBuffer request(&slice, 1), response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    grpc::CompletionQueue queue;
    auto call = raw.PrepareUnaryCall(&context, "/kiln.v1.Compiler/Compile", request, &queue);
    grpc::Status status;
    call->StartCall();
    call->Finish(&response, &status, nullptr);
    void* tag;
    bool ok;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    // A few mutants are valid requests; none may cause an internal error.
    ASSERT_TRUE(status.ok() || status.error_code() == grpc::INVALID_ARGUMENT)
        << i << ": " << status.error_code() << " " << status.error_message();
    refused += status.ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
  EXPECT_EQ(Compile(Request(2)).result().status(), TargetResult::OK);
}

// Text that is not UTF-8 does not parse. The error names the field, a stream continues, and the log
// does not grow with protobuf's messages about it.
TEST_F(E2eTest, TextThatIsNotUtf8IsNamedByField) {
  google::protobuf::LogSilencer silence;
  Start();
  CompileRequest stage = Request(1), include = Request(1), define = Request(1);
  stage.set_stage("\xff");
  include.mutable_glsl()->add_includes();
  include.mutable_glsl()->add_includes()->set_text("// \xe4");
  define.mutable_glsl()->add_defines()->set_value("SECRET\xc3");
  EXPECT_EQ(FieldOf(Compile(stage).status), "stage");
  EXPECT_EQ(FieldOf(Compile(include).status), "glsl.includes[1].text");
  EXPECT_EQ(FieldOf(Compile(define).status), "glsl.defines[0].value");

  grpc::ClientContext context;
  auto stream = stub_->CompileStream(&context);
  StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  for (int i = 1; i <= 200; ++i) {
    StreamRequest item;
    item.set_item(static_cast<uint64_t>(i));
    *item.mutable_request() = i % 2 == 0 ? Request(2) : define;
    ASSERT_TRUE(stream->Write(item)) << i;
    ASSERT_TRUE(stream->Read(&answer)) << i;
    EXPECT_EQ(answer.item(), item.item());
    EXPECT_EQ(answer.has_response(), i % 2 == 0) << i;
    if (i % 2 == 0) continue;
    ASSERT_EQ(answer.error().violations_size(), 1);
    EXPECT_EQ(answer.error().violations(0).field(), "glsl.defines[0].value");
    EXPECT_EQ(answer.error().violations(0).description(), "not UTF-8: byte 0xc3 at offset 6");
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_GE(kilnd_->Metric("kiln_protobuf_messages_total"), 103);
  AwaitMetric("kiln_requests_in_flight{method=\"CompileStream/item\"}", 0);
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
  const size_t said = kilnd_->log().find("event=protobuf_message");
  ASSERT_NE(said, std::string::npos) << kilnd_->log();
  EXPECT_EQ(kilnd_->log().find("event=protobuf_message", said + 1), std::string::npos)
      << kilnd_->log();
  EXPECT_EQ(kilnd_->log().find("SECRET"), std::string::npos);
}

TEST_F(E2eTest, ADigestIsWorthNothingToWhoDidNotHaveItsSource) {
  Start({"--require-source-once"});
  CompileRequest glsl;
  glsl.mutable_glsl()->set_text("#version 450\nvoid main() {}\n");
  glsl.mutable_glsl()->set_name("a.comp");
  glsl.mutable_glsl()->set_stage("compute");
  glsl.add_targets("tgl");
  CompileRequest glsl_digest = glsl;
  const cache::Digest digest = cache::GlslDigest(glsl.glsl());
  glsl_digest.mutable_digest()->set_kind(kiln::v1::SourceDigest::GLSL);
  glsl_digest.mutable_digest()->set_sha256(std::string(cache::AsBytes(digest)));
  EXPECT_EQ(Compile(Request(1)).result().status(), TargetResult::OK);
  EXPECT_EQ(Compile(glsl).result().status(), TargetResult::OK);
  EXPECT_EQ(Compile(DigestOnly(1)).result().cache(), kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(Compile(glsl_digest).result().cache(), kiln::v1::CACHE_MEMORY);
  const std::string unknown = Compile(DigestOnly(2)).result().message();
  auto first = std::exchange(stub_, kilnd_->Stub());  // a separate connection
  const Outcome stolen = Compile(DigestOnly(1));
  EXPECT_EQ(stolen.result().status(), TargetResult::NOT_CACHED);
  EXPECT_EQ(stolen.result().message(), unknown);
  EXPECT_EQ(Compile(glsl_digest).result().status(), TargetResult::NOT_CACHED);
  EXPECT_EQ(Compile(Request(1)).result().cache(), kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(Compile(DigestOnly(1)).result().cache(), kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(Compile(glsl_digest).result().status(), TargetResult::NOT_CACHED);
}

// A client with gRPC's usual bound on messages.
TEST_F(E2eTest, AnAnswerTooLargeForAMessageIsInChunksOrRefusedByItself) {
  Start();
  const auto stub = kiln::v1::Compiler::NewStub(
      grpc::CreateChannel(kilnd_->address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  auto stream = stub->CompileStream(&context);
  StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  CompileRequest large = Request(1);
  large.set_spirv(FakeModule(1, 2500000));  // "compiles" to code of the same size
  auto send = [&](uint64_t number, const CompileRequest& request, bool takes_chunks) {
    StreamRequest item;
    item.set_item(number);
    item.set_takes_chunks(takes_chunks);
    *item.mutable_request() = request;
    return stream->Write(item) && stream->Read(&answer) && answer.item() == number;
  };
  ASSERT_TRUE(send(1, large, false)) << stream->Finish().error_message();
  EXPECT_EQ(answer.error().code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_NE(answer.error().message().find("takes_chunks"), std::string::npos);
  ASSERT_TRUE(send(2, Request(2), false));
  EXPECT_TRUE(answer.has_response());
  ASSERT_TRUE(send(3, large, true));
  std::string bytes;
  int chunks = 1;
  for (; answer.has_chunk(); ++chunks) {
    bytes += answer.chunk().data();
    if (answer.chunk().last()) break;
    ASSERT_TRUE(stream->Read(&answer));
    ASSERT_EQ(answer.item(), 3u);
  }
  EXPECT_EQ(chunks, 3);
  ASSERT_TRUE(send(4, Request(4), true));
  EXPECT_TRUE(answer.has_response());
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  CompileResponse response;
  ASSERT_TRUE(response.ParseFromString(bytes));
  const Outcome whole = Compile(large);
  EXPECT_EQ(response.results(0).variants(0).code(), whole.result().variants(0).code());
  EXPECT_EQ(whole.result().cache(), kiln::v1::CACHE_MEMORY);
}

// No message exceeds the daemon's bound, whatever size the answer has.
TEST_F(E2eTest, TheBoundOnMessagesHoldsToTheByte) {
  constexpr int kBound = 16 << 10;
  Start({"--max-response-bytes=16KiB"});
  grpc::ClientContext unary;
  kiln::v1::Capabilities c;
  ASSERT_TRUE(stub_->GetCapabilities(&unary, {}, &c).ok());
  EXPECT_EQ(c.limits().max_response_bytes(), static_cast<uint64_t>(kBound));
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kBound);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto stub = kiln::v1::Compiler::NewStub(
      grpc::CreateCustomChannel(kilnd_->address(), grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  auto stream = stub->CompileStream(&context);
  StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  int whole = 0, chunked = 0;
  for (int words = kBound / 4 - 110; words < kBound / 4 + 10; ++words) {
    StreamRequest item;
    item.set_item(static_cast<uint64_t>(words));
    item.set_takes_chunks(true);
    *item.mutable_request() = Request(7);
    item.mutable_request()->set_spirv(FakeModule(7, words));
    ASSERT_TRUE(stream->Write(item) && stream->Read(&answer)) << words;
    whole += answer.has_response();
    chunked += answer.has_chunk();
    std::string bytes = answer.chunk().data();
    while (answer.has_chunk() && !answer.chunk().last()) {
      ASSERT_TRUE(stream->Read(&answer)) << words;
      bytes += answer.chunk().data();
    }
    CompileResponse response = answer.response();
    if (answer.has_chunk()) {
      ASSERT_TRUE(response.ParseFromString(bytes)) << words;
    }
    EXPECT_GE(response.results(0).variants(0).code().size(), static_cast<size_t>(words) * 4);
  }
  EXPECT_GT(whole, 10);
  EXPECT_GT(chunked, 10);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(E2eTest, ShaderSourceNeverReachesTheLog) {
  Start();
  CompileRequest request;
  request.mutable_glsl()->set_text("SECRET error SECRET");
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  Compile(request);
  Compile(request, "crash");
  CompileRequest module = Request(1);
  module.set_spirv(FakeModule(3) + "SECRET..");
  for (const char* fault : {"crash", "abort"}) Compile(module, fault);
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
  EXPECT_EQ(kilnd_->log().find("SECRET"), std::string::npos) << kilnd_->log();
}

TEST_F(E2eTest, CapabilitiesSayWhatThereIs) {
  Start({"--max-targets=5"});
  grpc::ClientContext context;
  kiln::v1::Capabilities c;
  ASSERT_TRUE(stub_->GetCapabilities(&context, {}, &c).ok());
  ASSERT_EQ(c.targets_size(), 2);
  EXPECT_EQ(c.targets(0).name(), "tgl");
  EXPECT_EQ(c.targets(0).code_generation_version(), 1u);
  EXPECT_EQ(c.passes_size(), 4);
  EXPECT_EQ(c.limits().max_targets(), 5u);
  EXPECT_FALSE(c.version().empty());
}

TEST_F(E2eTest, StartErrorsAreClear) {
  Start();
  auto fails = [&](std::vector<std::string> flags, int code, const std::string& text) {
    KilndProcess other(flags);
    EXPECT_FALSE(other.AwaitReady());
    EXPECT_EQ(other.Wait(), code) << flags[0];
    EXPECT_NE(other.log().find(text), std::string::npos) << other.log();
  };
  fails({"--cache-dir=" + dir_ + "/cache"}, 1, "is in use by another kilnd");
  fails({"--listen=" + kilnd_->address()}, 1,
        "cannot listen on " + kilnd_->address() + ": another program listens on it");
  fails({"--metrics=" + kilnd_->metrics_address()}, 1, "--metrics=HOST:PORT");
  fails({"--listen=127.0.0.1:99999"}, 1, "'99999' is not a port from 0 to 65535");
  fails({"--worker-binary=/nonexistent"}, 1, "/nonexistent");
  std::ofstream(dir_ + "/bad.conf") << "workers = 2\nworkers = two\n";
  fails({"--config=" + dir_ + "/bad.conf"}, 2, "bad.conf:2: 'workers' takes a number, not 'two'");
  fails({"--lisen=x"}, 2, "did you mean 'listen'");
}

}  // namespace
}  // namespace kiln::test
