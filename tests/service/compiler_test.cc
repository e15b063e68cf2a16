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

#include "proto/compiler.grpc.pb.h"
#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

using kiln::v1alpha::CompileRequest;
using kiln::v1alpha::CompileResponse;
using kiln::v1alpha::TargetResult;

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
  // An empty --worker-binary: kilnd finds kiln_worker by itself.
  CompilerTest() : kilnd_({"--worker-binary="}), other_({"--worker-binary="}) {}
  void SetUp() override {
    ASSERT_TRUE(kilnd_.AwaitReady()) << kilnd_.log();
    ASSERT_TRUE(other_.AwaitReady()) << other_.log();
  }
  static TargetResult Compile(const KilndProcess& kilnd, const CompileRequest& request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(120));
    CompileResponse response;
    grpc::Status status = kilnd.Stub()->Compile(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
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
    EXPECT_EQ(result.cache(), kiln::v1alpha::CACHE_MISS);
    if (result.status() != TargetResult::OK) continue;
    ++compiled;
    ASSERT_GT(result.variants_size(), 0);
    EXPECT_GT(result.passes_size(), 0);
    TargetResult hit = Compile(kilnd_, request);
    EXPECT_EQ(hit.cache(), kiln::v1alpha::CACHE_MEMORY);
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
