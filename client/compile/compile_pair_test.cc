// Requests to a service for a pair, and the use of its answers; tests/cli/pair_cases.py has real
// ones.
#include "client/compile/compile_pair.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;

class FakeService : public Service {
 public:
  absl::StatusOr<CompileResponse> Compile(const CompileRequest& request) override {
    asked.push_back(request);
    CompileResponse response;
    TargetResult* result = response.add_results();
    const std::string& stage = request.glsl().stage();
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(stage == "vertex" ? vertex : fragment,
                                                              result));
    result->set_target(request.targets(0));
    return response;
  }
  absl::StatusOr<Capabilities> GetCapabilities() override { return Capabilities(); }
  absl::StatusOr<std::vector<ServiceHealth>> Health() override {
    return std::vector<ServiceHealth>();
  }
  void Stop() override {}
  std::string Name() const override { return "fake"; }

  std::string vertex = R"(status: OK variants { launch { record_version: 2 vertex {
    outputs { location: 3 parts { components: 2 type: 'float' bits: 32 } } } } })";
  std::string fragment = R"(status: OK variants { launch { record_version: 2 fragment {
    inputs { location: 3 parts { component: 1 components: 1 type: 'float' bits: 32 } } } } })";
  std::vector<CompileRequest> asked;
};

class CompilePairTest : public testing::Test {
 protected:
  CompilePairTest() {
    settings_.request.add_targets("tgl");
    for (const char* name : {"a.vert", "b.frag", "c.comp"}) {
      std::ofstream(Path(name)) << "#version 450\nvoid main() {}\n";
    }
  }
  static std::string Path(const std::string& name) {
    return absl::StrCat(testing::TempDir(), "/", name);
  }
  absl::StatusOr<PairOutcome> Compile(const std::string& a, const std::string& b) {
    Capabilities capabilities;
    for (const char* stage : {"compute", "vertex", "fragment"}) capabilities.add_stages(stage);
    return CompilePair(&service_, capabilities, settings_,
                       {PairFile{Path(a), Path(a), "", ""}, PairFile{Path(b), Path(b), "", ""}});
  }
  std::string Error(const std::string& a, const std::string& b) {
    return std::string(Compile(a, b).status().message());
  }

  FakeService service_;
  CompileSettings settings_;
};

// The fragment shader is compiled first, whichever file comes first; the vertex shader's request
// lists what it reads.
TEST_F(CompilePairTest, TheVertexShaderIsToldWhatIsRead) {
  settings_.request.mutable_options()->add_widths(16);
  settings_.request.mutable_options()->mutable_state()->mutable_fragment()->set_samples(4);
  const auto outcome = Compile("b.frag", "a.vert");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_EQ(service_.asked.size(), 2u);
  EXPECT_EQ(service_.asked[0].glsl().stage(), "fragment");
  EXPECT_EQ(service_.asked[0].options().widths_size(), 1);
  const auto& options = service_.asked[1].options();
  EXPECT_EQ(options.widths_size(), 0);
  EXPECT_FALSE(options.state().has_fragment());
  ASSERT_EQ(options.state().next_stage_reads().locations_size(), 1);
  EXPECT_EQ(options.state().next_stage_reads().locations(0).location(), 3u);
  EXPECT_EQ(options.state().next_stage_reads().locations(0).components(), 2u);
  for (const FileOutcome& file : outcome->files) ASSERT_EQ(file.results.size(), 1u);
  EXPECT_TRUE(outcome->files[0].results[0].variants(0).launch().has_fragment());
  EXPECT_TRUE(outcome->warnings.empty());
}

TEST_F(CompilePairTest, AFragmentShaderThatFailsLeavesTheOtherUnasked) {
  service_.fragment = "status: REFUSED cause: 'sample_form'";
  const auto outcome = Compile("a.vert", "b.frag");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(service_.asked.size(), 1u);
  EXPECT_TRUE(outcome->files[0].results.empty());
  EXPECT_EQ(outcome->files[1].results[0].cause(), "sample_form");
  ASSERT_EQ(outcome->warnings.size(), 1u);
  EXPECT_NE(outcome->warnings[0].find("a.vert: tgl: not compiled"), std::string::npos);
}

TEST_F(CompilePairTest, WhatDoesNotFitIsTheFragmentShadersResult) {
  service_.fragment = R"(status: OK variants { launch { record_version: 2 fragment {
    inputs { location: 3 parts { components: 1 type: 'uint' bits: 32 } } } } })";
  const auto outcome = Compile("a.vert", "b.frag");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const TargetResult& result = outcome->files[1].results[0];
  EXPECT_EQ(result.status(), TargetResult::INVALID);
  EXPECT_EQ(result.cause(), "interface_mismatch");
  EXPECT_EQ(result.variants_size(), 0);
  EXPECT_EQ(outcome->files[0].results[0].status(), TargetResult::OK);
}

