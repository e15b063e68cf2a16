// Limits on a worker that was taken over, seen from outside of a whole kilnd.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/testing/await.h"
#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;

class TakenOverTest : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags) {
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }
  // Returns the real, effective, saved and file system user of a process.
  static std::vector<unsigned> Users(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string word;
    while (status >> word && word != "Uid:") continue;
    std::vector<unsigned> users(4);
    for (unsigned& user : users) status >> user;
    return users;
  }

  static std::string Directory(const std::string& name) {
    const std::string path = testing::TempDir() + "/" + name;
    std::filesystem::remove_all(path);
    return path;
  }
  static CompileRequest Shader(uint32_t seed) {
    CompileRequest request;
    request.set_spirv(worker::FakeModule(seed));
    for (const char* target : {"tgl", "skl"}) request.add_targets(target);
    request.mutable_outputs()->set_binary(true);
    return request;
  }
  static CompileRequest Glsl(const std::string& text, const std::string& name) {
    CompileRequest request;
    request.mutable_glsl()->set_text(text);
    request.mutable_glsl()->set_name(name);
    request.mutable_glsl()->set_stage("compute");
    request.add_targets("tgl");
    request.mutable_outputs()->set_binary(true);
    request.mutable_outputs()->set_assembly(true);
    return request;
  }
  CompileResponse Compile(const CompileRequest& request, const std::string& fault = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    CompileResponse response;
    const grpc::Status status = kilnd_->Stub()->Compile(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  // Returns true if the results of all targets are in the cache, without compiling them.
  bool IsCached(CompileRequest request) {
    request.set_cache_policy(kiln::v1::CACHE_ONLY_IF_CACHED);
    const CompileResponse response = Compile(request);
    for (const auto& result : response.results()) {
      if (result.status() == TargetResult::NOT_CACHED) return false;
    }
    return response.results_size() > 0;
  }
  double Rechecks(const std::string& result) {
    return kilnd_->Metric("kiln_rechecks_total{result=\"" + result + "\"}");
  }
  void AwaitRechecks(const std::string& result, double count) {
    ASSERT_TRUE(Await([&] { return Rechecks(result) >= count; })) << result;
  }

  std::unique_ptr<KilndProcess> kilnd_;
};

// One wrong result is found, and everything that its worker ever made is forgotten.
TEST_F(TakenOverTest, WhatALiarMadeIsForgotten) {
  const std::string directory = Directory("liar");
  Start({"--workers=1", "--recheck=1/1", "--cache-dir=" + directory, "--enable-fault-injection"});
  const pid_t worker = kilnd_->Children().at(0);
  constexpr uint32_t kHonest = 6, kLie = 99;
  std::vector<std::string> code;
  for (uint32_t seed = 0; seed < kHonest; ++seed) {
    code.push_back(Compile(Shader(seed)).results(1).variants(0).code());
    AwaitRechecks("same", seed + 1);
    EXPECT_TRUE(IsCached(Shader(seed)));
  }
  EXPECT_EQ(Rechecks("different"), 0);
  EXPECT_EQ(kilnd_->Page("/healthz"), "ok\n");
  const std::string lie = Compile(Shader(kLie), "lie").results(0).variants(0).code();
  AwaitRechecks("different", 1);
  for (uint32_t seed = 0; seed < kHonest; ++seed) EXPECT_FALSE(IsCached(Shader(seed))) << seed;
  EXPECT_FALSE(IsCached(Shader(kLie)));
  EXPECT_EQ(kilnd_->Metric("kiln_distrusted_results_total"), 2 * (kHonest + 1));
  EXPECT_NE(kilnd_->Page("/healthz").find("workers_disagree"), std::string::npos);
  EXPECT_TRUE(
      Await([&] { return kilnd_->Metric("kiln_worker_exits_total{reason=\"distrusted\"}") == 1; }));
  EXPECT_NE(Compile(Shader(kLie)).results(0).variants(0).code(), lie);
  for (uint32_t seed = 0; seed < kHonest; ++seed) {
    const auto response = Compile(Shader(seed));
    EXPECT_EQ(response.results(1).cache(), kiln::v1::CACHE_MISS);
    EXPECT_EQ(response.results(1).variants(0).code(), code[seed]);
  }
  const std::vector<pid_t> children = kilnd_->Children();
  EXPECT_EQ(std::count(children.begin(), children.end(), worker), 0);
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
  const std::string& log = kilnd_->log();
  const size_t line = log.find("level=error event=workers_disagree key=");
  ASSERT_NE(line, std::string::npos) << log;
  EXPECT_NE(log.find("worker_pid=" + std::to_string(worker), line), std::string::npos) << log;
  EXPECT_NE(log.find("other_pid=", line), std::string::npos);
  EXPECT_NE(log.find("results=14 not_known=0 not_removed=0", line), std::string::npos) << log;
}

TEST_F(TakenOverTest, ALieAboutGlslIsFoundToo) {
  Start({"--workers=1", "--recheck=1/1", "--enable-fault-injection"});
  const CompileRequest request = Glsl("void main() {}", "a.comp");
  const std::string module = Compile(request, "lie:translate_glsl").results(0).spirv_sha256();
  AwaitRechecks("different", 1);
  EXPECT_FALSE(IsCached(request));
  EXPECT_NE(Compile(request).results(0).spirv_sha256(), module);
}

TEST_F(TakenOverTest, AWorkerThatLiesOnIsFoundAndNothingOfItStays) {
  Start({"--workers=1", "--recheck=1/4", "--cache-dir=" + Directory("lies_on"),
         "--enable-fault-injection"});
  Compile(Shader(0), "lie_on");
  uint32_t seed = 0;
  for (; Rechecks("different") == 0; ++seed) Compile(Shader(seed));
  std::vector<std::string> kept;
  for (uint32_t s = 0; s < seed; ++s)
    kept.push_back(Compile(Shader(s)).results(0).variants(0).code());
  for (uint32_t s = 0; s < seed; ++s) {
    CompileRequest anew = Shader(s);
    anew.set_cache_policy(kiln::v1::CACHE_BYPASS);
    EXPECT_EQ(Compile(anew).results(0).variants(0).code(), kept[s]) << s << " of " << seed;
  }
}

// The real compiler gives the same bytes in every process.
TEST_F(TakenOverTest, HonestWorkersAgree) {
  const char* many = getenv("KILN_RECHECK_SHADERS");
  const size_t most = many == nullptr ? 8 : static_cast<size_t>(atoi(many));
  Start({"--worker-binary=", "--workers=1", "--recheck=1/1"});
  const std::vector<pid_t> workers = kilnd_->Children();
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/shaders")) {
    if (entry.path().extension() == ".comp") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  double made = 0;
  for (size_t i = 0; i < most; ++i) {
    std::ifstream file(paths[i % paths.size()]);
    std::ostringstream text;
    text << file.rdbuf() << "// " << i / paths.size() << "\n";
    CompileRequest request = Glsl(text.str(), paths[i % paths.size()].filename().string());
    if (i >= paths.size())
      request.mutable_options()->add_widths(i / paths.size() % 2 == 0 ? 8 : 16);
    const auto response = Compile(request);
    made += response.results(0).status() == TargetResult::OK ? 2 : 1;
    AwaitRechecks("same", made);
  }
  EXPECT_GE(made, static_cast<double>(most));
  EXPECT_EQ(Rechecks("different") + Rechecks("unfinished") + Rechecks("dropped"), 0);
  EXPECT_EQ(kilnd_->Metric("kiln_distrusted_results_total"), 0);
  std::vector<pid_t> now = kilnd_->Children();
  EXPECT_EQ(std::count(now.begin(), now.end(), workers.at(0)), 1);
}

TEST_F(TakenOverTest, RootsWorkersAreNotRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root's workers are another user";
  Start({"--workers=2"});
  ASSERT_EQ(kilnd_->Children().size(), 2u);
  for (pid_t worker : kilnd_->Children()) {
    for (unsigned user : Users(worker)) {
      EXPECT_GE(user, 65520u);
      EXPECT_LE(user, 65529u);
    }
  }
  EXPECT_EQ(kilnd_->Metric("kiln_sandbox_level{feature=\"not_root\"}"), 1);
}

TEST_F(TakenOverTest, RootsWorkersAreWhoTheyAreToldToBe) {
  if (geteuid() != 0) GTEST_SKIP() << "only root's workers are another user";
  Start({"--workers=1", "--worker-user=12345"});
  ASSERT_EQ(kilnd_->Children().size(), 1u);
  EXPECT_EQ(Users(kilnd_->Children()[0]), std::vector<unsigned>(4, 12345));
  Start({"--workers=1", "--worker-user=none"});
  EXPECT_EQ(Users(kilnd_->Children()[0]), std::vector<unsigned>(4, 0));
  EXPECT_EQ(kilnd_->Metric("kiln_sandbox_level{feature=\"not_root\"}"), 0);
}

TEST_F(TakenOverTest, AUserThatThereIsNotEndsTheStart) {
  kilnd_ = std::make_unique<KilndProcess>(std::vector<std::string>{"--worker-user=no such user"});
  EXPECT_FALSE(kilnd_->AwaitReady());
  EXPECT_EQ(kilnd_->Wait(), 1);
  EXPECT_NE(kilnd_->log().find("--worker-user"), std::string::npos) << kilnd_->log();
}

// kilnd does not start workers that it could not end.
TEST_F(TakenOverTest, ARootThatMayNotKillDoesNotStart) {
  if (geteuid() != 0 || system("setpriv --bounding-set=-kill true") != 0) {
    GTEST_SKIP() << "that root cannot be made here";
  }
  FILE* log = popen(
      "setpriv --bounding-set=-kill timeout 60 server/kilnd --listen=127.0.0.1:0 --metrics=none "
      "--workers=1 --worker-binary=server/worker/testing/fake_worker 2>&1",
      "r");
  std::string text;
  for (char bytes[4096]; size_t n = fread(bytes, 1, sizeof bytes, log);) text.append(bytes, n);
  EXPECT_EQ(WEXITSTATUS(pclose(log)), 1);
  EXPECT_NE(text.find("CAP_KILL"), std::string::npos) << text;
}

}  // namespace
}  // namespace kiln::test
