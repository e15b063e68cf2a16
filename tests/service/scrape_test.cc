// Metrics of calls in a scrape of /metrics: each test is a daemon, some calls, and the lines that
// Prometheus would read. The documented query over such lines: python_client_test.py.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/testing/await.h"
#include "kiln/v1/compiler.grpc.pb.h"
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

CompileRequest Request(uint32_t seed, std::vector<std::string> targets = {"tgl"}) {
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

CompileRequest Glsl(const std::string& text) {
  CompileRequest request;
  request.mutable_glsl()->set_text(text);
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  return request;
}

class ScrapeTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/scrape_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
    Start({"--workers=1"});
  }
  void Start(std::vector<std::string> flags) {
    flags.push_back("--cache-dir=" + dir_ + "/cache");
    flags.push_back("--enable-fault-injection");
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
    stub_ = kilnd_->Stub();
  }
  grpc::Status Compile(const CompileRequest& request, const std::string& fault = "",
                       int deadline_ms = 60'000) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(deadline_ms));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    return stub_->Compile(&context, request, &response_);
  }
  double Metric(const std::string& line) const { return kilnd_->Metric(line); }
  void AwaitMetric(const std::string& name, double value) {
    EXPECT_TRUE(Await([&] { return Metric(name) == value; })) << name << " is " << Metric(name);
  }
  double Requests(const std::string& method, const std::string& code) const {
    return Metric("kiln_requests_total{code=\"" + code + "\",method=\"" + method + "\"}");
  }
  double Timed(const std::string& method, const std::string& cache,
               const std::string& target = "tgl") const {
    return Metric("kiln_request_duration_seconds_count{cache=\"" + cache + "\",method=\"" + method +
                  "\",target=\"" + target + "\"}");
  }
  double Waited(const std::string& what, const std::string& queued,
                const std::string& queue = "worker") const {
    return Metric("kiln_queue_wait_seconds_" + what + "{class=\"" + queued + "\",queue=\"" + queue +
                  "\"}");
  }
  double Results(const std::string& cache, const std::string& result) const {
    return Metric("kiln_compile_results_total{cache=\"" + cache + "\",result=\"" + result +
                  "\",target=\"tgl\"}");
  }

  std::string dir_;
  std::unique_ptr<KilndProcess> kilnd_;
  std::unique_ptr<kiln::v1::Compiler::Stub> stub_;
  CompileResponse response_;
};

TEST_F(ScrapeTest, ItemsOfAStreamAreNoCallsAndTheStreamIsOne) {
  grpc::ClientContext context;
  auto stream = stub_->CompileStream(&context);
  StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(Metric("kiln_requests_in_flight{method=\"CompileStream\"}"), 1);
  for (uint64_t item = 1; item <= 3; ++item) {
    StreamRequest request;
    request.set_item(item);
    *request.mutable_request() = Request(static_cast<uint32_t>(item));
    if (item == 3) request.mutable_request()->set_targets(0, "no such target");
    ASSERT_TRUE(stream->Write(request));
    ASSERT_TRUE(stream->Read(&answer));
  }
  EXPECT_EQ(Requests("CompileStream", "OK"), 0) << "it has not ended";
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  AwaitMetric("kiln_requests_total{code=\"OK\",method=\"CompileStream\"}", 1);
  EXPECT_EQ(Requests("CompileStream/item", "OK"), 2);
  EXPECT_EQ(Requests("CompileStream/item", "INVALID_ARGUMENT"), 1);
  EXPECT_EQ(Requests("Compile", "OK"), 0);
  EXPECT_EQ(Timed("CompileStream/item", "miss"), 2);
  EXPECT_EQ(Timed("Compile", "miss"), -1);
  EXPECT_EQ(Metric("kiln_requests_in_flight{method=\"CompileStream\"}"), 0);
  EXPECT_EQ(Metric("kiln_requests_in_flight{method=\"CompileStream/item\"}"), 0);
}

TEST_F(ScrapeTest, AnItemThatDoesNotFitAMessageIsNoSuccess) {
  kilnd_.reset();
  Start({"--workers=1", "--max-response-bytes=64KiB"});
  grpc::ClientContext context;
  auto stream = stub_->CompileStream(&context);
  StreamRequest request;
  request.set_item(1);
  *request.mutable_request() = Request(1);
  request.mutable_request()->set_spirv(FakeModule(1, 1 << 16));
  StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&answer));
  ASSERT_EQ(answer.error().code(), grpc::RESOURCE_EXHAUSTED) << answer.ShortDebugString();
  EXPECT_EQ(Requests("CompileStream/item", "RESOURCE_EXHAUSTED"), 1);
  EXPECT_EQ(Requests("CompileStream/item", "OK"), 0);
}

