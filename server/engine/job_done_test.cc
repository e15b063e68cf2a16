// Tests what the engine does with each end of a job: which results it stores, what it tells the
// quarantine and the recheck, and which targets it compiles again.
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "core/base/testing/await.h"
#include "server/engine/testing.h"
#include "server/key/source_digest.h"

namespace kiln::server {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::QuarantineEntry;
using kiln::v1::TargetResult;

worker::Fault FaultOf(worker::Fault::Kind kind, const std::string& pass = "fake_select") {
  worker::Fault fault;
  fault.set_kind(kind);
  fault.set_pass(pass);
  return fault;
}

class JobDoneTest : public EngineTest {
 protected:
  void SetUp() override { Quarantine(1); }

  // Starts everything again, with a quarantine after `deaths` deaths.
  void Quarantine(uint32_t deaths, worker::PoolOptions pool = {}) {
    quarantine::Options options;
    options.deaths = deaths;
    const std::string cache = testing::TempDir() + "/quarantine_" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(cache);
    options.directory = cache + "/quarantine";
    options.compiler = [](const std::string& target) { return target + "/1"; };
    options.limits.set_job_time_ms(60'000);
    options.limits.set_job_cpu_time_ms(60'000);
    options.limits.set_job_memory_bytes(uint64_t{2} << 30);
    auto quarantine = std::make_unique<quarantine::Quarantine>(std::move(options));
    Engine::Options engine;
    engine.quarantine = quarantine.get();
    auto activity = std::make_unique<pages::Activity>(worker::Hello());
    engine.activity = activity.get();
    Start(std::move(pool), engine);
    quarantine_ = std::move(quarantine);
    activity_ = std::move(activity);
  }
  static CompileRequest Glsl(const std::string& text) {
    CompileRequest request;
    request.mutable_glsl()->set_text(text);
    request.mutable_glsl()->set_stage("compute");
    request.add_targets("tgl");
    request.add_targets("skl");
    return request;
  }
  // Returns the only entry of the quarantine as it is on disk, with its request.
  QuarantineEntry OnlyEntry() const {
    const auto list = quarantine_->List();
    EXPECT_EQ(list.entries_size(), 1) << list.DebugString();
    if (list.entries_size() != 1) return {};
    const auto shown = quarantine_->Show(list.entries(0).key());
    QuarantineEntry entry;
    std::ifstream file(shown.has_value() ? shown->file() : "", std::ios::binary);
    EXPECT_TRUE(entry.ParseFromIstream(&file)) << quarantine_->usage().trouble;
    return entry;
  }
  // Expects that both targets are compiled, since neither has a stored result.
  void ExpectCompiled(const CompileRequest& request) {
    const Reply reply = Do(request);
    ASSERT_TRUE(reply.status.ok()) << reply.status;
    for (const Answer& answer : reply.answers) {
      EXPECT_EQ(Parse(answer).status(), TargetResult::OK);
      EXPECT_EQ(answer.tier, kiln::v1::CACHE_MISS) << Parse(answer).target();
    }
  }

  std::unique_ptr<quarantine::Quarantine> quarantine_;
  std::unique_ptr<pages::Activity> activity_;
};

TEST_F(JobDoneTest, ThePagesAreToldOfResultsRefusalsAndPasses) {
  CompileRequest request = Request(1);
  const std::string key = Parse(Do(request).answers.at(0)).key();
  Do(request);
  std::vector<pages::Shader> shaders = activity_->shaders.All();
  ASSERT_EQ(shaders.size(), 2u) << "one for each target";
  for (const pages::Shader& shader : shaders) {
    EXPECT_EQ(shader.made, 1u) << "a hit makes nothing";
    EXPECT_EQ(shader.refused, 0u);
    EXPECT_GT(shader.code_bytes, 0);
  }
  EXPECT_EQ(cache::ToHex(shaders.back().key), key);
  EXPECT_FALSE(activity_->passes.Rows().empty());
  request.set_spirv(worker::RefusedFakeModule());
  for (int i = 0; i < 3; ++i) Do(request);
  shaders = activity_->shaders.All();
  ASSERT_EQ(shaders.size(), 4u);
  EXPECT_EQ(shaders[0].refused, 3u) << "of which the cache answered two";
  EXPECT_EQ(shaders[0].made, 1u);
  request = Request(2);
  request.mutable_targets()->RemoveLast();
  Do(request, FaultOf(worker::Fault::CRASH));
  Do(request);
  EXPECT_EQ(activity_->shaders.All().at(0).status, TargetResult::CRASHED);
  EXPECT_EQ(activity_->shaders.All().at(0).refused, 2u) << "by the quarantine once";
}

TEST_F(JobDoneTest, AResultIsNamedAndStored) {
  const CompileRequest request = Request(1);
  const Reply first = Do(request), second = Do(request);
  ASSERT_EQ(first.answers.size(), 2u);
  ASSERT_EQ(second.answers.size(), 2u);
  const cache::Digest module = cache::SpirvDigest(request.spirv());
  for (int i = 0; i < 2; ++i) {
    const TargetResult result = Parse(first.answers[i]);
    EXPECT_EQ(result.status(), TargetResult::OK);
    EXPECT_EQ(result.target(), request.targets(i));
    EXPECT_EQ(result.key().size(), 64u);
    EXPECT_EQ(result.spirv_sha256(), cache::AsBytes(module));
    EXPECT_EQ(first.answers[i].tier, kiln::v1::CACHE_MISS);
    EXPECT_EQ(second.answers[i].tier, kiln::v1::CACHE_MEMORY);
    EXPECT_EQ(*second.answers[i].ready.bytes, *first.answers[i].ready.bytes);
  }
  EXPECT_NE(Parse(first.answers[0]).key(), Parse(first.answers[1]).key());
}

TEST_F(JobDoneTest, AResultOfABypassIsNotStored) {
  CompileRequest bypass = Request(1);
  bypass.set_cache_policy(kiln::v1::CACHE_BYPASS);
  ExpectCompiled(bypass);
  ExpectCompiled(Request(1));
  EXPECT_EQ(Do(Request(1)).answers.at(0).tier, kiln::v1::CACHE_MEMORY);
}

TEST_F(JobDoneTest, ARefusalIsStored) {
  CompileRequest request = Request(1);
  request.set_spirv(worker::RefusedFakeModule());
  const Reply first = Do(request), second = Do(request);
  for (const Reply* reply : {&first, &second}) {
    const TargetResult result = Parse(reply->answers.at(1));
    EXPECT_EQ(result.status(), TargetResult::REFUSED);
    EXPECT_EQ(result.cause(), "fake_capability");
    EXPECT_EQ(result.target(), "skl");
  }
  EXPECT_EQ(first.answers[1].tier, kiln::v1::CACHE_MISS);
  EXPECT_EQ(second.answers[1].tier, kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(quarantine_->List().entries_size(), 0);
}

struct Death {
  worker::Fault::Kind kind;
  TargetResult::Status status;
  const char* cause;
  bool blamed = true;  // the quarantine counts it
};

// A job that hangs without working is not blamed: so does one on a machine that is too busy.
TEST_F(JobDoneTest, ADeathIsAnsweredAndCountedButNotStored) {
  for (const Death& death :
       {Death{worker::Fault::CRASH, TargetResult::CRASHED, "segmentation_fault"},
        Death{worker::Fault::EXIT, TargetResult::CRASHED, "worker_exited"},
        Death{worker::Fault::SPIN, TargetResult::TIMED_OUT, "cpu_time_limit"},
        Death{worker::Fault::HANG, TargetResult::TIMED_OUT, "wall_time_limit", false}}) {
    worker::PoolOptions pool;
    pool.limits.cpu_time = absl::Milliseconds(300);
    // Short only if this limit is what ends the job.
    pool.limits.wall_time = absl::Seconds(death.kind == worker::Fault::HANG ? 1 : 60);
    Quarantine(1, std::move(pool));
    CompileRequest request = Request(1);
    request.mutable_targets()->RemoveLast();
    const Reply reply = Do(request, FaultOf(death.kind));
    ASSERT_EQ(reply.answers.size(), 1u) << death.cause;
    const TargetResult result = Parse(reply.answers[0]);
    EXPECT_EQ(result.status(), death.status) << death.cause;
    EXPECT_EQ(result.cause(), death.cause);
    EXPECT_NE(result.message(), "") << death.cause;
    EXPECT_EQ(result.last_pass(), "fake_select") << death.cause;
    EXPECT_EQ(result.target(), "tgl") << death.cause;
    EXPECT_FALSE(reply.answers[0].quarantined) << death.cause;
    if (death.blamed) {
      const QuarantineEntry entry = OnlyEntry();
      EXPECT_EQ(entry.key(), result.key());
      EXPECT_EQ(entry.target(), "tgl");
      EXPECT_EQ(entry.status(), death.status);
      EXPECT_EQ(entry.cause(), death.cause);
      EXPECT_EQ(entry.message(), result.message());
      EXPECT_EQ(entry.last_pass(), "fake_select");
      const Reply refused = Do(request);
      EXPECT_TRUE(refused.answers.at(0).quarantined) << death.cause;
      EXPECT_EQ(Parse(refused.answers.at(0)).cause(), "quarantined") << death.cause;
      quarantine_->ClearAll();
    }
    EXPECT_EQ(quarantine_->List().entries_size(), 0) << death.cause;
    ExpectCompiled(request);
  }
}

TEST_F(JobDoneTest, AnEndWithoutMemoryIsADeath) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers do not fit into the limit";
#endif
  worker::PoolOptions pool;
  pool.limits.address_space_bytes = uint64_t{512} << 20;
  Quarantine(1, std::move(pool));
  const TargetResult result = Parse(Do(Request(1), FaultOf(worker::Fault::ALLOCATE)).answers.at(0));
  EXPECT_EQ(result.status(), TargetResult::MEMORY_LIMIT);
  EXPECT_EQ(result.cause(), "memory_limit");
  EXPECT_EQ(OnlyEntry().key(), result.key());
}

// The request that the quarantine keeps has the module and the target that died, no other.
TEST_F(JobDoneTest, TargetsThatHadNotBegunAreCompiledAgain) {
  CompileRequest request = Request(1);
  request.set_entry_point("other");
  request.set_stage("compute");
  request.set_cache_policy(kiln::v1::CACHE_REFRESH);
  const Reply reply = Do(request, FaultOf(worker::Fault::CRASH));
  ASSERT_EQ(reply.answers.size(), 2u);
  EXPECT_EQ(Parse(reply.answers[0]).status(), TargetResult::CRASHED);
  const TargetResult again = Parse(reply.answers[1]);
  EXPECT_EQ(again.status(), TargetResult::OK);
  EXPECT_EQ(again.target(), "skl");
  ASSERT_EQ(again.variants_size(), 1);

  const QuarantineEntry entry = OnlyEntry();
  EXPECT_EQ(entry.key(), Parse(reply.answers[0]).key());
  ASSERT_EQ(entry.request().targets_size(), 1);
  EXPECT_EQ(entry.request().targets(0), "tgl");
  EXPECT_EQ(entry.request().spirv(), request.spirv());
  EXPECT_EQ(entry.request().entry_point(), "other");
  EXPECT_EQ(entry.request().stage(), "compute");
  EXPECT_EQ(entry.request().cache_policy(), CompileRequest().cache_policy());

  request.clear_cache_policy();
  const Reply second = Do(request);
  EXPECT_TRUE(second.answers.at(0).quarantined);
  EXPECT_FALSE(second.answers.at(1).quarantined);
  EXPECT_EQ(second.answers.at(1).tier, kiln::v1::CACHE_MEMORY);
  quarantine_->ClearAll();
  CompileRequest bypass = request;
  bypass.set_cache_policy(kiln::v1::CACHE_BYPASS);
  EXPECT_EQ(Parse(Do(bypass).answers.at(1)).variants(0).code(), again.variants(0).code());
}

// A fault whose pass never comes happens at the end of the last target.
TEST_F(JobDoneTest, ATargetThatWasReadyBeforeTheDeathIsStored) {
  const Reply reply = Do(Request(1), FaultOf(worker::Fault::CRASH, "never"));
  ASSERT_EQ(reply.answers.size(), 2u);
  EXPECT_EQ(Parse(reply.answers[0]).status(), TargetResult::OK);
  EXPECT_EQ(Parse(reply.answers[1]).status(), TargetResult::CRASHED);
  EXPECT_EQ(OnlyEntry().target(), "skl");
  const Reply second = Do(Request(1));
  EXPECT_EQ(second.answers.at(0).tier, kiln::v1::CACHE_MEMORY);
  EXPECT_TRUE(second.answers.at(1).quarantined);
}

TEST_F(JobDoneTest, ADeathInWorkForAllTargetsIsOneOfEach) {
  const Reply reply = Do(Request(1), FaultOf(worker::Fault::CRASH, "fake_import"));
  for (const Answer& answer : reply.answers) {
    EXPECT_EQ(Parse(answer).status(), TargetResult::CRASHED);
    EXPECT_EQ(Parse(answer).last_pass(), "fake_import");
  }
  EXPECT_EQ(quarantine_->List().entries_size(), 2);
}

// Two deaths are needed; a success in between starts the count again.
TEST_F(JobDoneTest, ASuccessInBetweenAbsolves) {
  Quarantine(2);
  CompileRequest request = Request(1);
  request.set_cache_policy(kiln::v1::CACHE_REFRESH);
  const auto die = [&] {
    EXPECT_EQ(Parse(Do(request, FaultOf(worker::Fault::CRASH)).answers.at(0)).status(),
              TargetResult::CRASHED);
    return quarantine_->List().entries_size();
  };
  EXPECT_EQ(die(), 0);
  EXPECT_EQ(Parse(Do(request).answers.at(0)).status(), TargetResult::OK);
  EXPECT_EQ(die(), 0);
  EXPECT_EQ(die(), 1);
}

TEST_F(JobDoneTest, ACancelledJobIsNeitherStoredNorCounted) {
  Quarantine(2);
  const auto die = [&] {
    EXPECT_EQ(Do(Request(1), FaultOf(worker::Fault::CRASH)).answers.size(), 2u);
    return quarantine_->List().entries_size();
  };
  EXPECT_EQ(die(), 0);
  CompileRequest request = Request(1);
  request.mutable_targets()->RemoveLast();
  worker::Fault slow = FaultOf(worker::Fault::SLOW);
  slow.set_milliseconds(60'000);
  Reply reply;
  const auto call = engine_->Begin(request, slow, "", &reply);
  ASSERT_NE(call, nullptr);
  absl::Notification done;
  engine_->Continue(call, [&](Reply r) {
    reply = std::move(r);
    done.Notify();
  });
  ASSERT_TRUE(Await([&] { return pool_->load().busy == 1; }));
  engine_->Cancel(call, absl::CancelledError("left"));
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
  EXPECT_EQ(reply.status, absl::CancelledError("left"));
  ASSERT_TRUE(Await([&] { return pool_->load().busy == 0; }));
  EXPECT_EQ(quarantine_->List().entries_size(), 0);
  EXPECT_EQ(die(), 1) << "the earlier death counts still, and the result was not stored";
}

TEST_F(JobDoneTest, ATranslationIsStored) {
  const Reply wrong = Do(Glsl("error")), again = Do(Glsl("error"));
  for (const Reply* reply : {&wrong, &again}) {
    ASSERT_EQ(reply->answers.size(), 2u);
    EXPECT_EQ(Parse(reply->answers[0]).status(), TargetResult::INVALID);
    EXPECT_EQ(Parse(reply->answers[1]).cause(), "invalid_glsl");
  }
  EXPECT_EQ(wrong.answers[0].tier, kiln::v1::CACHE_MISS);
  EXPECT_EQ(again.answers[0].tier, kiln::v1::CACHE_MEMORY);

  const Reply first = Do(Glsl("void main() {}")), second = Do(Glsl("void main() {}"));
  EXPECT_EQ(Parse(first.answers.at(0)).status(), TargetResult::OK);
  EXPECT_EQ(first.translate_ns, 1000);
  EXPECT_EQ(first.start_ns, 70);
  EXPECT_EQ(second.answers.at(0).tier, kiln::v1::CACHE_MEMORY);
  EXPECT_EQ(second.translate_ns, 1000);
  EXPECT_EQ(second.start_ns, 0) << "no glslang was started";
}

TEST_F(JobDoneTest, ADeathInATranslationIsOneOfItsSource) {
  const CompileRequest request = Glsl("void main() {}");
  const Reply reply = Do(request, FaultOf(worker::Fault::CRASH, "translate_glsl"));
  ASSERT_EQ(reply.answers.size(), 2u);
  for (const Answer& answer : reply.answers) {
    EXPECT_EQ(Parse(answer).status(), TargetResult::CRASHED);
    EXPECT_EQ(Parse(answer).last_pass(), "translate_glsl");
  }
  const QuarantineEntry entry = OnlyEntry();
  EXPECT_EQ(entry.target(), "");
  EXPECT_EQ(entry.last_pass(), "translate_glsl");
  EXPECT_EQ(entry.request().glsl().text(), "void main() {}");
  EXPECT_EQ(entry.request().targets_size(), 2);
  EXPECT_FALSE(entry.request().has_spirv());
  const Reply refused = Do(request);
  EXPECT_TRUE(refused.answers.at(0).quarantined);
  EXPECT_TRUE(refused.answers.at(1).quarantined);
  quarantine_->ClearAll();
  ExpectCompiled(request);
}

// A worker that answers with another shader's code.
class JobDoneRecheckTest : public EngineTest {
 protected:
  void SetUp() override {
    Start({});
    worker::PoolOptions workers;
    workers.executable = "server/worker/testing/fake_worker";
    workers.limits.fault_injection = true;
    recheck_ = std::make_unique<Recheck>(Recheck::Options{1, workers, nullptr}, pool_.get(),
                                         cache_.get(), metrics_.get());
    Engine::Options options;
    options.recheck = recheck_.get();
    engine_->Stop();
    engine_ = std::make_unique<Engine>(options, pool_.get(), cache_.get(), metrics_.get());
  }
  void TearDown() override {
    if (recheck_ != nullptr) recheck_->Stop();
    EngineTest::TearDown();
  }
  std::unique_ptr<Recheck> recheck_;
};

TEST_F(JobDoneRecheckTest, AnHonestResultStays) {
  ASSERT_TRUE(Do(Request(1)).status.ok());
  ASSERT_TRUE(Await([&] {
    const std::string text =
        prometheus::TextSerializer().Serialize(metrics_->registry()->Collect());
    return text.find("kiln_rechecks_total{result=\"same\"} 1\n") != text.npos;
  }));
  EXPECT_EQ(recheck_->differences(), 0u);
  EXPECT_EQ(Do(Request(1)).answers.at(0).tier, kiln::v1::CACHE_MEMORY);
}

TEST_F(JobDoneRecheckTest, ALieIsForgottenAndCompiledAgain) {
  const Reply lie = Do(Request(1), FaultOf(worker::Fault::LIE));
  ASSERT_EQ(Parse(lie.answers.at(0)).status(), TargetResult::OK);
  ASSERT_TRUE(Await([&] { return recheck_->differences() == 1; }));
  Reply again;
  ASSERT_TRUE(Await([&] {
    again = Do(Request(1));
    return again.answers.at(0).tier == kiln::v1::CACHE_MISS;
  }));
  EXPECT_NE(Parse(again.answers[0]).variants(0).code(), Parse(lie.answers[0]).variants(0).code());
}

TEST_F(JobDoneRecheckTest, ALieOfATranslationIsForgotten) {
  CompileRequest request;
  request.mutable_glsl()->set_text("void main() {}");
  request.mutable_glsl()->set_stage("compute");
  request.add_targets("tgl");
  const Reply lie = Do(request, FaultOf(worker::Fault::LIE, "translate_glsl"));
  ASSERT_EQ(Parse(lie.answers.at(0)).status(), TargetResult::OK);
  ASSERT_TRUE(Await([&] { return recheck_->differences() == 1; }));
  EXPECT_TRUE(Await([&] {
    return Parse(Do(request).answers.at(0)).spirv_sha256() != Parse(lie.answers[0]).spirv_sha256();
  }));
}

}  // namespace
}  // namespace kiln::server
