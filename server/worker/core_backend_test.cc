// Tests how the compiler's errors become results: their cause, their parts, and the step in which
// they are explained.
#include "server/worker/core_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/step.h"
#include "server/worker/board.h"
#include "server/worker/job_sink.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

constexpr char kExplain[] = "explain_error";

class CoreBackendTest : public testing::Test {
 protected:
  void SetUp() override {
    auto board = Board::Create();
    ASSERT_TRUE(board.ok()) << board.status();
    board_ = *std::move(board);
    sink_ = std::make_unique<JobSink>(board_.get(), Fault(), ThreadNanoseconds());
  }

  Translation Translate(const std::string& text, const std::string& define = "") {
    TranslateJob job;
    job.mutable_glsl()->set_text(text);
    job.mutable_glsl()->set_name("a.comp");
    job.mutable_glsl()->set_stage("compute");
    if (!define.empty()) job.mutable_glsl()->add_defines()->set_name(define);
    Translation result;
    backend_.Translate(job, sink_.get(), &result);
    return result;
  }

  // Returns a result for each target, with the passes recorded until it was done.
  std::vector<TargetResult> Compile(const std::string& spirv, int targets) {
    return CompileFor(spirv, std::vector<std::string>(targets, "tgl"));
  }
  std::vector<TargetResult> CompileFor(const std::string& spirv,
                                       const std::vector<std::string>& targets) {
    CompileJob job;
    job.set_spirv(spirv);
    for (const std::string& target : targets) job.add_targets(target);
    std::vector<TargetResult> results;
    backend_.Compile(job, sink_.get(), [&](int, TargetResult result) {
      sink_->AddTo(&result);
      results.push_back(std::move(result));
    });
    return results;
  }

  CoreBackend backend_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<JobSink> sink_;
};

int64_t Count(const TargetResult& result, const std::string& pass) {
  return std::count_if(result.passes().begin(), result.passes().end(),
                       [&](const auto& p) { return p.pass() == pass; });
}

TEST_F(CoreBackendTest, ErrorsAreExplainedInAStepOnce) {
  const Translation doubles = Translate(
      "#version 450\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 0) buffer B { double d[]; };\n"
      "void main() { d[gl_LocalInvocationIndex] = 1.0lf; }\n");
  ASSERT_EQ(doubles.cause(), "ok") << doubles.message();
  const std::vector<TargetResult> results = Compile(doubles.spirv(), 2);
  ASSERT_EQ(results.size(), 2u);
  for (const TargetResult& result : results) {
    EXPECT_EQ(result.cause(), "float64");
    EXPECT_EQ(result.reason().name(), "B");
    EXPECT_EQ(Count(result, kExplain), 1);
    EXPECT_EQ(Count(result, "pack_result"), 0);
  }
  Hello hello;
  backend_.Describe(&hello);
  const auto& steps = hello.steps();
  EXPECT_NE(std::find(steps.begin(), steps.end(), kExplain), steps.end());
}

std::vector<std::string> CodeOf(const TargetResult& result) {
  std::vector<std::string> code;
  for (const auto& v : result.variants()) code.push_back(v.code());
  return code;
}

// Both results have the records of one run of Prepare, down to their nanoseconds, and the bytes
// that each target's own job makes.
TEST_F(CoreBackendTest, OneJobIsPreparedOnceForAllTargets) {
  const Translation words = Translate(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint d[]; };\n"
      "void main() { d[gl_LocalInvocationIndex] += gl_LocalInvocationIndex * 3; }\n");
  ASSERT_EQ(words.cause(), "ok") << words.message();
  const std::vector<TargetResult> both = CompileFor(words.spirv(), {"tgl", "gfx1030"});
  ASSERT_EQ(both.size(), 2u);
  for (const char* pass : {"validate_spirv", "import_spirv", "simplify"}) {
    const auto of = [&](const TargetResult& result) {
      return *std::find_if(result.passes().begin(), result.passes().end(),
                           [&](const auto& p) { return p.pass() == pass; });
    };
    ASSERT_GT(Count(both[0], pass), 0) << pass;
    EXPECT_EQ(of(both[0]).SerializeAsString(), of(both[1]).SerializeAsString()) << pass;
  }
  EXPECT_EQ(Count(both[0], "import_spirv"), 1);
  EXPECT_EQ(Count(both[0], "insert_waits"), 0);
  EXPECT_EQ(Count(both[1], "insert_waits"), 2);
  for (int i = 0; i < 2; ++i) {
    const std::vector<TargetResult> alone = CompileFor(words.spirv(), {i == 0 ? "tgl" : "gfx1030"});
    ASSERT_EQ(alone[0].cause(), "ok") << alone[0].message();
    EXPECT_EQ(CodeOf(alone[0]), CodeOf(both[i]));
    EXPECT_EQ(CodeOf(both[i]).size(), 2u);
  }
}