TEST_F(ScrapeTest, AProbeIsNeitherHitNorMiss) {
  ASSERT_TRUE(Compile(DigestOnly(1)).ok());
  ASSERT_EQ(response_.results(0).status(), TargetResult::NOT_CACHED);
  CompileRequest only = Request(1);
  only.set_cache_policy(kiln::v1::CACHE_ONLY_IF_CACHED);
  ASSERT_TRUE(Compile(only).ok());
  ASSERT_EQ(response_.results(0).status(), TargetResult::NOT_CACHED);
  EXPECT_EQ(Timed("Compile", "probe"), 2);
  EXPECT_EQ(Timed("Compile", "miss"), -1);
  EXPECT_EQ(Results("probe", "not_cached"), 2);
  EXPECT_EQ(Results("miss", "not_cached"), -1) << "there is no such thing";
  ASSERT_TRUE(Compile(Request(1)).ok());
  ASSERT_TRUE(Compile(DigestOnly(1)).ok());
  EXPECT_EQ(Timed("Compile", "probe"), 2);
  EXPECT_EQ(Timed("Compile", "miss"), 1);
  EXPECT_EQ(Timed("Compile", "memory"), 1) << "a probe that finds something is a hit";
}

TEST_F(ScrapeTest, EveryResultIsOfWhereItCameFrom) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Compile(Glsl("error")).ok());
    ASSERT_EQ(response_.results(0).status(), TargetResult::INVALID);
  }
  EXPECT_EQ(Results("miss", "invalid"), 1);
  EXPECT_EQ(Results("memory", "invalid"), 1) << "GLSL that is known not to compile is a hit";
  EXPECT_EQ(response_.results(0).cache(), kiln::v1::CACHE_MEMORY);
  ASSERT_TRUE(Compile(Request(1)).ok());
  CompileRequest others = Request(1);
  others.mutable_outputs()->set_launch_record(true);
  ASSERT_TRUE(Compile(others).ok());
  EXPECT_EQ(Results("disk", "ok"), 1);
  EXPECT_EQ(Timed("Compile", "disk"), 1);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Compile(Request(2), "crash").ok());
  EXPECT_EQ(Results("miss", "crashed"), 3);
  EXPECT_EQ(Results("quarantine", "crashed"), 1);
  EXPECT_EQ(Timed("Compile", "quarantine"), 1);
}

TEST_F(ScrapeTest, GlslThatTwoAskForIsOneMiss) {
  std::thread first([&] {
    std::unique_ptr<kiln::v1::Compiler::Stub> stub = kilnd_->Stub();
    grpc::ClientContext context;
    context.AddMetadata("kiln-fault", "slow:translate_glsl:1000");
    CompileResponse response;
    EXPECT_TRUE(stub->Compile(&context, Glsl("error"), &response).ok());
  });
  AwaitMetric("kiln_workers_busy", 1);
  EXPECT_TRUE(Compile(Glsl("error")).ok());
  EXPECT_EQ(response_.results(0).cache(), kiln::v1::CACHE_COALESCED);
  first.join();
  AwaitMetric("kiln_compile_results_total{cache=\"miss\",result=\"invalid\",target=\"tgl\"}", 1);
  EXPECT_EQ(Results("coalesced", "invalid"), 1);
}

TEST_F(ScrapeTest, SeveralTargetsAreTimedAsSuch) {
  ASSERT_TRUE(Compile(Request(1, {"tgl", "skl"})).ok());
  EXPECT_EQ(Timed("Compile", "miss", "several"), 1);
  ASSERT_TRUE(Compile(Request(1, {"skl"})).ok());
  EXPECT_EQ(Timed("Compile", "memory", "skl"), 1);
}

