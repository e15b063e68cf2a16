// kilnd within limits on memory and on files: explicit settings that do not fit are refused with
// the sum, defaults are lowered, a load over them is shed by name, and if an allocation still fails
// the daemon exits with one line.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;
using worker::FakeModule;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitised = true;  // shadow memory is terabytes of address space
#else
constexpr bool kSanitised = false;
#endif

constexpr int kModuleWords = 600'000;  // 2.4 MB
constexpr int kExhausted = 3;
constexpr int kLost = -1;

CompileRequest Request(uint32_t seed, int words = 16) {
  CompileRequest request;
  request.set_spirv(FakeModule(seed, words));
  request.add_targets("tgl");
  request.mutable_outputs()->set_binary(true);
  return request;
}

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitised) GTEST_SKIP() << "a sanitised kilnd has terabytes mapped";
  }
  void Start(const std::vector<std::string>& limit, std::vector<std::string> flags) {
    std::vector<std::string> under = {"prlimit"};
    under.insert(under.end(), limit.begin(), limit.end());
    kilnd_ = std::make_unique<KilndProcess>(std::move(flags), std::nullopt, under);
  }
  void StartReady(const std::vector<std::string>& limit, std::vector<std::string> flags) {
    Start(limit, std::move(flags));
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }
  // Returns kilnd's message before it ends by itself.
  std::string Refusal(const std::vector<std::string>& limit, std::vector<std::string> flags) {
    Start(limit, std::move(flags));
    EXPECT_EQ(kilnd_->Wait(), 2);
    return kilnd_->log();
  }
  grpc::Status Compile(const CompileRequest& request, TargetResult* result,
                       const std::string& fault = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    if (!fault.empty()) context.AddMetadata("kiln-fault", fault);
    CompileResponse response;
    const grpc::Status status = kilnd_->Stub()->Compile(&context, request, &response);
    if (status.ok()) *result = response.results(0);
    return status;
  }
  // Sends so many modules of 2.4 MB at a time, each on a new connection. Returns the number of
  // calls by status code; kLost if the connection ended.
  std::map<int, int> Flood(int calls, uint32_t first) {
    std::map<int, int> ends;
    std::mutex mutex;
    std::vector<std::thread> clients;
    for (int i = 0; i < calls; ++i) {
      clients.emplace_back([&, i] {
        TargetResult result;
        const CompileRequest request = Request(first + static_cast<uint32_t>(i), kModuleWords);
        const grpc::Status status = Compile(request, &result, "slow::100");
        if (status.ok()) {
          EXPECT_EQ(result.status(), TargetResult::OK);
          EXPECT_GE(result.variants(0).code().size(), request.spirv().size());
        }
        const std::lock_guard lock(mutex);
        const bool named = !status.error_details().empty();  // says when to try again
        ++ends[status.error_code() == grpc::UNAVAILABLE && !named ? kLost : status.error_code()];
        if (status.ok()) codes_[first + static_cast<uint32_t>(i)] = result.variants(0).code();
      });
    }
    for (auto& client : clients) client.join();
    return ends;
  }

  std::unique_ptr<KilndProcess> kilnd_;
  std::map<uint32_t, std::string> codes_;  // of the modules of Flood that were compiled
};

std::string Ends(const std::map<int, int>& ends) {
  std::string text;
  for (auto [code, calls] : ends) text += std::to_string(code) + ": " + std::to_string(calls) + " ";
  return text;
}

TEST_F(MemoryTest, LargeModulesUnderALimitOnAddressSpaceAreShed) {
  StartReady({"--as=900000000"},
             {"--workers=2", "--spare-workers=1", "--recheck=1/1000", "--enable-fault-injection"});
  EXPECT_NE(kilnd_->log().find("request-bytes="), std::string::npos);
  for (uint32_t round = 0; round < 3; ++round) {
    std::map<int, int> ends = Flood(60, 100 * round);
    EXPECT_GT(ends[grpc::OK], 0) << Ends(ends);
    EXPECT_GT(ends[grpc::UNAVAILABLE] + ends[grpc::RESOURCE_EXHAUSTED], 0) << Ends(ends);
    EXPECT_EQ(ends[grpc::OK] + ends[grpc::UNAVAILABLE] + ends[grpc::RESOURCE_EXHAUSTED], 60)
        << Ends(ends) << kilnd_->log();
  }
  TargetResult result;
  EXPECT_TRUE(Compile(Request(9999), &result).ok());
  kilnd_->ReadLog(0);
  EXPECT_NE(kilnd_->log().find("event=memory_lowered"), std::string::npos) << kilnd_->log();
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
}