TEST_F(CoreBackendTest, CodeIsNotExplained) {
  const Translation empty = Translate("#version 450\nvoid main() {}\n");
  ASSERT_EQ(empty.cause(), "ok") << empty.message();
  const std::vector<TargetResult> results = Compile(empty.spirv(), 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].cause(), "ok") << results[0].message();
  EXPECT_EQ(Count(results[0], kExplain), 0);
  EXPECT_EQ(Count(results[0], "pack_result"), 1);
}

TEST_F(CoreBackendTest, MistakesOfTheRequestAreNotTheTexts) {
  const Translation text = Translate("#version 450\nvoid main() { y = 1; }\n");
  EXPECT_EQ(text.status(), TargetResult::INVALID);
  EXPECT_EQ(text.cause(), "invalid_glsl");
  const Translation define = Translate("#version 450\nvoid main() {}\n", "1A");
  EXPECT_EQ(define.status(), TargetResult::INVALID);
  EXPECT_EQ(define.cause(), "invalid_define");
  EXPECT_FALSE(define.reason().sentence().empty());
  EXPECT_FALSE(define.reason().remedy().empty());
}

TEST_F(CoreBackendTest, RefusalsOfGlslHaveFileAndLine) {
  const Translation deep = Translate("#version 450\nvoid main() {\n" + std::string(1024, '{') +
                                     std::string(1024, '}') + "\n}\n");
  EXPECT_EQ(deep.status(), TargetResult::REFUSED);
  EXPECT_EQ(deep.cause(), "nesting_too_deep");
  EXPECT_EQ(deep.reason().source_file(), "a.comp");
  EXPECT_EQ(deep.reason().source_line(), 3u);
  const Translation large = Translate("#version 450\n" + std::string(16 << 20, ' '));
  EXPECT_EQ(large.status(), TargetResult::REFUSED);
  EXPECT_EQ(large.cause(), "shader_too_large");
  EXPECT_EQ(large.reason().source_file(), "a.comp");
  EXPECT_EQ(large.reason().source_line(), 0u);
}

TEST_F(CoreBackendTest, HlslIsCompiledWithItsOptions) {
  TranslateJob job;
  auto* text = job.mutable_glsl();
  text->set_name("a.hlsl");
  text->set_stage("compute");
  text->set_text(
      "RWBuffer<float> o : register(u0);\n[numthreads(1, 1, 1)] void A() { o[0] = 1; }\n");
  text->mutable_hlsl()->set_entry_point("A");
  const auto translate = [&] {
    Translation translation;
    backend_.Translate(job, sink_.get(), &translation);
    return translation;
  };
  const Translation first = translate();
  EXPECT_EQ(first.status(), TargetResult::OK) << first.message();
  auto* shift = text->mutable_hlsl()->add_register_shifts();
  shift->set_kind(kiln::v1::GlslSource::RegisterShift::U);
  shift->set_shift(7);
  EXPECT_NE(translate().spirv(), first.spirv());
  text->mutable_hlsl()->set_entry_point("B");
  EXPECT_EQ(translate().cause(), "invalid_hlsl");
  text->set_text("template<typename T> T F();\n");
  const Translation refused = translate();
  EXPECT_EQ(refused.status(), TargetResult::REFUSED);
  EXPECT_EQ(refused.cause(), "hlsl_feature");
  EXPECT_EQ(refused.reason().source_line(), 1u);
  text->clear_hlsl();
  EXPECT_EQ(translate().cause(), "invalid_glsl");
}

}  // namespace
}  // namespace kiln::worker
