// Shaders that kill workers, end to end: a real daemon, workers that die on demand, `kiln
// quarantine`.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "core/base/testing/await.h"
#include "kiln/v1/admin.grpc.pb.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;
using worker::FakeModule;

CompileRequest Request(uint32_t seed, std::vector<std::string> targets = {"tgl"}) {
  CompileRequest request;
  request.set_spirv(FakeModule(seed));
  for (auto& t : targets) request.add_targets(t);
  request.mutable_outputs()->set_binary(true);
  return request;
}

CompileRequest Glsl(const std::string& text) {
  CompileRequest request;
  request.mutable_glsl()->set_text(text);
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  request.mutable_outputs()->set_binary(true);
  return request;
}

class QuarantineTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/quarantine_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  void Start(std::vector<std::string> flags = {}) {
    flags.push_back("--enable-fault-injection");
    flags.push_back("--workers=1");
    flags.push_back("--cache-dir=" + dir_ + "/cache");
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
    stub_ = kilnd_->Stub();
  }
  CompileResponse Compile(const CompileRequest& request, const std::string& fault = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    CompileResponse response;
    grpc::Status status = stub_->Compile(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.results_size(), request.targets_size());
    return response;
  }
  void Kill(const CompileRequest& request, const std::string& fault, int times) {
    for (int i = 0; i < times; ++i) {
      EXPECT_NE(Compile(request, fault).results(0).cause(), "quarantined") << i;
    }
  }
  double Deaths() const { return kilnd_->Metric("kiln_worker_exits_total{reason=\"segv\"}"); }
  // Returns its exit code and its output.
  std::pair<int, std::string> Kiln(const std::string& arguments) {
    const std::string command =
        "client/kiln quarantine " + arguments + " --server=" + kilnd_->address() + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[4096];
    while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
  }

  std::string dir_;
  std::unique_ptr<KilndProcess> kilnd_;
  std::unique_ptr<kiln::v1::Compiler::Stub> stub_;
};

TEST_F(QuarantineTest, AfterThreeDeathsNoFourth) {
  Start();
  Kill(Request(1), "crash:fake_select", 3);
  EXPECT_EQ(Deaths(), 3);
  // Refused under every cache policy, and with other outputs requested.
  for (auto policy : {kiln::v1::CACHE_USE, kiln::v1::CACHE_REFRESH, kiln::v1::CACHE_BYPASS}) {
    CompileRequest request = Request(1);
    request.set_cache_policy(policy);
    request.mutable_outputs()->set_assembly(true);
    CompileResponse response = Compile(request, "crash:fake_select");
    const TargetResult& result = response.results(0);
    EXPECT_EQ(result.status(), TargetResult::CRASHED);
    EXPECT_EQ(result.cause(), "quarantined");
    EXPECT_EQ(result.last_pass(), "fake_select");
    EXPECT_EQ(result.target(), "tgl");
    EXPECT_EQ(result.key().size(), 64u);
    EXPECT_NE(result.message().find("segmentation_fault"), std::string::npos) << result.message();
  }
  EXPECT_EQ(Deaths(), 3);
  EXPECT_EQ(kilnd_->Metric("kiln_quarantine_entries"), 1);
  EXPECT_EQ(kilnd_->Metric("kiln_quarantine_refusals_total"), 3);
  // Another module is not affected, nor is the same one for another target.
  EXPECT_EQ(Compile(Request(2)).results(0).status(), TargetResult::OK);
  CompileResponse both = Compile(Request(1, {"tgl", "skl"}));
  EXPECT_EQ(both.results(0).cause(), "quarantined");
  EXPECT_EQ(both.results(1).status(), TargetResult::OK);
}

TEST_F(QuarantineTest, TimeoutsCountAndASuccessAbsolves) {
  Start({"--job-cpu-time=1s", "--quarantine-after=2"});
  Kill(Request(1), "spin:fake_fold", 1);
  EXPECT_EQ(Compile(Request(1)).results(0).status(), TargetResult::OK);
  CompileRequest bypass = Request(1);
  bypass.set_cache_policy(kiln::v1::CACHE_BYPASS);
  Kill(bypass, "spin:fake_fold", 2);
  CompileResponse response = Compile(bypass);
  EXPECT_EQ(response.results(0).cause(), "quarantined");
  EXPECT_EQ(response.results(0).status(), TargetResult::TIMED_OUT);
  // A result that was compiled before still comes from the cache.
  EXPECT_EQ(Compile(Request(1)).results(0).status(), TargetResult::OK);
}

