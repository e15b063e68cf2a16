// A daemon that is away for a while, seen through the client library: killed, stopped for an
// upgrade, behind a closed port, or on a machine that vanished without closing its connections;
// with single calls and over a stream.
//
// Many threads compile through one client. When a part is answered, the daemon goes away with calls
// in flight; after the absence it is back, on the same port and with the same cache. Required:
// every compile succeeds, and answered ones are not compiled again.
//
// KILN_ABSENCES="5,10,25" (seconds) repeats it with absences as restarts and upgrades have them:
//   KILN_ABSENCES=5,10,25 bazel test --test_env=KILN_ABSENCES --test_output=all --test_timeout=900
//       //tests/service:away_test
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "client/service/stream_client.h"
#include "core/base/testing/await.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"
#include "tests/service/tcp_proxy.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::TargetResult;

constexpr int kItems = 600;
constexpr int kBefore = 200;  // answered before the daemon goes away
constexpr int kThreads = 24;

enum class How { kKilled, kStopped, kPortClosed, kReset, kGone };

const char* NameOf(How how) {
  static constexpr const char* kNames[] = {"Killed", "Stopped", "PortClosed", "Reset", "Gone"};
  return kNames[static_cast<int>(how)];
}

std::vector<double> Absences() {
  std::vector<double> all;
  const char* text = std::getenv("KILN_ABSENCES");
  for (absl::string_view word : absl::StrSplit(text == nullptr ? "0.5" : text, ',')) {
    double seconds = 0;
    if (absl::SimpleAtod(word, &seconds)) all.push_back(seconds);
  }
  return all;
}

CompileRequest Request(int n) {
  CompileRequest request;
  // Large enough to be requested by digest first, by single calls as well.
  request.set_spirv(worker::FakeModule(static_cast<uint32_t>(n), 6000));
  request.add_targets("tgl");
  return request;
}

class AwayTest : public testing::TestWithParam<std::tuple<How, bool>> {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/away_" +
           std::string(absl::StrReplaceAll(
               testing::UnitTest::GetInstance()->current_test_info()->name(), {{"/", "_"}}));
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
    Start("127.0.0.1:0");
    listen_ = kilnd_->address();
    uint32_t port = 0;
    ASSERT_TRUE(absl::SimpleAtoi(listen_.substr(listen_.find(':') + 1), &port));
    proxy_ = std::make_unique<TcpProxy>(static_cast<uint16_t>(port));
  }

  void Start(const std::string& listen) {
    kilnd_ = std::make_unique<KilndProcess>(
        std::vector<std::string>{"--listen=" + listen, "--cache-dir=" + dir_ + "/cache"});
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }

  void Connect(bool stream, absl::Duration patience) {
    client::ClientOptions options;
    options.server = proxy_->address();
    options.retry.patience = patience;
    options.keepalive = absl::Milliseconds(500);
    auto client = client::Client::Connect(options);
    ASSERT_TRUE(client.ok()) << client.status();
    service_ = *std::move(client);
    if (!stream) return;
    auto* plain = static_cast<client::Client*>(service_.release());
    service_ = std::make_unique<client::StreamClient>(std::unique_ptr<client::Client>(plain));
  }

  // Takes the daemon away for so long, and brings it back.
  void Absence(How how, absl::Duration absence) {
    if (how == How::kKilled) kilnd_->Signal(SIGKILL);
    if (how == How::kStopped) kilnd_->Signal(SIGTERM);
    if (how == How::kPortClosed) proxy_->Close();
    if (how == How::kReset) proxy_->Reset();
    if (how == How::kGone) proxy_->SetGone(true);
    const bool restarts = how == How::kKilled || how == How::kStopped;
    if (restarts) kilnd_->Wait();
    absl::SleepFor(absence);
    if (restarts) Start(listen_);
    if (how == How::kPortClosed) proxy_->Open();
    if (how == How::kGone) proxy_->SetGone(false);
  }

  // Compiles all items by many threads; those from kBefore on wait until `let_go_`.
  void CompileAll() {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([this] {
        for (int n = next_++; n < kItems; n = next_++) {
          while (n >= kBefore && !let_go_) absl::SleepFor(absl::Milliseconds(1));
          const auto response = service_->Compile(Request(n));
          const bool good = response.ok() && response->results(0).status() == TargetResult::OK;
          ++(good ? good_ : bad_);
          if (!good) ADD_FAILURE() << n << ": " << response.status();
        }
      });
    }
    for (std::thread& t : threads) t.join();
  }

  std::string dir_, listen_;
  std::unique_ptr<KilndProcess> kilnd_;
  std::unique_ptr<TcpProxy> proxy_;
  std::unique_ptr<client::Service> service_;
  std::atomic<int> next_{0}, good_{0}, bad_{0};
  std::atomic<bool> let_go_{false};
};