TEST_F(MemoryTest, WhatWasGivenAndDoesNotFitIsRefusedWithTheSum) {
  const std::string said = Refusal({"--as=900000000"}, {"--request-bytes=256MiB"});
  for (const char* part :
       {"address space is limited to 858 MiB (RLIMIT_AS", "512 MiB  requests in flight",
        "2 x --request-bytes", "These settings are given: ", "--request-bytes=256MiB"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  }
  EXPECT_NE(Refusal({"--as=900000000"}, {"--job-memory=2GiB"}).find("--job-memory=2GiB"),
            std::string::npos);
  EXPECT_NE(Refusal({"--as=300000000"}, {}).find("raise the limit"), std::string::npos);
}

// The limit is set while the daemon runs, so its plan does not include it.
TEST_F(MemoryTest, AnAllocationThatFailsIsTheEndWithOneLine) {
  StartReady({}, {"--workers=1", "--enable-fault-injection"});
  std::ifstream statm("/proc/" + std::to_string(kilnd_->pid()) + "/statm");
  uint64_t pages = 0;
  ASSERT_TRUE(statm >> pages);
  const rlim_t little = pages * static_cast<uint64_t>(getpagesize()) + (uint64_t{24} << 20);
  const rlimit limit = {little, little};
  ASSERT_EQ(prlimit(kilnd_->pid(), RLIMIT_AS, &limit, nullptr), 0);
  const std::map<int, int> ends = Flood(60, 0);
  for (auto [code, calls] : ends) {
    EXPECT_TRUE(code == grpc::OK || code == grpc::UNAVAILABLE || code == kLost ||
                code == grpc::RESOURCE_EXHAUSTED)
        << Ends(ends);
  }
  EXPECT_EQ(kilnd_->Wait(), kExhausted) << kilnd_->log();
  const std::string& log = kilnd_->log();
  const size_t at = log.find("event=out_of_memory");
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find('\n', at), log.size() - 1) << log;
  EXPECT_EQ(log.find("event=out_of_memory", at + 1), std::string::npos) << log;
  EXPECT_EQ(log.find("time=1970"), std::string::npos) << log;
  // Results until then equal those of a daemon with enough memory.
  StartReady({}, {"--workers=1"});
  for (const auto& [seed, code] : codes_) {
    TargetResult result;
    ASSERT_TRUE(Compile(Request(seed, kModuleWords), &result).ok());
    EXPECT_TRUE(result.variants(0).code() == code) << seed;
  }
}

TEST_F(MemoryTest, FilesOverTheirLimitCostTheDiskCacheOnly) {
  const std::string cache = testing::TempDir() + "/fsize_cache";
  std::filesystem::remove_all(cache);
  StartReady({"--fsize=262144"}, {"--workers=1", "--cache-dir=" + cache});
  for (uint32_t i = 0; i < 12; ++i) {
    TargetResult result;
    const grpc::Status status = Compile(Request(i, 25'000), &result);  // 100 KB
    ASSERT_TRUE(status.ok()) << i << " " << status.error_message() << kilnd_->log();
    EXPECT_EQ(result.status(), TargetResult::OK);
  }
  EXPECT_GT(kilnd_->Metric("kiln_cache_write_errors_total"), 0);
  EXPECT_NE(kilnd_->Page("/healthz").find("the disk cache is degraded"), std::string::npos)
      << kilnd_->Page("/healthz");
  TargetResult result;
  ASSERT_TRUE(Compile(Request(3, 25'000), &result).ok());
  EXPECT_NE(result.cache(), kiln::v1::CACHE_MISS);
  kilnd_->Signal(SIGTERM);
  EXPECT_EQ(kilnd_->Wait(), 0);
}

}  // namespace
}  // namespace kiln::test