// As on a machine that has no time for its workers.
TEST_F(QuarantineTest, ATimeoutWithoutWorkDoesNotCount) {
  Start({"--job-time=1s", "--quarantine-after=1"});
  Kill(Request(1), "hang:fake_fold", 2);
  EXPECT_EQ(kilnd_->Metric("kiln_quarantine_entries"), 0);
}

TEST_F(QuarantineTest, AnswersToMoreOfTheLimitThatItDiedAt) {
  Start({"--job-cpu-time=1s", "--quarantine-after=1"});
  Kill(Request(1), "spin:fake_fold", 1);
  Kill(Request(2), "crash:fake_fold", 1);
  const std::string key = Compile(Request(1)).results(0).key();
  EXPECT_NE(Kiln("show " + key).second.find("limits     --job-cpu-time=1s\n"), std::string::npos);
  for (const char* less : {"--job-cpu-time=1s", "--job-time=120s"}) {
    kilnd_->Signal(SIGTERM);
    kilnd_->Wait();
    Start({"--job-cpu-time=1s", less});
    EXPECT_EQ(Compile(Request(1)).results(0).cause(), "quarantined") << less;
  }
  kilnd_->Signal(SIGTERM);
  kilnd_->Wait();
  Start({"--job-cpu-time=2s"});
  EXPECT_EQ(Compile(Request(1)).results(0).status(), TargetResult::OK);
  EXPECT_EQ(Compile(Request(2)).results(0).cause(), "quarantined");
  EXPECT_EQ(kilnd_->Metric("kiln_quarantine_dropped_total{reason=\"limits\"}"), 1);
}

TEST_F(QuarantineTest, GlslThatKillsGlslang) {
  Start();
  Kill(Glsl("void main() {}"), "crash:translate_glsl", 3);
  CompileResponse response = Compile(Glsl("void main() {}"));
  EXPECT_EQ(response.results(0).cause(), "quarantined");
  EXPECT_EQ(response.results(0).last_pass(), "translate_glsl");
  EXPECT_EQ(Deaths(), 3);
  EXPECT_EQ(Compile(Glsl("void main() { }")).results(0).status(), TargetResult::OK);
  auto [code, text] = Kiln("list");
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("GLSL"), std::string::npos) << text;
}

TEST_F(QuarantineTest, KeptOverARestartShownAndCleared) {
  Start();
  EXPECT_EQ(Kiln("list").second, "the quarantine is empty\n");
  Kill(Request(7), "crash:fake_select", 3);
  const std::string key = Compile(Request(7)).results(0).key();
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start();
  EXPECT_EQ(Compile(Request(7)).results(0).cause(), "quarantined");
  EXPECT_EQ(Deaths(), 0);

  auto [listed, list] = Kiln("list");
  EXPECT_EQ(listed, 0);
  EXPECT_NE(list.find(key), std::string::npos) << list;
  EXPECT_NE(list.find("segmentation_fault in fake_select"), std::string::npos) << list;
  const std::string file = dir_ + "/bad.spv";
  auto [shown, text] = Kiln("show " + key + " --output=" + file);
  EXPECT_EQ(shown, 0) << text;
  EXPECT_NE(text.find("last pass  fake_select"), std::string::npos) << text;
  std::ostringstream source;
  source << std::ifstream(file).rdbuf();
  EXPECT_EQ(source.str(), FakeModule(7));
  EXPECT_NE(Kiln("show " + key + " --json").second.find("\"spirv\""), std::string::npos);
  // The daemon itself never sends it.
  grpc::ClientContext context;
  kiln::v1::ShowQuarantineRequest asked;
  asked.set_key(key);
  kiln::v1::QuarantineEntry told;
  ASSERT_TRUE(
      kiln::v1::Admin::NewStub(kilnd_->Channel())->ShowQuarantine(&context, asked, &told).ok());
  EXPECT_EQ(told.cause(), "segmentation_fault");
  EXPECT_EQ(told.SerializeAsString().find(FakeModule(7)), std::string::npos);
  EXPECT_FALSE(told.has_request());

  EXPECT_EQ(Kiln("clear 00").first, 2);
  EXPECT_EQ(Kiln("show 00").first, 2);
  EXPECT_EQ(Kiln("clear").first, 2);
  EXPECT_EQ(Kiln("frob").first, 2);
  EXPECT_EQ(Kiln("clear " + key), std::pair(0, std::string("1 cleared\n")));
  EXPECT_EQ(Compile(Request(7)).results(0).status(), TargetResult::OK);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start();
  EXPECT_EQ(Kiln("list").second, "the quarantine is empty\n");
}

