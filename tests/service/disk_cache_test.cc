// kilnd's disk cache under damage, end to end: the daemon starts, keeps serving, reports the damage
// and heals; and kill -9 at random points.
//
// KILN_KILL_ROUNDS=N runs more rounds than the suite's (see server/cache/disk_kill_test.cc):
//   bazel test -c opt //tests/service:disk_cache_test --test_env=KILN_KILL_ROUNDS=200
//       --test_filter='*KillNine*' --test_timeout=3600
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
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

namespace fs = std::filesystem;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::SourceDigest;
using kiln::v1::TargetResult;
using worker::FakeModule;

CompileRequest Request(uint32_t seed) {
  CompileRequest request;
  request.set_spirv(FakeModule(seed));
  request.add_targets("tgl");
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

class DiskCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/disk_cache_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    cache_ = dir_ + "/cache";
  }
  void Start(std::vector<std::string> flags = {}) {
    flags.push_back("--cache-dir=" + cache_);
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
    stub_ = kilnd_->Stub();
  }
  // Returns false if the call failed.
  bool Compile(const CompileRequest& request, TargetResult* result) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    CompileResponse response;
    grpc::Status status = stub_->Compile(&context, request, &response);
    if (status.ok()) *result = response.results(0);
    return status.ok();
  }
  // Expects a correct result and returns the tier that it came from.
  kiln::v1::CacheTier Tier(const CompileRequest& request) {
    TargetResult result;
    EXPECT_TRUE(Compile(request, &result));
    EXPECT_EQ(result.status(), TargetResult::OK);
    return result.cache();
  }
  void AwaitState(const std::string& state) {
    std::string name = "kiln_cache_disk_state{state=\"" + state + "\"}";
    EXPECT_TRUE(Await([&] { return kilnd_->Metric(name) == 1; })) << name;
  }
  double Failing(const std::string& cause) {
    return kilnd_->Metric("kiln_cache_disk_failing{cause=\"" + cause + "\"}");
  }

  std::string dir_, cache_;
  std::unique_ptr<KilndProcess> kilnd_;
  std::unique_ptr<kiln::v1::Compiler::Stub> stub_;
};

TEST_F(DiskCacheTest, AFileInPlaceOfTheDirectory) {
  std::ofstream(cache_) << "a file";
  Start();
  AwaitState("unavailable");
  EXPECT_EQ(Failing("not_a_directory"), 1);
  EXPECT_EQ(
      kilnd_->Page("/healthz").rfind("ok\nthe disk cache is unavailable (not_a_directory): ", 0),
      0u)
      << kilnd_->Page("/healthz");
  EXPECT_EQ(Tier(Request(1)), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Tier(DigestOnly(1)), kiln::v1::CACHE_MEMORY);
  fs::remove(cache_);
  AwaitState("serving");
  EXPECT_EQ(kilnd_->Page("/healthz"), "ok\n");
  EXPECT_EQ(Tier(Request(2)), kiln::v1::CACHE_MISS);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  EXPECT_NE(kilnd_->log().find(
                "event=cache_failing cause=not_a_directory message=\"cache directory " + cache_),
            std::string::npos)
      << kilnd_->log();
  EXPECT_NE(kilnd_->log().find("event=cache_recovered"), std::string::npos) << kilnd_->log();
  Start();
  EXPECT_EQ(Tier(DigestOnly(2)), kiln::v1::CACHE_DISK);
}

TEST_F(DiskCacheTest, ADirectoryThatOthersCanWriteTo) {
  Start();
  EXPECT_EQ(Tier(Request(1)), kiln::v1::CACHE_MISS);
  chmod(cache_.c_str(), 0777);
  AwaitState("unavailable");
  EXPECT_EQ(Failing("open_to_others"), 1);
  EXPECT_EQ(Tier(Request(2)), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Tier(DigestOnly(2)), kiln::v1::CACHE_MEMORY);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  const std::string why = "other users can write to cache directory " + cache_ + " (mode 0777)";
  EXPECT_NE(kilnd_->log().find("event=cache_failing cause=open_to_others message=\"" + why),
            std::string::npos)
      << kilnd_->log();
  Start();
  EXPECT_EQ(Tier(Request(1)), kiln::v1::CACHE_MISS);
  EXPECT_NE(kilnd_->Page("/healthz").find("unavailable (open_to_others): " + why),
            std::string::npos)
      << kilnd_->Page("/healthz");
  chmod(cache_.c_str(), 0700);
  AwaitState("serving");
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start();
  EXPECT_EQ(Tier(DigestOnly(1)), kiln::v1::CACHE_DISK);
}

