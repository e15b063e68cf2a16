// Outputs by name: values of the header, distances of both slots, and those without contents.
#include "core/sim/eu/vertex_outputs.h"

#include "core/sim/eu/vertex_testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using out::VueContent;
using out::VueValue;
using scene::VertexOutput;

TEST(VertexOutputs, SlotsInTheirOrder) {
  const std::vector<VertexOutput> outputs = VertexOutputsOf(VertexRecord());
  ASSERT_EQ(outputs.size(), 2u) << "nothing of the header is the shader's";
  EXPECT_EQ(outputs[0].builtin, "position");
  EXPECT_EQ(outputs[0].components.size(), 4u);
  EXPECT_EQ(outputs[1].builtin, "");
  EXPECT_EQ(outputs[1].location, 3u);
  EXPECT_EQ(outputs[1].components[2].slot, 4u);
  EXPECT_EQ(outputs[1].components[2].component, 2u);
}

TEST(VertexOutputs, PartsOfTheHeaderAndOtherBuiltIns) {
  out::LaunchRecord record = VertexRecord();
  std::vector<out::VueSlot>& vue = out::IntelOf(record).vertex.vue;
  vue[0].parts[3].from_shader = true;
  vue[1] = {2, VueContent::kBuiltin, 0, "primitive_id", {}, true};
  const std::vector<VertexOutput> outputs = VertexOutputsOf(record);
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs[0].builtin, "point_size");
  ASSERT_EQ(outputs[0].components.size(), 1u);
  EXPECT_EQ(outputs[0].components[0].component, 3u);
  EXPECT_EQ(outputs[1].builtin, "primitive_id");
}

// Five clip distances and one cull distance; clip distance 1 and 4 have no contents.
TEST(VertexOutputs, DistancesComeTogether) {
  out::LaunchRecord record = VertexRecord();
  out::IntelVertex& launch = out::IntelOf(record).vertex;
  out::VueSlot first{2, VueContent::kDistances, 0, "", {}, true}, second = first;
  for (uint32_t c = 0; c < 4; ++c) first.parts.push_back({c, VueValue::kClipDistance, c});
  second.slot = 3;
  second.parts = {{0, VueValue::kClipDistance, 4}, {1, VueValue::kCullDistance, 0}};
  launch.vue = {first, second};
  launch.clip_distance_mask = 0xd;
  launch.cull_distance_mask = 1u << 5;
  const std::vector<VertexOutput> outputs = VertexOutputsOf(record);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].builtin, "clip_distance");
  ASSERT_EQ(outputs[0].components.size(), 5u);
  for (uint32_t c = 0; c < 5; ++c) {
    EXPECT_EQ(outputs[0].components[c].has_contents, c != 1 && c != 4) << c;
  }
  EXPECT_EQ(outputs[0].components[4].slot, 3u);
  EXPECT_EQ(outputs[1].builtin, "cull_distance");
  ASSERT_EQ(outputs[1].components.size(), 1u);
  EXPECT_TRUE(outputs[1].components[0].has_contents);
}

}  // namespace
}  // namespace kiln::sim::eu::testing
