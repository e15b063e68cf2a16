#include "core/sim/scene/vertex.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

VertexInputs Draw() {
  VertexInputs draw;
  draw.count = 3;
  draw.indices = {2, 0, 2};
  draw.first_vertex = 1;
  draw.instances = 4;
  VertexInput vertex, instance;
  vertex.location = 3;
  vertex.components = 2;
  vertex.bits = {0, 1, 10, 11, 20, 21, 30, 31};
  instance.location = 5;
  instance.per_instance = true;
  instance.step = 2;
  instance.components = 1;
  instance.bits = {100, 101};
  draw.inputs = {vertex, instance};
  return draw;
}

TEST(Vertex, FetchesByIndexAndInstance) {
  const VertexInputs draw = Draw();
  const VertexRun run = RunAt(draw, 8);
  EXPECT_EQ(run.instance, 2u);
  EXPECT_EQ(run.number, 2u);
  EXPECT_EQ(FetchVertex(draw, *InputAt(draw, 3), run), (std::array<uint32_t, 4>{30, 31, 0, 1}));
  EXPECT_EQ(FetchVertex(draw, *InputAt(draw, 5), run)[0], 101u);
  EXPECT_EQ(InputAt(draw, 4), nullptr);
}

TEST(Vertex, ChecksInputs) {
  VertexInputs draw = Draw();
  EXPECT_TRUE(CheckVertexInputs({3, 5}, 64, draw).ok());
  EXPECT_FALSE(CheckVertexInputs({3, 4}, 64, draw).ok());
  EXPECT_FALSE(CheckVertexInputs({3, 5}, uint64_t{1} << 26, draw).ok());
  draw.first_vertex = 2;
  EXPECT_FALSE(CheckVertexInputs({3}, 64, draw).ok());
}

}  // namespace
}  // namespace kiln::sim::scene