TEST_F(ScrapeTest, DeadlinesAndClientsThatLeaveAreToldApart) {
  // Sends the header of a deadline without a timer in the client, so that the daemon's counts,
  // however busy the machine is. leaving_test covers the client's.
  grpc::ClientContext late;
  late.AddMetadata("grpc-timeout", "700m");
  late.AddMetadata("kiln-fault", "slow::60000");
  EXPECT_FALSE(stub_->Compile(&late, Request(1), &response_).ok());
  AwaitMetric("kiln_requests_total{code=\"DEADLINE_EXCEEDED\",method=\"Compile\"}", 1);
  AwaitMetric("kiln_workers_busy", 0);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  context.AddMetadata("kiln-fault", "slow::60000");
  std::thread canceller([&] {
    AwaitMetric("kiln_workers_busy", 1);
    context.TryCancel();
  });
  EXPECT_EQ(stub_->Compile(&context, Request(2), &response_).error_code(), grpc::CANCELLED);
  canceller.join();
  AwaitMetric("kiln_requests_total{code=\"CANCELLED\",method=\"Compile\"}", 1);
  EXPECT_EQ(Requests("Compile", "DEADLINE_EXCEEDED"), 1);
}

// Opens a stream whose client sends one item and gives up on it.
void AbandonStream(kiln::v1::Compiler::Stub* stub, grpc::ClientContext* context, bool cancel) {
  context->AddMetadata("kiln-fault", "slow::60000");
  auto stream = stub->CompileStream(context);
  StreamRequest request;
  request.set_item(1);
  *request.mutable_request() = Request(1);
  StreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  ASSERT_TRUE(stream->Write(request));
  if (cancel) context->TryCancel();
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_FALSE(stream->Finish().ok());
}

TEST_F(ScrapeTest, DeadlinesOfStreamsAreTheirItemsToo) {
  grpc::ClientContext late;
  late.AddMetadata("grpc-timeout", "700m");
  AbandonStream(stub_.get(), &late, false);
  AwaitMetric("kiln_requests_total{code=\"DEADLINE_EXCEEDED\",method=\"CompileStream\"}", 1);
  AwaitMetric("kiln_requests_total{code=\"DEADLINE_EXCEEDED\",method=\"CompileStream/item\"}", 1);
  AwaitMetric("kiln_workers_busy", 0);
  grpc::ClientContext leaver;
  AbandonStream(stub_.get(), &leaver, true);
  AwaitMetric("kiln_requests_total{code=\"CANCELLED\",method=\"CompileStream\"}", 1);
  EXPECT_EQ(Requests("CompileStream", "OK"), 0);
}

// increase() does not see a counter begin at 1.
TEST_F(ScrapeTest, RareThingsAreThereBeforeTheyHappen) {
  for (const char* line :
       {"kiln_pass_deaths_total{pass=\"fake_select\",target=\"tgl\"}",
        "kiln_pass_deaths_total{pass=\"fake_fold\",target=\"any\"}",
        "kiln_pass_deaths_total{pass=\"translate_glsl\",target=\"any\"}",
        "kiln_job_failures_total{cause=\"segmentation_fault\",result=\"crashed\"}",
        "kiln_job_failures_total{cause=\"wall_time_limit\",result=\"timed_out\"}",
        "kiln_job_failures_total{cause=\"fake_capability\",result=\"refused\"}",
        "kiln_job_failures_total{cause=\"other\",result=\"refused\"}",
        "kiln_rechecks_total{result=\"different\"}", "kiln_distrusted_results_total",
        "kiln_shed_total{reason=\"request_bytes\"}", "kiln_worker_exits_total{reason=\"seccomp\"}",
        "kiln_cache_requests_total{tier=\"disk\",result=\"corrupt\"}",
        "kiln_cache_disk_failures_total", "kiln_cache_lost_records_total",
        "kiln_quarantine_refusals_total",
        "kiln_requests_total{code=\"DEADLINE_EXCEEDED\",method=\"CompileStream/item\"}",
        "kiln_compile_results_total{cache=\"miss\",result=\"memory_limit\",target=\"skl\"}"}) {
    EXPECT_EQ(Metric(line), 0) << line;
  }
  ASSERT_TRUE(Compile(Request(1), "crash:fake_select").ok());
  EXPECT_EQ(Metric("kiln_pass_deaths_total{pass=\"fake_select\",target=\"tgl\"}"), 1);
  EXPECT_EQ(Metric("kiln_job_failures_total{cause=\"segmentation_fault\",result=\"crashed\"}"), 1);
  CompileRequest refused = Request(1);
  refused.set_spirv(worker::RefusedFakeModule());
  ASSERT_TRUE(Compile(refused).ok());
  const std::string cause = response_.results(0).cause();
  EXPECT_EQ(Metric("kiln_job_failures_total{cause=\"" + cause + "\",result=\"refused\"}"), 1);
}