// A cache directory goes away while the daemon runs; the cache heals too.
TEST_F(QuarantineTest, FollowsItsDirectory) {
  Start();
  Kill(Request(7), "crash:fake_select", 3);
  const std::string key = Compile(Request(7)).results(0).key();
  const std::string kept = dir_ + "/cache/quarantine/" + key;
  ASSERT_TRUE(std::filesystem::exists(kept));
  std::error_code raced;  // races with the daemon, which makes it anew
  std::filesystem::remove_all(dir_ + "/cache", raced);
  EXPECT_TRUE(Await([&] { return std::filesystem::exists(kept); }));
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start();
  EXPECT_EQ(Compile(Request(7)).results(0).cause(), "quarantined");
}

// An entry that could not be read at the start is in force as soon as it can be read.
TEST_F(QuarantineTest, LoadsWhatItCouldNotReadAtStart) {
  Start();
  Kill(Request(7), "crash:fake_select", 3);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  std::filesystem::rename(dir_ + "/cache", dir_ + "/away");
  std::ofstream(dir_ + "/cache") << "a file";
  Start();
  EXPECT_EQ(Compile(Request(7)).results(0).status(), TargetResult::OK);
  const std::string page = kilnd_->Page("/healthz");
  EXPECT_NE(page.find("the quarantine is in memory only: "), std::string::npos) << page;
  Kill(Request(8), "crash:fake_select", 3);
  std::filesystem::remove(dir_ + "/cache");
  std::filesystem::rename(dir_ + "/away", dir_ + "/cache");
  auto healed = [&] {
    return kilnd_->Metric("kiln_quarantine_entries") == 2 &&
           kilnd_->Page("/healthz").find("the quarantine is in memory only") == std::string::npos;
  };
  EXPECT_TRUE(Await(healed));
  CompileRequest bypass = Request(7);
  bypass.set_cache_policy(kiln::v1::CACHE_BYPASS);
  EXPECT_EQ(Compile(bypass).results(0).cause(), "quarantined");
  EXPECT_TRUE(healed());
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start();
  EXPECT_EQ(Compile(Request(8)).results(0).cause(), "quarantined");
}

// Reports "cleared" only for entries that are cleared for good.
TEST_F(QuarantineTest, ClearingThatFailsIsAnError) {
  Start();
  Kill(Request(7), "crash:fake_select", 3);
  Kill(Request(8), "crash:fake_select", 3);
  const std::string key = Compile(Request(7)).results(0).key();
  const std::string kept = dir_ + "/cache/quarantine/" + key;
  std::filesystem::remove(kept);
  std::filesystem::create_directory(kept);  // which unlink does not remove
  auto [code, text] = Kiln("clear --all");
  EXPECT_EQ(code, 4) << text;
  EXPECT_NE(text.find(key), std::string::npos) << text;
  EXPECT_EQ(text.find(Compile(Request(8)).results(0).key()), std::string::npos) << text;
  EXPECT_EQ(Compile(Request(7)).results(0).status(), TargetResult::OK);
}

// Two bytes on the wire would become a string in memory: the message is refused unparsed.
TEST_F(QuarantineTest, AMessageOfManyKeysIsNotParsed) {
  Start();
  auto admin = kiln::v1::Admin::NewStub(kilnd_->Channel());
  kiln::v1::ClearQuarantineRequest clear;
  kiln::v1::ClearQuarantineResponse cleared;
  for (int i = 0; i < 5'000'000; ++i) clear.add_keys();
  const double before = kilnd_->Metric("process_resident_memory_bytes");
  grpc::ClientContext context;
  EXPECT_EQ(admin->ClearQuarantine(&context, clear, &cleared).error_code(),
            grpc::RESOURCE_EXHAUSTED);
  EXPECT_LT(kilnd_->Metric("process_resident_memory_bytes") - before, 64 << 20);
}

TEST_F(QuarantineTest, SwitchedOff) {
  Start({"--quarantine-after=0"});
  Kill(Request(1), "crash:fake_select", 5);
  EXPECT_EQ(Deaths(), 5);
}

}  // namespace
}  // namespace kiln::test
