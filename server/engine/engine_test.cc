// Tests the engine with real workers and caches, without gRPC: many threads at once, with deaths
// and cancellations among them. Every call is answered exactly once, and with its own result.
#include "server/engine/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "server/engine/call.h"
#include "server/engine/testing.h"
#include "server/key/source_digest.h"
#include "server/worker/testing/fake_backend.h"

namespace kiln::server {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::TargetResult;

TEST_F(EngineTest, AnswersEachTargetInOrder) {
  Reply reply = Do(Request(1));
  ASSERT_TRUE(reply.status.ok());
  ASSERT_EQ(reply.answers.size(), 2u);
  EXPECT_EQ(Parse(reply.answers[0]).target(), "tgl");
  EXPECT_EQ(Parse(reply.answers[1]).target(), "skl");
  // One target is cached, one is not.
  CompileRequest more = Request(2);
  more.mutable_targets()->DeleteSubrange(0, 1);
  ASSERT_TRUE(Do(more).status.ok());
  reply = Do(Request(2));
  EXPECT_EQ(reply.answers[0].tier, kiln::v1::CACHE_MISS);
  EXPECT_EQ(reply.answers[1].tier, kiln::v1::CACHE_MEMORY);
}

TEST_F(EngineTest, GlslWhoseModuleIsNotKeptIsTranslatedAgain) {
  CompileRequest request;
  request.mutable_glsl()->set_text("void main() {}");
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  Reply first = Do(request);
  ASSERT_TRUE(first.status.ok());
  TargetResult result = Parse(first.answers[0]);
  ASSERT_EQ(result.status(), TargetResult::OK);
  // The translation is cached but the module is lost, as when its generation is dropped.
  cache::Digest module{};
  std::copy(result.spirv_sha256().begin(), result.spirv_sha256().end(), module.begin());
  cache_->ForgetModule(module);
  request.mutable_options()->add_widths(16);
  Reply second = Do(request);
  EXPECT_EQ(Parse(second.answers[0]).status(), TargetResult::OK);
  EXPECT_EQ(second.answers[0].tier, kiln::v1::CACHE_MISS);
}

// With --require-source-once a client may ask by digest only for sources it has sent; an unknown
// client has sent none, even if other unknown clients did.
TEST_F(EngineTest, WhoIsNotKnownKnowsNoSource) {
  KnownSources known(100, absl::Hours(1));
  Engine::Options options;
  options.known = &known;
  Engine engine(options, pool_.get(), cache_.get(), metrics_.get());
  ASSERT_TRUE(Do(Request(1)).status.ok());
  CompileRequest digest = Request(1);
  const auto sha256 = cache::SpirvDigest(digest.spirv());
  digest.mutable_digest()->set_kind(kiln::v1::SourceDigest::SPIRV);
  digest.mutable_digest()->set_sha256(std::string(cache::AsBytes(sha256)));
  for (const char* client : {"", "192.0.2.7 1"}) {
    Reply sent, asked;
    ASSERT_EQ(engine.Begin(Request(1), {}, client, &sent), nullptr);
    ASSERT_EQ(engine.Begin(digest, {}, client, &asked), nullptr);
    EXPECT_EQ(Parse(sent.answers.at(0)).status(), TargetResult::OK);
    EXPECT_EQ(Parse(asked.answers.at(0)).status(),
              *client == 0 ? TargetResult::NOT_CACHED : TargetResult::OK)
        << client;
  }
  engine.Stop();
}

// A call of an owner, with a way to wait for its end.
struct OwnedCall {
  std::shared_ptr<Call> call;
  absl::Notification done;
  Reply reply;
  bool Await() { return done.WaitForNotificationWithTimeout(absl::Seconds(60)); }
};

class EngineSharesTest : public EngineTest {
 protected:
  void Begin(OwnedCall* owned, const std::string& owner, uint32_t seed,
             worker::Fault::Kind kind = worker::Fault::NONE, uint32_t milliseconds = 0) {
    worker::Fault fault;
    fault.set_kind(kind);
    fault.set_milliseconds(milliseconds);
    owned->call = engine_->Begin(Request(seed), fault, "", &owned->reply);
    ASSERT_NE(owned->call, nullptr);
    owned->call->owner = {owner, "1"};
    engine_->Continue(owned->call, [owned](Reply r) {
      owned->reply = std::move(r);
      owned->done.Notify();
    });
  }
  bool AwaitLoad(int busy, size_t queued) {
    return Await([&] {
      const auto load = pool_->load();
      return load.busy == busy && load.queued == queued;
    });
  }
  bool AwaitOwners(size_t owners) {
    return Await([&] { return pool_->load().owners == owners; });
  }
  void Leave(OwnedCall* owned) { engine_->Cancel(owned->call, absl::CancelledError("left")); }
};

// Two calls for the same result are one job, which waits in the queue of the owner who has used
// less.
TEST_F(EngineSharesTest, ACallThatJoinsAnotherOwnersDoesNotWaitForThatOwnersOthers) {
  OwnedCall running[2], bulk[12], joins;
  for (uint32_t i = 0; i < 2; ++i) {
    Begin(&running[i], "bulk", i, worker::Fault::SLOW, 20'000);
    ASSERT_TRUE(AwaitLoad(static_cast<int>(i) + 1, 0));
  }
  for (uint32_t i = 0; i < 12; ++i) {
    Begin(&bulk[i], "bulk", 10 + i, worker::Fault::SLOW, 300);
    ASSERT_TRUE(AwaitLoad(2, i + 1));
  }
  Begin(&joins, "other", 21);
  EXPECT_TRUE(AwaitOwners(2));
  for (auto& call : running) Leave(&call);
  ASSERT_TRUE(joins.Await());
  EXPECT_TRUE(joins.reply.status.ok()) << joins.reply.status;
  EXPECT_EQ(joins.reply.answers[0].tier, kiln::v1::CACHE_COALESCED);
  int before = 0;
  for (int i = 0; i < 11; ++i) before += bulk[i].done.HasBeenNotified();
  EXPECT_LE(before, 4);
  for (auto& call : bulk) EXPECT_TRUE(call.Await());
}

TEST_F(EngineSharesTest, AJobWhoseFirstOwnerLeftIsTheOthers) {
  OwnedCall running[2], first, joins, later;
  for (uint32_t i = 0; i < 2; ++i) {
    Begin(&running[i], "bulk", i, worker::Fault::SLOW, 20'000);
    ASSERT_TRUE(AwaitLoad(static_cast<int>(i) + 1, 0));
  }
  Begin(&first, "first", 10);
  ASSERT_TRUE(AwaitLoad(2, 1));
  Begin(&joins, "bulk", 10);
  absl::SleepFor(absl::Milliseconds(200));  // until it has joined
  EXPECT_EQ(pool_->load().owners, 2u);
  Leave(&first);
  EXPECT_TRUE(AwaitOwners(1));
  EXPECT_EQ(pool_->load().queued, 1u);
  for (auto& call : running) Leave(&call);
  EXPECT_TRUE(joins.Await());
  EXPECT_TRUE(joins.reply.status.ok()) << joins.reply.status;
}

// The job belongs to the bulk client when it is displaced, for the other client has used more.
TEST_F(EngineSharesTest, WhoJoinedAJobThatGivesWayIsNotRefusedWithIt) {
  worker::PoolOptions options;
  options.queue_limit = 6;
  Start(std::move(options));
  OwnedCall running[2], deaf, bulk[5], other, joins, newcomer;
  Begin(&running[0], "runs", 0, worker::Fault::SLOW, 40'000);
  ASSERT_TRUE(AwaitLoad(1, 0));
  Begin(&deaf, "other", 1, worker::Fault::HANG);
  ASSERT_TRUE(AwaitLoad(2, 0));
  Leave(&deaf);
  ASSERT_TRUE(AwaitLoad(1, 0));
  Begin(&running[1], "runs", 2, worker::Fault::SLOW, 40'000);
  ASSERT_TRUE(AwaitLoad(2, 0));
  Begin(&other, "other", 3);
  ASSERT_TRUE(AwaitLoad(2, 1));
  for (uint32_t i = 0; i < 5; ++i) {
    Begin(&bulk[i], "bulk", 10 + i);
    ASSERT_TRUE(AwaitLoad(2, i + 2));
  }
  Begin(&joins, "other", 14);
  absl::SleepFor(absl::Milliseconds(200));  // until it has joined
  Begin(&newcomer, "new", 20);
  ASSERT_TRUE(bulk[4].Await());
  EXPECT_TRUE(absl::IsUnavailable(bulk[4].reply.status));
  EXPECT_FALSE(joins.done.HasBeenNotified()) << joins.reply.status;
  for (auto& call : running) Leave(&call);
  ASSERT_TRUE(joins.Await() && newcomer.Await() && other.Await());
  EXPECT_TRUE(joins.reply.status.ok()) << joins.reply.status;
  EXPECT_TRUE(newcomer.reply.status.ok());
  EXPECT_TRUE(other.reply.status.ok());
  for (auto& call : bulk) EXPECT_TRUE(call.Await());
}

TEST_F(EngineTest, ManyThreadsWithDeathsAndDepartures) {
  // The result of each seed, from a first pass without faults or cancellations.
  constexpr uint32_t kSeeds = 12;
  std::vector<std::string> expected;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    CompileRequest request = Request(seed);
    request.set_cache_policy(kiln::v1::CACHE_BYPASS);
    expected.push_back(Parse(Do(request).answers.at(1)).variants(0).code());
  }
  std::atomic<int> answered = 0, cancelled = 0, died = 0, right = 0, wrong = 0;
  constexpr int kThreads = 6, kCalls = 60;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        uint32_t seed = static_cast<uint32_t>(t * 7 + i) % kSeeds;
        CompileRequest request = Request(seed);
        if (i % 4 == 0) request.set_cache_policy(kiln::v1::CACHE_REFRESH);
        worker::Fault fault;
        if (i % 9 == 4) fault.set_kind(worker::Fault::CRASH);
        if (i % 9 == 5) fault.set_kind(worker::Fault::SLOW), fault.set_milliseconds(20);
        Reply reply;
        auto call = engine_->Begin(std::move(request), fault, "", &reply);
        if (call != nullptr) {
          auto done = std::make_shared<absl::Notification>();
          auto got = std::make_shared<Reply>();
          engine_->Continue(call, [done, got](Reply r) {
            *got = std::move(r);
            done->Notify();  // a second Notify would be fatal
          });
          if (i % 5 == 2) engine_->Cancel(call, absl::CancelledError("left"));
          ASSERT_TRUE(done->WaitForNotificationWithTimeout(absl::Seconds(60)));
          reply = std::move(*got);
        }
        ++answered;
        if (!reply.status.ok()) {
          ++cancelled;
          continue;
        }
        TargetResult result = Parse(reply.answers[1]);
        if (result.status() != TargetResult::OK) {
          ++died;
        } else {
          ++(result.variants(0).code() == expected[seed] ? right : wrong);
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(answered, kThreads * kCalls);
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(right, kThreads * kCalls / 4);
  EXPECT_TRUE(Await([&] { return pool_->load().busy == 0; }));
  EXPECT_EQ(pool_->load().queued, 0u);
}

}  // namespace
}  // namespace kiln::server
