// Tests that the worker, and so daemon and clients, know a second target by its row: `kiln targets`
// lists what Describe says, and keys are made of it.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/step.h"
#include "gtest/gtest.h"
#include "server/key/key.h"
#include "server/worker/board.h"
#include "server/worker/core_backend.h"
#include "server/worker/job_sink.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

class NullTest : public testing::Test {
 protected:
  void SetUp() override {
    auto board = Board::Create();
    ASSERT_TRUE(board.ok()) << board.status();
    board_ = *std::move(board);
    sink_ = std::make_unique<JobSink>(board_.get(), Fault(), ThreadNanoseconds());
    backend_.Describe(&hello_);
  }

  // Compiles a shader with a storage buffer, with assembly, for these targets.
  std::vector<TargetResult> Compile(const std::vector<std::string>& targets) {
    return CompileModule(Module(), targets);
  }

  std::string Module() {
    TranslateJob source;
    source.mutable_glsl()->set_text(
        "#version 450\nlayout(local_size_x = 4) in;\nlayout(binding = 0) buffer B { uint d[]; };\n"
        "void main() { d[gl_LocalInvocationIndex] = 1; }\n");
    source.mutable_glsl()->set_stage("compute");
    Translation translation;
    backend_.Translate(source, sink_.get(), &translation);
    EXPECT_EQ(translation.cause(), "ok") << translation.message();
    return translation.spirv();
  }

  std::vector<TargetResult> CompileModule(const std::string& spirv,
                                          const std::vector<std::string>& targets) {
    CompileJob job;
    job.set_spirv(spirv);
    job.set_assembly(true);
    for (const std::string& target : targets) job.add_targets(target);
    std::vector<TargetResult> results;
    backend_.Compile(job, sink_.get(), [&](int, TargetResult result) {
      sink_->AddTo(&result);
      results.push_back(std::move(result));
    });
    return results;
  }

  static int64_t Runs(const TargetResult& result, const std::string& pass) {
    return std::count_if(result.passes().begin(), result.passes().end(),
                         [&](const auto& p) { return p.pass() == pass; });
  }

  CoreBackend backend_;
  Hello hello_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<JobSink> sink_;
};

TEST_F(NullTest, IsListedWithItsFigures) {
  ASSERT_EQ(hello_.targets_size(), 4);
  EXPECT_EQ(hello_.targets(0).name(), "tgl");
  const auto& null = hello_.targets(2);
  EXPECT_EQ(null.name(), "null");
  EXPECT_EQ(null.code_generation_version(), 1u);
  ASSERT_EQ(null.statistics_size(), 2);
  EXPECT_EQ(null.statistics(0).name(), "bytes");
  EXPECT_EQ(null.statistics(1).name(), "ignored");
  EXPECT_EQ(null.statistics(1).header(), "ignored");
  EXPECT_EQ(hello_.passes(hello_.passes_size() - 1).name(), "remove_ignored");
}

TEST_F(NullTest, ItsKeysAreOthers) {
  const cache::ShaderComponents shader = cache::HashShader(cache::Sha256("m"), "main", "", {}, {});
  const auto tgl = cache::HashTarget(hello_.targets(0));
  auto null = cache::HashTarget(hello_.targets(2));
  EXPECT_NE(cache::ResultKey(shader, tgl), cache::ResultKey(shader, null));
  EXPECT_NE(tgl.target, null.target);
  ASSERT_TRUE(tgl.statistics && null.statistics);
  EXPECT_NE(*tgl.statistics, *null.statistics);
}

// Results of another code generation, or from before there was a compiler, are not found.
TEST_F(NullTest, EachTargetsOwnCodeGenerationVersionIsInItsKeys) {
  const cache::ShaderComponents shader = cache::HashShader(cache::Sha256("m"), "main", "", {}, {});
  for (int i = 0; i < 3; ++i) {
    auto target = hello_.targets(i);
    SCOPED_TRACE(target.name());
    EXPECT_GT(target.code_generation_version(), 0u);
    const auto now = cache::ResultKey(shader, cache::HashTarget(target));
    for (const uint32_t version : {0u, target.code_generation_version() + 1}) {
      target.set_code_generation_version(version);
      EXPECT_NE(cache::ResultKey(shader, cache::HashTarget(target)), now) << version;
    }
  }
}

TEST_F(NullTest, ATargetWithoutACompilerNeedsNoModule) {
  const auto& bare = hello_.targets(3);
  EXPECT_EQ(bare.name(), "bare");
  EXPECT_EQ(bare.code_generation_version(), 0u);
  const std::vector<TargetResult> alone = CompileModule("no module", {"bare"});
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].cause(), "missing_compiler") << alone[0].message();
  EXPECT_EQ(Runs(alone[0], "validate_spirv"), 0);
  const std::vector<TargetResult> both = CompileModule("no module", {"bare", "tgl"});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].cause(), "missing_compiler") << both[0].message();
  EXPECT_EQ(both[1].status(), TargetResult::INVALID) << both[1].message();
  const std::vector<TargetResult> other = Compile({"bare", "gfx1030"});
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(other[0].cause(), "missing_compiler") << other[0].message();
  EXPECT_EQ(other[1].cause(), "ok") << other[1].message();
}

TEST_F(NullTest, OneJobIsCompiledForBoth) {
  const std::vector<TargetResult> results = Compile({"null", "tgl"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].cause(), "ok") << results[0].message();
  EXPECT_EQ(results[0].code_generation_version(), 1u);
  ASSERT_EQ(results[0].variants_size(), 1);
  const auto& v = results[0].variants(0);
  EXPECT_EQ(v.assembly(), "mark\nend\n");
  EXPECT_EQ(v.launch().target(), "null");
  ASSERT_EQ(v.statistics().values_size(), 2);
  EXPECT_EQ(v.statistics().values(0).value(), 2);
  EXPECT_TRUE(std::any_of(results[0].passes().begin(), results[0].passes().end(),
                          [](const auto& p) { return p.pass() == "remove_ignored"; }));
  EXPECT_EQ(results[1].cause(), "ok") << results[1].message();
  EXPECT_GT(results[1].variants_size(), 1);
}

}  // namespace
}  // namespace kiln::worker
