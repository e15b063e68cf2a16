// kilnd with the real compiler: our sample shaders through the whole service, twice, on two
// daemons.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "kiln/v1/compiler.grpc.pb.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> Shaders() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator("tests/shaders")) {
    if (entry.path().extension() == ".comp") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

class CompilerTest : public testing::Test {
 protected:
  // With an empty --worker-binary kilnd finds kiln_worker by itself.
  CompilerTest() : kilnd_({"--worker-binary="}), other_({"--worker-binary="}) {}
  void SetUp() override {
    ASSERT_TRUE(kilnd_.AwaitReady()) << kilnd_.log();
    ASSERT_TRUE(other_.AwaitReady()) << other_.log();
  }
  static CompileResponse CompileAll(const KilndProcess& kilnd, const CompileRequest& request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(120));
    CompileResponse response;
    grpc::Status status = kilnd.Stub()->Compile(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  static TargetResult Compile(const KilndProcess& kilnd, const CompileRequest& request) {
    const CompileResponse response = CompileAll(kilnd, request);
    return response.results_size() == 1 ? response.results(0) : TargetResult();
  }
  static CompileRequest Glsl(const std::string& text, const std::string& name) {
    CompileRequest request;
    request.mutable_glsl()->set_text(text);
    request.mutable_glsl()->set_name(name);
    request.mutable_glsl()->set_stage("compute");
    request.add_targets("tgl");
    request.mutable_outputs()->set_binary(true);
    request.mutable_outputs()->set_assembly(true);
    request.mutable_outputs()->set_launch_record(true);
    request.mutable_outputs()->set_pass_records(true);
    return request;
  }
  KilndProcess kilnd_;
  KilndProcess other_;
};

TEST_F(CompilerTest, SampleShadersCompileTheSameEverywhere) {
  auto shaders = Shaders();
  ASSERT_GT(shaders.size(), 10u);
  int compiled = 0;
  for (const auto& path : shaders) {
    CompileRequest request = Glsl(Read(path), path.filename().string());
    TargetResult result = Compile(kilnd_, request);
    ASSERT_TRUE(result.status() == TargetResult::OK || result.status() == TargetResult::REFUSED)
        << path << ": " << result.cause() << ": " << result.message() << " " << result.last_pass();
    EXPECT_EQ(result.cache(), kiln::v1::CACHE_MISS);
    if (result.status() != TargetResult::OK) continue;
    ++compiled;
    ASSERT_GT(result.variants_size(), 0);
    EXPECT_GT(result.passes_size(), 0);
    TargetResult hit = Compile(kilnd_, request);
    EXPECT_EQ(hit.cache(), kiln::v1::CACHE_MEMORY);
    TargetResult elsewhere = Compile(other_, request);
    EXPECT_EQ(elsewhere.key(), result.key());
    for (int i = 0; i < result.variants_size(); ++i) {
      const auto& v = result.variants(i);
      EXPECT_EQ(v.code().size(), static_cast<size_t>(v.statistics().bytes()));
      EXPECT_EQ(v.launch().dispatch_width(), v.width());
      EXPECT_FALSE(v.assembly().empty());
      EXPECT_EQ(v.code(), hit.variants(i).code()) << path;
      EXPECT_EQ(v.code(), elsewhere.variants(i).code()) << path;
    }
  }
  EXPECT_GT(compiled, 10);
  EXPECT_EQ(kilnd_.Metric("kiln_sandbox_level{feature=\"seccomp\"}"), 1);
}

std::string RunsOf(const std::string& pass, const std::string& target) {
  return "kiln_pass_runs_total{pass=\"" + pass + "\",target=\"" + target + "\"}";
}

// A call for two targets is prepared once, and its results are those of a call for each: the same
// bytes under the same keys. The metrics tell the passes of the targets apart.
TEST_F(CompilerTest, TwoTargetsAreAnsweredFromOnePrepare) {
  CompileRequest request = Glsl(Read("tests/shaders/saxpy.comp"), "saxpy.comp");
  request.add_targets("gfx1030");
  const CompileResponse both = CompileAll(kilnd_, request);
  ASSERT_EQ(both.results_size(), 2);
  for (const char* step : {"validate_spirv", "import_spirv"}) {
    EXPECT_EQ(kilnd_.Metric(RunsOf(step, "any")), 1) << step;
  }
  EXPECT_GT(kilnd_.Metric(RunsOf("select", "tgl")), 0);
  EXPECT_EQ(kilnd_.Metric(RunsOf("select", "gfx1030")), 2) << "once for each size of waves";
  EXPECT_EQ(kilnd_.Metric(RunsOf("insert_waits", "gfx1030")), 2);
  EXPECT_EQ(kilnd_.Metric(RunsOf("insert_waits", "tgl")), -1) << "tgl has no such pass";
  EXPECT_EQ(kilnd_.Metric(RunsOf("assign_scoreboard", "gfx1030")), -1);
  for (const TargetResult& of_both : both.results()) {
    ASSERT_EQ(of_both.status(), TargetResult::OK) << of_both.cause() << of_both.message();
    request.clear_targets();
    request.add_targets(of_both.target());
    const TargetResult alone = Compile(other_, request);
    EXPECT_EQ(alone.cache(), kiln::v1::CACHE_MISS);
    EXPECT_EQ(alone.key(), of_both.key());
    EXPECT_EQ(alone.code_generation_version(), of_both.code_generation_version());
    ASSERT_EQ(alone.variants_size(), of_both.variants_size());
    for (int i = 0; i < alone.variants_size(); ++i) {
      const auto &a = alone.variants(i), &b = of_both.variants(i);
      EXPECT_EQ(a.name(), b.name());
      EXPECT_EQ(a.code(), b.code()) << a.name();
      EXPECT_EQ(a.launch().SerializeAsString(), b.launch().SerializeAsString()) << a.name();
    }
  }
  EXPECT_NE(both.results(0).key(), both.results(1).key());
  EXPECT_EQ(both.results(1).variants(0).name(), "wave32");
}

TEST_F(CompilerTest, MistakesInShadersAreResults) {
  TargetResult glsl = Compile(kilnd_, Glsl("#version 450\nvoid main() { nonsense }\n", "bad.comp"));
  EXPECT_EQ(glsl.status(), TargetResult::INVALID);
  EXPECT_EQ(glsl.cause(), "invalid_glsl");
  EXPECT_NE(glsl.message().find("bad.comp:2"), std::string::npos) << glsl.message();

  CompileRequest module;
  module.add_targets("tgl");
  for (std::string bytes :
       {std::string("abc"), std::string(64, 'x'),
        std::string("\x03\x02\x23\x07\x00\x00\x01\x00", 8) + std::string(64, '\7')}) {
    module.set_spirv(bytes);
    TargetResult result = Compile(kilnd_, module);
    EXPECT_EQ(result.status(), TargetResult::INVALID) << result.cause() << result.message();
    EXPECT_FALSE(result.message().empty());
  }
}

std::string Sum(int terms) {
  std::string text = "x";
  for (int i = 1; i < terms; ++i) text += "+x";
  return text;
}

std::string Kernel(const std::string& body) {
  return "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) buffer B { uint d[]; };\n"
         "void main() { uint x = d[0];\n" +
         body + "\nd[0] = x; }\n";
}

// glslang once recursed over each term: SIGSEGV with the usual 8 MiB of stack.
TEST_F(CompilerTest, LongExpressionsCompile) {
  const TargetResult result = Compile(kilnd_, Glsl(Kernel("x = " + Sum(12'000) + ";"), "sum.comp"));
  EXPECT_EQ(result.status(), TargetResult::OK) << result.cause() << result.message();
  const TargetResult most = Compile(kilnd_, Glsl(Kernel("x = " + Sum(32'000) + ";"), "sum.comp"));
  EXPECT_NE(most.status(), TargetResult::CRASHED) << most.cause() << most.message();
}

TEST_F(CompilerTest, WhatWouldTakeTooLongIsRefusedBeforeLibrariesSeeIt) {
  std::string nest;
  for (int i = 0; i < 600; ++i) nest += "if (x > " + std::to_string(i) + "u) { x += 3u;\n";
  nest += std::string(600, '}');
  const TargetResult deep = Compile(kilnd_, Glsl(Kernel(nest), "nest.comp"));
  EXPECT_EQ(deep.status(), TargetResult::REFUSED);
  EXPECT_EQ(deep.cause(), "nesting_too_deep") << deep.message();
  bool checked = false;
  for (const auto& pass : deep.passes()) {
    checked = checked || pass.pass() == "check_bounds";
    EXPECT_NE(pass.pass(), "validate_spirv");
  }
  EXPECT_TRUE(checked);

  const TargetResult wide = Compile(kilnd_, Glsl(Kernel("x = " + Sum(50'000) + ";"), "sum.comp"));
  EXPECT_EQ(wide.status(), TargetResult::REFUSED);
  EXPECT_EQ(wide.cause(), "shader_too_large") << wide.message();

  const std::string open =
      Kernel("x = " + std::string(20'000, '(') + "x" + std::string(20'000, ')') + ";");
  const TargetResult brackets = Compile(kilnd_, Glsl(open, "brackets.comp"));
  EXPECT_EQ(brackets.status(), TargetResult::REFUSED);
  EXPECT_EQ(brackets.cause(), "nesting_too_deep") << brackets.message();
  EXPECT_EQ(kilnd_.Metric("kiln_worker_exits_total{reason=\"segv\"}"), 0);
}

// A macro expands to more of an expression than the text shows, and the expansion is counted.
TEST_F(CompilerTest, WhatMacrosMakeIsRefusedBeforeTheStackIsFull) {
  std::string macros = "#define M0 x+x\n";
  for (int i = 1; i < 20; ++i) {
    const std::string inner = "M" + std::to_string(i - 1);
    macros += "#define M" + std::to_string(i) + " " + inner + "+" + inner + "\n";
  }
  const std::string text = Kernel("x = M19;");
  const size_t line = text.find('\n') + 1;
  const TargetResult result =
      Compile(kilnd_, Glsl(text.substr(0, line) + macros + text.substr(line), "macros.comp"));
  EXPECT_EQ(result.status(), TargetResult::REFUSED);
  EXPECT_EQ(result.cause(), "shader_too_large") << result.message();
  EXPECT_EQ(kilnd_.Metric("kiln_worker_exits_total{reason=\"segv\"}"), 0);
}

// A death or a timeout inside of a third-party library names the library.
TEST(CompilerFaultsTest, LibrariesHaveNamesInDeathsAndTimeouts) {
  KilndProcess kilnd({"--worker-binary=server/worker/testing/faulty_worker", "--workers=1",
                      "--job-time=2s", "--enable-fault-injection"});
  ASSERT_TRUE(kilnd.AwaitReady()) << kilnd.log();
  int texts = 0;
  for (const std::string pass :
       {"start_glslang", "translate_glsl", "check_bounds", "validate_spirv", "import_spirv"}) {
    const bool ours = pass != "translate_glsl" && pass != "validate_spirv";
    for (const std::string& kind :
         ours ? std::vector<std::string>{"crash"} : std::vector<std::string>{"crash", "hang"}) {
      SCOPED_TRACE(kind + " " + pass);
      CompileRequest request;
      request.mutable_glsl()->set_text(Kernel("x += " + std::to_string(++texts) + ";"));
      request.mutable_glsl()->set_stage("compute");
      request.add_targets("tgl");
      grpc::ClientContext context;
      context.AddMetadata("kiln-fault", kind + ":" + pass);
      CompileResponse response;
      ASSERT_TRUE(kilnd.Stub()->Compile(&context, request, &response).ok());
      EXPECT_EQ(response.results(0).status(),
                kind == "crash" ? TargetResult::CRASHED : TargetResult::TIMED_OUT);
      EXPECT_EQ(response.results(0).last_pass(), pass);
    }
    EXPECT_EQ(kilnd.Metric("kiln_pass_deaths_total{pass=\"" + pass + "\",target=\"any\"}"),
              ours ? 1 : 2)
        << pass;
  }
}

// The share of the workers' processor time that kiln_pass_seconds_total does not name.
TEST_F(CompilerTest, RecordsNameTheTimeOfWorkers) {
  KilndProcess kilnd({"--worker-binary=", "--workers=1"});
  ASSERT_TRUE(kilnd.AwaitReady()) << kilnd.log();
  for (const auto& path : Shaders()) Compile(kilnd, Glsl(Read(path), path.filename()));
  double named = 0;
  std::istringstream page(kilnd.Metrics());
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("kiln_pass_seconds_total{", 0) == 0) {
      named += std::stod(line.substr(line.rfind(' ')));
    }
  }
  const double spent = kilnd.Metric("kiln_worker_cpu_seconds_total{phase=\"jobs\"}");
  EXPECT_LT(1 - named / spent, 0.05) << named << " s of " << spent;
  EXPECT_GT(1 - named / spent, -0.01) << named << " s of " << spent;
}

TEST_F(CompilerTest, OptionsReachTheCompiler) {
  CompileRequest request = Glsl(Read("tests/shaders/saxpy.comp"), "saxpy.comp");
  TargetResult both = Compile(kilnd_, request);
  request.mutable_options()->add_widths(8);
  TargetResult simd8 = Compile(kilnd_, request);
  ASSERT_EQ(simd8.status(), TargetResult::OK);
  ASSERT_EQ(simd8.variants_size(), 1);
  EXPECT_EQ(simd8.variants(0).width(), 8u);
  EXPECT_NE(simd8.key(), both.key());
  EXPECT_EQ(simd8.spirv_sha256(), both.spirv_sha256());
  request.mutable_options()->clear_widths();
  request.mutable_options()->set_required_subgroup_size(32);
  TargetResult required = Compile(kilnd_, request);
  ASSERT_EQ(required.variants_size(), 1);
  EXPECT_EQ(required.variants(0).width(), 32u);
  EXPECT_NE(required.key(), both.key());
  request.mutable_options()->set_require_full_subgroups(true);
  TargetResult full = Compile(kilnd_, request);
  EXPECT_EQ(full.status(), TargetResult::OK);
  EXPECT_NE(full.key(), required.key());
  request.mutable_options()->Clear();
  request.set_entry_point("no_such_entry");
  EXPECT_EQ(Compile(kilnd_, request).status(), TargetResult::INVALID);
  request.set_entry_point("main");
  request.set_stage("fragment");
  TargetResult stage = Compile(kilnd_, request);
  EXPECT_TRUE(stage.status() == TargetResult::REFUSED || stage.status() == TargetResult::INVALID)
      << stage.cause();
}

}  // namespace
}  // namespace kiln::test
