#include "core/sim/rdna2/input_assembly.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using testing::ElementsAre;
using Topology = InputAssembly::Topology;

scene::VertexInputs Draw(uint32_t count, uint32_t instances = 1) {
  scene::VertexInputs draw;
  draw.count = count;
  draw.instances = instances;
  return draw;
}

std::vector<std::array<uint32_t, 3>> RunsOf(const AssembledGroup& group) {
  std::vector<std::array<uint32_t, 3>> runs;
  for (const AssembledPrimitive& p : group.primitives) runs.push_back(p.runs);
  return runs;
}

std::vector<std::array<uint32_t, 3>> VerticesOf(const AssembledGroup& group) {
  std::vector<std::array<uint32_t, 3>> vertices;
  for (const AssembledPrimitive& p : group.primitives) vertices.push_back(p.vertices);
  return vertices;
}

TEST(InputAssembly, EveryThreeConsecutiveVerticesOfAWorkgroup) {
  const auto groups = Assemble(Draw(131, 2), {}, 128, 128, 1);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].vertices.size(), 128u);
  EXPECT_EQ(groups[0].primitives.size(), 126u);
  EXPECT_THAT(RunsOf(groups[1]), ElementsAre(ElementsAre(128, 129, 130)));
  EXPECT_EQ(groups[1].primitives[0].number, 126u);
  EXPECT_EQ(groups[2].primitives[0].number, 0u);
  EXPECT_EQ(groups[2].instance, 1u);
  EXPECT_THAT(VerticesOf(Assemble(Draw(2), {}, 128, 128, 1)[0]), ElementsAre(ElementsAre(0, 1, 1)));
}

TEST(InputAssembly, Topologies) {
  const auto runs = [](Topology topology, uint32_t count, std::vector<uint32_t> restarts = {}) {
    return RunsOf(Assemble(Draw(count), {topology, std::move(restarts)}, 128, 128, 1)[0]);
  };
  EXPECT_THAT(runs(Topology::kTriangleList, 8),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
  EXPECT_THAT(runs(Topology::kTriangleStrip, 5),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 3, 2), ElementsAre(2, 3, 4)));
  EXPECT_THAT(runs(Topology::kTriangleFan, 5),
              ElementsAre(ElementsAre(1, 2, 0), ElementsAre(2, 3, 0), ElementsAre(3, 4, 0)));
  EXPECT_THAT(runs(Topology::kTriangleStrip, 7, {4}),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 3, 2), ElementsAre(4, 5, 6)));
  EXPECT_THAT(runs(Topology::kTriangleFan, 8, {3, 5, 9}),
              ElementsAre(ElementsAre(0 + 1, 2, 0), ElementsAre(6, 7, 5)));
  EXPECT_THAT(runs(Topology::kTriangleList, 7, {4}),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(4, 5, 6)));
}

TEST(InputAssembly, SharedVerticesAreShadedOnce) {
  scene::VertexInputs draw = Draw(6);
  draw.indices = {7, 8, 9, 9, 8, 5};
  const InputAssembly list = {Topology::kTriangleList, {}, true};
  const auto shared = Assemble(draw, list, 128, 128, 1);
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_THAT(VerticesOf(shared[0]), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(2, 1, 3)));
  EXPECT_THAT(shared[0].vertices,
              ElementsAre(ElementsAre(0), ElementsAre(1, 4), ElementsAre(2, 3), ElementsAre(5)));
  const auto apart = Assemble(draw, {Topology::kTriangleList}, 128, 128, 1);
  EXPECT_EQ(apart[0].vertices.size(), 6u);
  EXPECT_THAT(RunsOf(apart[0]), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
  // A fan's first vertex is one place of all its primitives.
  EXPECT_EQ(Assemble(Draw(5), {Topology::kTriangleFan}, 128, 128, 1)[0].vertices.size(), 5u);
}

TEST(InputAssembly, WorkgroupsAreFilledUpToEitherLimit) {
  const InputAssembly strip = {Topology::kTriangleStrip, {}, true};
  const auto by_vertices = Assemble(Draw(64), strip, 29, 128, 1);
  ASSERT_EQ(by_vertices.size(), 3u);
  EXPECT_EQ(by_vertices[0].vertices.size(), 29u);
  EXPECT_EQ(by_vertices[0].primitives.size(), 27u);
  EXPECT_THAT(by_vertices[1].primitives[0].runs, ElementsAre(27, 29, 28));
  EXPECT_EQ(by_vertices[1].primitives[0].number, 27u);
  const auto by_primitives = Assemble(Draw(64), strip, 128, 60, 1);
  ASSERT_EQ(by_primitives.size(), 2u);
  EXPECT_EQ(by_primitives[0].primitives.size(), 60u);
  // The primitive that does not fit begins the next workgroup, which has all its vertices.
  EXPECT_EQ(by_primitives[1].vertices.size(), 4u);
}

TEST(InputAssembly, ManyPrimitivesOfFewVertices) {
  scene::VertexInputs draw = Draw(384);
  for (uint32_t i = 0; i < draw.count; ++i) draw.indices.push_back((i * 7 + i / 9) % 11);
  const auto groups = Assemble(draw, {Topology::kTriangleList, {}, true}, 128, 128, 1);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].primitives.size(), 128u);
  EXPECT_EQ(groups[0].vertices.size(), 11u);
  std::set<uint32_t> runs;
  for (const auto& of_vertex : groups[0].vertices) runs.insert(of_vertex.begin(), of_vertex.end());
  EXPECT_EQ(runs.size(), 384u) << "each place is a run of one vertex";
}

TEST(InputAssembly, InstancesOfOneViewAreJoined) {
  InputAssembly how = {Topology::kTriangleList, {}, true, true};
  const auto joined = Assemble(Draw(3, 4), how, 128, 128, 1);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].vertices.size(), 12u) << "an instance's vertices are its own";
  EXPECT_EQ(joined[0].primitives[3].number, 0u);
  const auto of_views = Assemble(Draw(3, 4), how, 128, 128, 2);
  ASSERT_EQ(of_views.size(), 2u);
  EXPECT_THAT(RunsOf(of_views[1]), ElementsAre(ElementsAre(3, 4, 5), ElementsAre(9, 10, 11)));
  EXPECT_EQ(of_views[1].instance, 1u);
  how.joins_instances = false;
  EXPECT_EQ(Assemble(Draw(3, 4), how, 128, 128, 1).size(), 4u);
}

}  // namespace
}  // namespace kiln::sim::rdna2