TEST_P(AwayTest, EveryCompileEndsWellAndNoneIsMadeTwice) {
  const auto [how, stream] = GetParam();
  for (const double seconds : Absences()) {
    next_ = good_ = bad_ = 0;
    let_go_ = false;
    // Each round starts with an empty cache.
    kilnd_->Signal(SIGKILL);
    kilnd_->Wait();
    std::filesystem::remove_all(dir_ + "/cache");
    Start(listen_);
    // Far more than it takes: the test judges outcomes, not the machine's speed.
    Connect(stream, absl::Seconds(seconds + 60));
    std::thread all([this] { CompileAll(); });
    EXPECT_TRUE(Await([&] { return good_ >= kBefore; }));
    let_go_ = true;
    EXPECT_TRUE(Await([&] { return good_ >= kBefore + kThreads; }));
    const int answered = good_;
    Absence(how, absl::Seconds(seconds));
    const absl::Time back = absl::Now();
    all.join();
    EXPECT_EQ(good_, kItems);
    EXPECT_EQ(bad_, 0);
    const double misses =
        kilnd_->Metric("kiln_compile_results_total{cache=\"miss\",result=\"ok\",target=\"tgl\"}");
    const bool restarted = how == How::kKilled || how == How::kStopped;
    EXPECT_LE(misses, restarted ? kItems - answered : kItems);
    printf(
        "%s, %s, away for %g s: %d answered before, all %d %.1f s after the return, %g "
        "compiled%s\n",
        NameOf(how), stream ? "stream" : "single calls", seconds, answered, kItems,
        absl::ToDoubleSeconds(absl::Now() - back), misses,
        restarted ? " by the second daemon" : "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, AwayTest,
                         testing::Combine(testing::Values(How::kKilled, How::kStopped,
                                                          How::kPortClosed, How::kReset,
                                                          How::kGone),
                                          testing::Bool()),
                         [](const auto& info) {
                           return absl::StrCat(NameOf(std::get<0>(info.param)),
                                               std::get<1>(info.param) ? "Stream" : "Calls");
                         });

// The client accepts every address that kilnd listens on, and the one that kilnd prints.
TEST(AddressTest, WhatKilndTakesTheClientTakes) {
  // Relative, because the full name of a test's folder is too long for a socket.
  const std::string folder = std::filesystem::relative(testing::TempDir()).string();
  for (const std::string& listen :
       {std::string("127.0.0.1:0"), std::string("localhost:0"), std::string("0.0.0.0:0"),
        std::string("[::1]:0"), std::string("[::]:0"), std::string("::1:0"), std::string(":::0"),
        "unix:" + folder + "/k.sock", "unix:" + folder + "/a b%20c?d#e.sock"}) {
    KilndProcess kilnd({"--listen=" + listen});
    ASSERT_TRUE(kilnd.AwaitReady()) << listen << kilnd.log();
    client::ClientOptions options;
    options.server = kilnd.address();
    const auto client = client::Client::Connect(options);
    EXPECT_TRUE(client.ok()) << listen << " as " << kilnd.address() << ": " << client.status();
  }
}

}  // namespace
}  // namespace kiln::test
