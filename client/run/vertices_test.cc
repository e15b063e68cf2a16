// Vertices of jobs: values read from them, and the form of outputs.
#include "client/run/vertices.h"

#include <bit>

#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;

constexpr uint32_t kOne = std::bit_cast<uint32_t>(1.0f);

TEST(Vertices, ReadsDrawsAndInputs) {
  const absl::StatusOr<sim::scene::VertexInputs> draw = ReadVertices(json::parse(R"({
    "count": 2, "first_vertex": 1, "instances": 2, "first_instance": 1,
    "inputs": [{"location": 3, "f32": [1, 2, 3, 4, "nan", "0x3f800000"]},
               {"location": 4, "rate": "instance", "i32": [-1, 2, 3]}]})"),
                                                                     {});
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->Runs(), 4u);
  EXPECT_EQ(draw->first_vertex, 1);
  EXPECT_EQ(draw->first_instance, 1u);
  EXPECT_EQ(draw->inputs[0].components, 2u) << "of the three vertices up to the last";
  EXPECT_EQ(draw->inputs[0].bits[5], kOne);
  EXPECT_EQ(draw->inputs[0].missing_w, kOne);
  EXPECT_TRUE(draw->inputs[1].per_instance);
  EXPECT_EQ(draw->inputs[1].components, 1u);
  EXPECT_EQ(draw->inputs[1].bits[0], 0xffffffffu);
  EXPECT_EQ(draw->inputs[1].missing_w, 1u);
}

TEST(Vertices, ReadsIndices) {
  const absl::StatusOr<sim::scene::VertexInputs> draw = ReadVertices(
      json::parse(
          R"({"indices": [1, 0, 1], "vertex_offset": 2, "inputs": [{"u32": [1, 2, 3, 4, 5, 6, 7, 8]}]})"),
      {});
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->count, 3u);
  EXPECT_EQ(draw->first_vertex, 2);
  EXPECT_EQ(draw->inputs[0].components, 2u);
}

TEST(Vertices, ReadsMoreElementsThanAreDrawn) {
  const absl::StatusOr<sim::scene::VertexInputs> draw = ReadVertices(
      json::parse(
          R"({"count": 2, "inputs": [{"components": 2, "f32": [1, 2, 3, 4, 5, 6, 7, 8]}]})"),
      {});
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->inputs[0].components, 2u);
  EXPECT_EQ(draw->inputs[0].bits.size(), 8u);
}

TEST(Vertices, InstancesComeOnceForEachView) {
  out::VertexLaunch launch;
  launch.view_mask = 5;
  launch.instance_multiplier = 2;
  const json job = json::parse(R"({"count": 2, "instances": 3, "view_mask": 5,
    "inputs": [{"location": 4, "rate": "instance", "i32": [1, 2, 3]}]})");
  const absl::StatusOr<sim::scene::VertexInputs> draw = ReadVertices(job, launch);
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_EQ(draw->instances, 6u);
  EXPECT_EQ(draw->inputs[0].step, 2u);
  EXPECT_FALSE(ReadVertices(job, {}).ok()) << "a program without views";
}

TEST(Vertices, OutputsAreInTheOrderOfRuns) {
  sim::scene::VertexInputs draw;
  draw.count = 2;
  draw.slots = 4;
  for (uint32_t i = 0; i < 2 * 4 * 4; ++i) draw.entries.push_back(i);
  draw.written.assign(draw.entries.size(), 1);
  draw.written[draw.At(1, 3, 2)] = 0;
  draw.outputs = {{.builtin = "layer", .components = {{0, 1}}},
                  {.location = 7, .components = {{3, 0}, {3, 1}, {3, 2}, {3, 3}}},
                  {.builtin = "clip_distance", .components = {{2, 0}, {2, 1}}},
                  {.builtin = "cull_distance", .components = {{2, 2}}}};
  const json outputs = VertexOutputs(draw);
  ASSERT_EQ(outputs.size(), 4u) << outputs.dump();
  EXPECT_EQ(outputs[0]["builtin"], "layer");
  EXPECT_EQ(outputs[0]["hex"], "0100000011000000");
  EXPECT_EQ(outputs[1]["location"], 7);
  EXPECT_EQ(outputs[1]["components"], 4);
  EXPECT_EQ(outputs[1]["written"], "11111101");
  EXPECT_EQ(outputs[2]["builtin"], "clip_distance");
  EXPECT_EQ(outputs[2]["hex"], "08000000090000001800000019000000");
  EXPECT_EQ(outputs[3]["builtin"], "cull_distance");
  EXPECT_EQ(outputs[3]["bytes"], 8);
}

}  // namespace
}  // namespace kiln::client::run
