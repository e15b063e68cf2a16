#include "client/run/linked_draw.h"

#include <bit>

#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

uint32_t Bits(float v) { return std::bit_cast<uint32_t>(v); }

TEST(LinkVertices, TakesWhatFixedFunctionsAndTheNextStageRead) {
  out::LaunchRecord record;
  out::IntelVertex& launch = record.arch.emplace<out::IntelLaunch>().vertex;
  launch.clip_distance_mask = 1 << 0;
  launch.cull_distance_mask = 1 << 1;
  launch.vue = {
      {.slot = 0,
       .what = out::VueContent::kHeader,
       .parts = {{.component = 1, .what = out::VueValue::kLayer, .from_shader = true},
                 {.component = 3, .what = out::VueValue::kPointSize, .from_shader = true}}},
      {.slot = 1, .what = out::VueContent::kPosition},
      {.slot = 2,
       .what = out::VueContent::kDistances,
       .parts = {{.component = 0, .what = out::VueValue::kClipDistance},
                 {.component = 1, .what = out::VueValue::kCullDistance},
                 {.component = 2, .what = out::VueValue::kCullDistance}}},
      {.slot = 3, .what = out::VueContent::kLocation, .location = 5}};
  sim::scene::VertexInputs run;
  run.count = 2;
  run.slots = 4;
  for (uint32_t v = 0; v < 2; ++v) {
    for (uint32_t i = 0; i < 16; ++i) run.entries.push_back(Bits(static_cast<float>(16 * v + i)));
  }
  run.entries[1] = 6;
  run.written.assign(32, 1);
  run.written[14] = 0;
  const auto stream = LinkVertices(run, record);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->per_instance, 2u);
  EXPECT_EQ(stream->positions[1], (sim::scene::ClipPosition{20, 21, 22, 23}));
  EXPECT_EQ(stream->layers[0], 6u);
  EXPECT_EQ(stream->point_sizes[1], 19);
  EXPECT_EQ(stream->clip.each, 1u);
  EXPECT_EQ(stream->clip.values[1], 24);
  EXPECT_EQ(stream->cull.each, 2u);
  EXPECT_EQ(stream->cull.values[0], 9);
  EXPECT_EQ(stream->cull.values[1], 0) << "in no mask";
  ASSERT_EQ(stream->values.size(), 1u);
  EXPECT_EQ(stream->values[0].location, 5u);
  EXPECT_EQ(stream->values[0].bits[3], Bits(15));
  EXPECT_EQ(stream->values[0].bits[2], 0u) << "not written";
}

TEST(LinkVertices, NeedsAPosition) {
  out::LaunchRecord record;
  record.arch.emplace<out::IntelLaunch>();
  EXPECT_FALSE(LinkVertices({}, record).ok());
}

}  // namespace
}  // namespace kiln::client::run
