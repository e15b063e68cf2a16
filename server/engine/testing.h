// An engine in a test, with real workers of the compiler double and a cache on disk.
#ifndef KILN_SERVER_ENGINE_TESTING_H_
#define KILN_SERVER_ENGINE_TESTING_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "server/cache/disk_tier.h"
#include "server/engine/call.h"
#include "server/engine/engine.h"
#include "server/worker/testing/fake_backend.h"

namespace kiln::server {

// The test needs //server/worker/testing:fake_worker among its data.
class EngineTest : public testing::Test {
 protected:
  void SetUp() override { Start(worker::PoolOptions()); }
  // Starts the pool and the engine again, with an empty cache.
  void Start(worker::PoolOptions options, const Engine::Options& engine = Engine::Options()) {
    if (engine_ != nullptr) {
      TearDown();
      cache_.reset();
    }
    cache::DiskOptions disk;
    disk.directory = testing::TempDir() + "/engine_" +
                     testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(disk.directory);
    auto opened = cache::DiskTier::Open(disk);
    ASSERT_TRUE(opened.ok()) << opened.status();
    cache_ = std::make_unique<cache::ResultCache>(4 << 20, *std::move(opened));
    options.executable = "server/worker/testing/fake_worker";
    options.workers = 2;
    options.limits.fault_injection = true;
    auto pool = worker::Pool::Start(std::move(options));
    ASSERT_TRUE(pool.ok()) << pool.status();
    pool_ = *std::move(pool);
    metrics_ = std::make_unique<metrics::Metrics>(pool_->hello(), "test");
    engine_ = std::make_unique<Engine>(engine, pool_.get(), cache_.get(), metrics_.get());
  }
  void TearDown() override {
    engine_->Stop();
    pool_.reset();
    engine_.reset();
  }
  static kiln::v1::CompileRequest Request(uint32_t seed) {
    kiln::v1::CompileRequest request;
    request.set_spirv(worker::FakeModule(seed));
    request.add_targets("tgl");
    request.add_targets("skl");
    request.mutable_outputs()->set_binary(true);
    return request;
  }
  static kiln::v1::TargetResult Parse(const Answer& answer) {
    kiln::v1::TargetResult result;
    EXPECT_TRUE(result.ParseFromArray(answer.ready.bytes->data(),
                                      static_cast<int>(answer.ready.bytes->size())));
    return result;
  }
  // Returns the reply to the request, once it is there.
  Reply Do(kiln::v1::CompileRequest request, const worker::Fault& fault = {}) {
    Reply reply;
    auto call = engine_->Begin(std::move(request), fault, "", &reply);
    if (call == nullptr) return reply;
    absl::Notification done;
    engine_->Continue(call, [&](Reply r) {
      reply = std::move(r);
      done.Notify();
    });
    EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return reply;
  }

  std::unique_ptr<cache::ResultCache> cache_;
  std::unique_ptr<worker::Pool> pool_;
  std::unique_ptr<metrics::Metrics> metrics_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_TESTING_H_
