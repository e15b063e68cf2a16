// Flags and parts of jobs by stage; tests/cli/run_cases.py runs and draws.
#include "client/compile/run_graphics.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::client {
namespace {

using nlohmann::json;

constexpr Flag kFlags[] = {{"png", 0, "FILE", false, ""},    {"size", 0, "WxH", false, ""},
                           {"location", 0, "N", false, ""},  {"groups", 0, "X,Y,Z", false, ""},
                           {"state", 0, "FILE", false, ""},  {"launch", 0, "FILE", false, ""},
                           {"buffers", 0, "FILE", false, ""}};

std::string Said(const std::string& stage, const std::vector<std::string>& arguments,
                 run::Job job = {}) {
  const absl::StatusOr<ParsedFlags> flags = ParseFlags(kFlags, arguments);
  EXPECT_TRUE(flags.ok()) << flags.status();
  out::LaunchRecord launch;
  launch.stage = stage;
  run::VertexTypes types;
  return std::string(PrepareGraphics(*flags, nullptr, launch, &job, &types).message());
}

TEST(RunGraphics, FlagsOfAnotherStage) {
  EXPECT_EQ(Said("compute", {"--groups=1,1,1"}), "");
  EXPECT_EQ(Said("compute", {"--png=a.png"}),
            "--png is for fragment shaders; this is a compute shader");
  EXPECT_EQ(Said("vertex", {"--size=8x8"}),
            "--size is for fragment shaders; this is a vertex shader");
  EXPECT_EQ(Said("fragment", {"--groups=1,1,1"}),
            "--groups is for compute shaders; this is a fragment shader");
}

TEST(RunGraphics, PartsOfAJobOfAnotherStage) {
  run::Job job;
  job.draw = json::object();
  EXPECT_EQ(Said("vertex", {"--buffers=j"}, job), "j: draw: this is a vertex shader");
  job = {};
  job.vertices = json::object();
  EXPECT_EQ(Said("fragment", {"--buffers=j"}, job), "j: vertices: this is a fragment shader");
  job = {};
  job.dispatches = true;
  EXPECT_EQ(Said("vertex", {"--buffers=j"}, job), "j: dispatch: this is a vertex shader");
}

TEST(RunGraphics, VerticesAreNeededAndMayNotBeTooMany) {
  EXPECT_NE(Said("vertex", {"--buffers=j"}).find("j: a vertex shader needs \"vertices\""),
            std::string::npos);
  run::Job job;
  job.vertices = json::parse(R"({"count": 1048576, "instances": 2})");
  EXPECT_EQ(Said("vertex", {"--buffers=j"}, job),
            "j: vertices: 2097152 with those of all instances; 1048576 can be printed at most");
  job.vertices = json::parse(R"({"count": 3})");
  EXPECT_EQ(Said("vertex", {"--buffers=j"}, job), "");
}

// The vertices of a pair are drawn, not printed.
TEST(RunGraphics, APairHasVerticesAndADraw) {
  const absl::StatusOr<ParsedFlags> flags = ParseFlags(kFlags, {"--buffers=j"});
  out::LaunchRecord vertex, fragment;
  vertex.stage = "vertex";
  fragment.stage = "fragment";
  fragment.fragment.samples = 1;
  run::VertexTypes types;
  run::Job job;
  job.vertices = json::parse(R"({"count": 1048576, "instances": 2})");
  job.draw = json::parse(R"({"width": 4, "height": 4, "inputs": []})");
  ASSERT_TRUE(PrepareGraphics(*flags, &vertex, fragment, &job, &types).ok());
  ASSERT_TRUE(job.dispatch.vertices.has_value());
  job.dispatch.vertices->count = job.dispatch.vertices->instances = 1;
  job.dispatch.vertices->slots = 4;
  job.dispatch.vertices->entries.assign(16, 0);
  job.dispatch.vertices->written.assign(16, 1);
  EXPECT_EQ(PrepareLinkedDraw(*flags, vertex, fragment, &job).message(),
            "j: draw: the vertex shader writes no position");
  job.dispatch.vertices->outputs = {
      {.builtin = "position", .components = {{1, 0}, {1, 1}, {1, 2}, {1, 3}}}};
  EXPECT_EQ(PrepareLinkedDraw(*flags, vertex, fragment, &job).message(),
            "j: draw: \"inputs\": the vertex shader decides it");
  job.draw.erase("inputs");
  EXPECT_TRUE(PrepareLinkedDraw(*flags, vertex, fragment, &job).ok());
  EXPECT_TRUE(job.dispatch.draw.has_value());
}

TEST(RunGraphics, SizesAndViewsOfADraw) {
  EXPECT_EQ(Said("fragment", {"--size=8x0"}),
            "--size=8x0: must be a width and a height from 1 to 4096, for example 320x200");
  run::Job job;
  job.draw = json::parse(R"({"view_mask": 3})");
  EXPECT_EQ(Said("fragment", {}, job),
            "draw: view_mask is 3, but the shader is compiled for 0 (--state)");
}

}  // namespace
}  // namespace kiln::client