TEST_F(CompilePairTest, AServiceOfAnotherVersionIsRefused) {
  for (std::string* record : {&service_.fragment, &service_.vertex}) {
    const std::string good = *record;
    record->replace(record->find("version: 2"), 10, "version: 1");
    EXPECT_EQ(Compile("a.vert", "b.frag").status().code(), absl::StatusCode::kFailedPrecondition);
    *record = good;
  }
}

TEST_F(CompilePairTest, AnUnwrittenInputIsAWarning) {
  service_.vertex = "status: OK variants { launch { record_version: 2 vertex {} } }";
  const auto outcome = Compile("a.vert", "b.frag");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  ASSERT_EQ(outcome->warnings.size(), 1u);
  EXPECT_NE(outcome->warnings[0].find("location 3.y: read and never written"), std::string::npos);
  EXPECT_EQ(outcome->files[1].results[0].status(), TargetResult::OK);
  EXPECT_EQ(outcome->files[1].results[0].remarks(0).kind(), "undefined_input");
}

TEST_F(CompilePairTest, NoPair) {
  EXPECT_NE(Error("a.vert", "a.vert").find("two files must be a vertex and a fragment"),
            std::string::npos);
  EXPECT_NE(Error("a.vert", "c.comp").find("c.comp is compute"), std::string::npos);
  EXPECT_NE(Error("a.vert", "missing.frag").find("missing.frag"), std::string::npos);
  settings_.source.stage = "vertex";
  EXPECT_NE(Error("a.vert", "b.frag").find("--stage"), std::string::npos);
  EXPECT_TRUE(service_.asked.empty());
}

TEST_F(CompilePairTest, OfABatchEachFileHasAResultForEachTarget) {
  settings_.request.add_targets("two");
  Capabilities capabilities;
  for (const char* stage : {"vertex", "fragment"}) capabilities.add_stages(stage);
  const auto run = [&](const std::string& vertex, const std::string& fragment) {
    return CompilePairOfBatch(&service_, capabilities, settings_,
                              {PairFile{Path(vertex), vertex, "vertex", ""},
                               PairFile{Path(fragment), fragment, "fragment", ""}},
                              nullptr);
  };
  auto outcome = run("a.vert", "b.frag");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  for (const FileOutcome& file : outcome->files) {
    ASSERT_EQ(file.results.size(), 2u);
    EXPECT_EQ(file.results[1].target(), "two");
    EXPECT_EQ(file.results[1].status(), TargetResult::OK);
    EXPECT_EQ(file.read.size(), 1u);
  }
  // A fragment shader that fails leaves the vertex shader without a request, not without a result.
  service_.fragment = "status: REFUSED cause: 'images'";
  outcome = run("a.vert", "b.frag");
  ASSERT_TRUE(outcome.ok());
  ASSERT_EQ(outcome->files[0].results.size(), 2u);
  EXPECT_EQ(outcome->files[0].results[0].cause(), "other_stage_failed");
  EXPECT_EQ(outcome->files[0].results[0].stage(), "vertex");
  EXPECT_EQ(outcome->files[1].results[1].cause(), "images");
  // So does a file that is not there.
  outcome = run("none.vert", "b.frag");
  ASSERT_TRUE(outcome.ok());
  for (const FileOutcome& file : outcome->files) {
    ASSERT_EQ(file.results.size(), 2u);
    EXPECT_EQ(file.results[0].cause(), "cannot_read");
    EXPECT_EQ(file.results[1].target(), "two");
  }
}

TEST_F(CompilePairTest, StagesThatAreKnownNeedNoName) {
  std::ofstream(Path("x.glsl")) << "#version 450\nvoid main() {}\n";
  Capabilities capabilities;
  for (const char* stage : {"vertex", "fragment"}) capabilities.add_stages(stage);
  const auto outcome = CompilePair(&service_, capabilities, settings_,
                                   {PairFile{Path("x.glsl"), "x.glsl", "fragment", ""},
                                    PairFile{Path("a.vert"), "a.vert", "vertex", ""}});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(service_.asked[0].glsl().name(), "x.glsl");
  EXPECT_EQ(service_.asked[0].glsl().stage(), "fragment");
  EXPECT_EQ(service_.asked[1].glsl().stage(), "vertex");
}

TEST(EntriesOfPair, OneNameOrTwo) {
  using Names = std::array<std::string, 2>;
  EXPECT_EQ(*EntriesOfPair(""), (Names{"", ""}));
  EXPECT_EQ(*EntriesOfPair("main"), (Names{"main", "main"}));
  EXPECT_EQ(*EntriesOfPair("vs,fs"), (Names{"vs", "fs"}));
  for (const char* wrong : {",", "vs,", ",fs", "a,b,c"}) {
    EXPECT_FALSE(EntriesOfPair(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace kiln::client
