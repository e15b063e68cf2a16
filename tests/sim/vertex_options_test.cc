#include "tests/sim/vertex_options.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::tests {
namespace {

using nlohmann::json;
using sim::rdna2::InputAssembly;
using testing::HasSubstr;

TEST(VertexOptions, Assembly) {
  VertexOptions options;
  EXPECT_TRUE(options.Take(
      R"(--assembly={"topology": "strip", "reuse": true, "join": true, "restarts": [4, 9]})"));
  EXPECT_TRUE(options.Take("--ngg-culling=4160749582"));
  sim::rdna2::Options run;
  options.Set(run);
  EXPECT_EQ(run.assembly.topology, InputAssembly::Topology::kTriangleStrip);
  EXPECT_TRUE(run.assembly.reuses_vertices && run.assembly.joins_instances);
  EXPECT_EQ(run.assembly.restarts, (std::vector<uint32_t>{4, 9}));
  EXPECT_EQ(run.ngg_culling, 0xf800000eu);
  for (const char* wrong :
       {"--assembly=strip", "--assembly={}", R"(--assembly={"topology": "lines"})",
        R"(--assembly={"topology": "fan", "reuse": 3})", "--ngg-culling=x",
        "--clip-positions=", "--other"}) {
    EXPECT_FALSE(VertexOptions().Take(wrong)) << wrong;
  }
}

// Two triangles of six runs, of which the second one is left out.
class JudgeTest : public testing::Test {
 protected:
  void Begin(absl::string_view option, const std::string& positions) {
    draw_.count = 6;
    path_ = absl::StrCat(testing::TempDir(), "/positions.json");
    std::ofstream(path_) << positions;
    ASSERT_TRUE(options_.Take(option));
    if (!positions.empty()) {
      ASSERT_TRUE(options_.Take(absl::StrCat("--clip-positions=", path_)));
    }
    sim::rdna2::Options run;
    options_.Set(run);
    *run.primitives = {{{0, 1, 2}, true}, {{3, 4, 5}, false}};
  }
  void TearDown() override { std::remove(path_.c_str()); }

  // A set in which the second triangle is large and clockwise, or lies outside.
  static std::string Set(bool seen) {
    const float beyond = seen ? 0 : 5;
    const float corners[6][4] = {{0, 0, 0, 1},           {0, 0, 0, 1},
                                 {0, 0, 0, 1},           {beyond - 1, -1, 0, 1},
                                 {beyond + 1, -1, 0, 1}, {beyond - 1, 1, 0, 1}};
    return absl::StrCat(
        "\"", absl::BytesToHexString({reinterpret_cast<const char*>(corners), sizeof(corners)}),
        "\"");
  }

  static std::string Reference(const std::vector<std::string>& sets,
                               const std::string& undefined = "000000") {
    return absl::StrCat("{\"sets\":[", absl::StrJoin(sets, ","), "],\"undefined\":\"", undefined,
                        "\"}");
  }

  sim::scene::VertexInputs draw_;
  VertexOptions options_;
  json results_ = json::object();
  std::string path_;
};

TEST_F(JudgeTest, RunsOfExportedPrimitivesAreNeeded) {
  Begin("--ngg-culling=4160749576", "");
  ASSERT_TRUE(options_.Judge(draw_, results_).ok());
  EXPECT_EQ(results_.dump(), R"({"left_out":1,"needed":"111000","primitives":2})");
}

TEST_F(JudgeTest, ATriangleThatIsSeenMustNotBeLeftOut) {
  Begin("--ngg-culling=4160749576", Reference({Set(true)}));
  EXPECT_THAT(std::string(options_.Judge(draw_, results_).message()),
              HasSubstr("runs 3, 4, 5 is left out though it covers samples"));
}

TEST_F(JudgeTest, AnySetMayExcuse) {
  Begin("--ngg-culling=4160749576", Reference({Set(true), Set(false)}));
  ASSERT_TRUE(options_.Judge(draw_, results_).ok());
  EXPECT_EQ(results_["left_out_by"].dump(), "[0,1,0,0]");
}

TEST_F(JudgeTest, AnUndefinedCornerMayBeAnywhere) {
  Begin("--ngg-culling=4160749576", Reference({Set(true)}, "000010"));
  ASSERT_TRUE(options_.Judge(draw_, results_).ok());
  EXPECT_EQ(results_["left_out_by"].dump(), "[0,1,0]");
}

// From beyond the lower left corner to two points of one pixel whose order the grid exchanges.
TEST_F(JudgeTest, ASliverOfACulledFaceMayShowTheOtherOnTheGrid) {
  const float sliver[6][4] = {{0, 0, 0, 1},
                              {0, 0, 0, 1},
                              {0, 0, 0, 1},
                              {-2, -2, -2, 1},
                              {23.4404030f, 10.6689882f, 25.5631065f, 28.1741695f},
                              {23.9257278f, 10.8941917f, 26.0573158f, 28.7755051f}};
  const std::string set = absl::StrCat(
      "\"", absl::BytesToHexString({reinterpret_cast<const char*>(sliver), sizeof(sliver)}), "\"");
  Begin("--ngg-culling=4160749582", Reference({set}));  // back faces, front is counter-clockwise
  ASSERT_TRUE(options_.Judge(draw_, results_).ok());
  EXPECT_EQ(results_["left_out_by"].dump(), "[0,0,1]");
}

TEST_F(JudgeTest, ANegativeDistanceAtAllCornersIsAReason) {
  const std::string reference = Reference({Set(true)});
  const auto with = [&](const std::string& outside) {
    return reference.substr(0, reference.size() - 1) + ",\"outside\":" + outside + "}";
  };
  Begin("--ngg-culling=4160749576", with(R"(["000110","000011"])"));
  EXPECT_FALSE(options_.Judge(draw_, results_).ok());
  Begin("--ngg-culling=4160749576", with(R"(["000110","000111"])"));
  ASSERT_TRUE(options_.Judge(draw_, results_).ok());
  EXPECT_EQ(results_["left_out_by"].dump(), "[0,0,0,1]");
  Begin("--ngg-culling=4160749576", with(R"(["00011"])"));
  EXPECT_FALSE(options_.Judge(draw_, results_).ok());
}

TEST_F(JudgeTest, AnUndefinedCornerOfAnotherTriangleExcusesNothing) {
  Begin("--ngg-culling=4160749576", Reference({Set(true)}, "100000"));
  EXPECT_FALSE(options_.Judge(draw_, results_).ok());
}

TEST_F(JudgeTest, FacesThatAreToBeLeftOut) {
  Begin("--ngg-culling=4160749578", Reference({Set(true)}));  // back faces
  const bool back = options_.Judge(draw_, results_).ok();
  VertexOptions front;
  options_ = front;
  Begin("--ngg-culling=4160749577", Reference({Set(true)}));  // front faces
  EXPECT_NE(options_.Judge(draw_, results_).ok(), back);
}

TEST_F(JudgeTest, PositionsThatDoNotFit) {
  Begin("--ngg-culling=4160749576", Reference({"\"00\""}));
  EXPECT_THAT(std::string(options_.Judge(draw_, results_).message()), HasSubstr("each run"));
}

TEST_F(JudgeTest, OneSampleOnly) {
  Begin("--ngg-culling=4177526792", Reference({Set(true)}));
  EXPECT_THAT(std::string(options_.Judge(draw_, results_).message()), HasSubstr("one sample"));
}

}  // namespace
}  // namespace kiln::tests