TEST_F(ScrapeTest, QueuesAreApart) {
  std::vector<std::thread> callers;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    callers.emplace_back([this, seed] {
      std::unique_ptr<kiln::v1::Compiler::Stub> stub = kilnd_->Stub();
      grpc::ClientContext context;
      context.AddMetadata("kiln-fault", seed == 1 ? "slow::3000" : "none");
      CompileResponse response;
      EXPECT_TRUE(stub->Compile(&context, Request(seed), &response).ok());
    });
    if (seed == 1) AwaitMetric("kiln_workers_busy", 1);
  }
  AwaitMetric("kiln_queue_depth{queue=\"worker\"}", 2);
  EXPECT_EQ(Metric("kiln_queue_depth{queue=\"disk\"}"), 0);
  EXPECT_EQ(Metric("kiln_queue_limit{queue=\"worker\"}"), 1024);
  EXPECT_EQ(Metric("kiln_queue_limit{queue=\"disk\"}"), 4096);
  for (auto& caller : callers) caller.join();
  // The spare worker may have taken one of those that waited.
  EXPECT_EQ(Waited("count", "compile") + Waited("count", "express"), 3);
  EXPECT_GT(Waited("sum", "compile") + Waited("sum", "express"), 0.1);
  EXPECT_EQ(Waited("count", "translate"), 0);
  EXPECT_EQ(Waited("count", "lookup", "disk"), 3);
  ASSERT_TRUE(Compile(DigestOnly(1)).ok());
  EXPECT_EQ(Waited("count", "lookup", "disk"), 3) << "in memory";
}

TEST_F(ScrapeTest, CodeIsCountedWhereverItComesFrom) {
  ASSERT_TRUE(Compile(Request(1)).ok());
  const auto code = [&](const std::string& name, const std::string& results) {
    return Metric("kiln_code_" + name + "_total{target=\"tgl\",stage=\"compute\",results=\"" +
                  results + "\"}");
  };
  const double bytes = code("bytes", "made"), variants = code("variants", "made");
  EXPECT_GT(bytes, 0);
  EXPECT_EQ(variants, response_.results(0).variants_size());
  EXPECT_EQ(code("bytes", "served"), bytes);
  ASSERT_TRUE(Compile(Request(1)).ok());
  CompileRequest others = Request(1);
  others.mutable_outputs()->set_launch_record(true);
  ASSERT_TRUE(Compile(others).ok());
  EXPECT_EQ(code("bytes", "made"), bytes);
  EXPECT_EQ(code("bytes", "served"), 3 * bytes) << "from memory and from disk as well";
  EXPECT_EQ(code("variants", "served"), 3 * variants);
  for (const char* cache : {"miss", "memory", "disk"}) {
    EXPECT_EQ(Metric("kiln_code_results_total{target=\"tgl\",stage=\"compute\",cache=\"" +
                     std::string(cache) + "\"}"),
              1)
        << cache;
  }
}

TEST_F(ScrapeTest, WorkersTimeIsCountedAndHasNames) {
  EXPECT_GT(Metric("kiln_worker_cpu_seconds_total{phase=\"start\"}"), 0);
  for (uint32_t seed = 1; seed <= 3; ++seed) ASSERT_TRUE(Compile(Request(seed)).ok());
  const double before = Metric("kiln_worker_cpu_seconds_total{phase=\"jobs\"}");
  EXPECT_GT(before, 0);
  // Two, because the last job's records arrive with the next one.
  EXPECT_EQ(Metric("kiln_pass_runs_total{pass=\"send_result\",target=\"any\"}"), 2);
  EXPECT_EQ(Metric("kiln_pass_runs_total{pass=\"release_job\",target=\"any\"}"), 2);
  ASSERT_TRUE(Compile(Request(4), "crash").ok());
  EXPECT_GE(Metric("kiln_worker_cpu_seconds_total{phase=\"jobs\"}"), before) << "it is a counter";
}

TEST_F(ScrapeTest, TheBudgetOfSeriesHolds) {
  std::istringstream page(kilnd_->Metrics());
  int series = 0;
  for (std::string line; std::getline(page, line);) series += !line.empty() && line[0] != '#';
  EXPECT_GT(series, 100);
  EXPECT_LT(series, 2000) << "of a daemon that has done nothing";
}

}  // namespace
}  // namespace kiln::test