TEST_F(DiskCacheTest, FilesDeletedWhileRunning) {
  Start();
  EXPECT_EQ(Tier(Request(1)), kiln::v1::CACHE_MISS);
  std::error_code raced;  // races with the daemon, which makes it anew
  fs::remove_all(cache_, raced);
  const std::string lost = "kiln_cache_damaged_generations_total{result=\"lost\"}";
  // The new generation begins after the old one was counted.
  auto healed = [&] {
    if (kilnd_->Metric(lost) <= 0) return false;
    for (const auto& e : fs::directory_iterator(cache_)) {
      if (fs::exists(e.path() / "written")) return true;
    }
    return false;
  };
  EXPECT_TRUE(Await(healed));
  AwaitState("serving");
  EXPECT_EQ(kilnd_->Metric(lost), 1);
  // Its records were in memory still, and are written again.
  EXPECT_EQ(kilnd_->Metric("kiln_cache_lost_records_total"), 0);
  EXPECT_EQ(Tier(Request(2)), kiln::v1::CACHE_MISS);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start();
  EXPECT_EQ(Tier(DigestOnly(1)), kiln::v1::CACHE_DISK);
  EXPECT_EQ(Tier(DigestOnly(2)), kiln::v1::CACHE_DISK);
}

TEST_F(DiskCacheTest, WithoutADirectoryOtherOutputsNeedNoCompile) {
  kilnd_ = std::make_unique<KilndProcess>(std::vector<std::string>{});
  ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  stub_ = kilnd_->Stub();
  CompileRequest statistics = Request(1);
  statistics.clear_outputs();
  EXPECT_EQ(Tier(statistics), kiln::v1::CACHE_MISS);
  TargetResult result;
  ASSERT_TRUE(Compile(DigestOnly(1), &result));
  EXPECT_EQ(result.cache(), kiln::v1::CACHE_MEMORY);
  EXPECT_FALSE(result.variants(0).code().empty());
}

// Mounts a file system of 3 MiB, in a mount namespace of this thread. Needs root.
bool MountSmallDisk(const std::string& path) {
  return unshare(CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("small", path.c_str(), "tmpfs", 0, "size=3m") == 0;
}

TEST_F(DiskCacheTest, AFullDisk) {
  if (!MountSmallDisk(dir_)) GTEST_SKIP() << "needs root to mount a small disk";
  std::string ballast = dir_ + "/ballast";
  auto fill = [&] {
    std::ofstream f(ballast, std::ios::binary);
    while (f.write(std::string(4096, 'b').data(), 4096).flush()) {
    }
  };
  fill();
  Start({"--cache-bytes=16MiB"});  // full at start
  EXPECT_EQ(Tier(Request(1)), kiln::v1::CACHE_MISS);
  EXPECT_EQ(Tier(DigestOnly(1)), kiln::v1::CACHE_MEMORY);
  AwaitState("unavailable");
  fs::remove(ballast);
  AwaitState("serving");
  EXPECT_EQ(Tier(Request(2)), kiln::v1::CACHE_MISS);
  fill();  // while it runs
  for (uint32_t seed = 100; seed < 2000 && Failing("full") != 1; ++seed) {
    ASSERT_EQ(Tier(Request(seed)), kiln::v1::CACHE_MISS);
  }
  EXPECT_EQ(Failing("full"), 1);
  fs::remove(ballast);
  AwaitState("serving");
  EXPECT_EQ(Tier(Request(3)), kiln::v1::CACHE_MISS);
  kilnd_->Signal(SIGKILL);
  kilnd_->Wait();
  Start({"--cache-bytes=16MiB"});
  EXPECT_EQ(Tier(DigestOnly(2)), kiln::v1::CACHE_DISK);
  EXPECT_EQ(Tier(DigestOnly(3)), kiln::v1::CACHE_DISK);
  EXPECT_EQ(kilnd_->Metric("kiln_cache_lost_records_total"), 0);
}

// The next daemon serves every acknowledged result from disk, with the same bytes.
TEST_F(DiskCacheTest, KillNineAtRandomPoints) {
  const char* text = getenv("KILN_KILL_ROUNDS");
  int rounds = text == nullptr ? 10 : atoi(text);
  std::mt19937 random(std::random_device{}());
  std::vector<std::string> code = {""};  // by seed, of acknowledged results
  size_t checked = 1;
  for (int round = 0; round < rounds; ++round) {
    Start();
    EXPECT_EQ(kilnd_->Metric("kiln_cache_lost_records_total"), 0) << "round " << round;
    // Checks all of the last round, and some of earlier ones.
    for (size_t seed = 1; seed < code.size(); ++seed) {
      if (seed < checked && random() % 20 != 0) continue;
      TargetResult result;
      ASSERT_TRUE(Compile(DigestOnly(static_cast<uint32_t>(seed)), &result));
      ASSERT_EQ(result.cache(), kiln::v1::CACHE_DISK) << seed << " in round " << round;
      ASSERT_EQ(result.variants(0).code(), code[seed]);
    }
    checked = code.size();
    std::thread killer([&, delay = random() % 60'000] {
      std::this_thread::sleep_for(std::chrono::microseconds(delay));
      kilnd_->Signal(SIGKILL);
    });
    TargetResult result;
    while (Compile(Request(static_cast<uint32_t>(code.size())), &result)) {
      EXPECT_EQ(result.status(), TargetResult::OK);
      code.push_back(result.variants(0).code());
    }
    killer.join();
    ASSERT_EQ(kilnd_->Wait(), 128 + SIGKILL);
  }
  EXPECT_GT(code.size(), static_cast<size_t>(rounds));
}

}  // namespace
}  // namespace kiln::test
