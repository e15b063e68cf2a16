#include "client/run/linked_draw.h"

#include <bit>

#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

uint32_t Bits(float v) { return std::bit_cast<uint32_t>(v); }

TEST(LinkVertices, TakesWhatFixedFunctionsAndTheNextStageRead) {
  sim::scene::VertexInputs run;
  run.outputs = {{.builtin = "layer", .components = {{0, 1}}},
                 {.builtin = "point_size", .components = {{0, 3}}},
                 {.builtin = "position", .components = {{1, 0}, {1, 1}, {1, 2}, {1, 3}}},
                 {.location = 5, .components = {{3, 0}, {3, 1}, {3, 2}, {3, 3}}},
                 {.builtin = "clip_distance", .components = {{2, 0}}},
                 {.builtin = "cull_distance",
                  .components = {{2, 1}, {.slot = 2, .component = 2, .has_contents = false}}}};
  run.count = 2;
  run.slots = 4;
  for (uint32_t v = 0; v < 2; ++v) {
    for (uint32_t i = 0; i < 16; ++i) run.entries.push_back(Bits(static_cast<float>(16 * v + i)));
  }
  run.entries[1] = 6;
  run.written.assign(32, 1);
  run.written[14] = 0;
  const auto stream = LinkVertices(run);
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->per_instance, 2u);
  EXPECT_EQ(stream->positions[1], (sim::scene::ClipPosition{20, 21, 22, 23}));
  EXPECT_EQ(stream->layers[0], 6u);
  EXPECT_EQ(stream->point_sizes[1], 19);
  EXPECT_EQ(stream->clip.each, 1u);
  EXPECT_EQ(stream->clip.values[1], 24);
  EXPECT_EQ(stream->cull.each, 2u);
  EXPECT_EQ(stream->cull.values[0], 9);
  EXPECT_EQ(stream->cull.values[1], 0) << "without contents";
  ASSERT_EQ(stream->values.size(), 1u);
  EXPECT_EQ(stream->values[0].location, 5u);
  EXPECT_EQ(stream->values[0].bits[3], Bits(15));
  EXPECT_EQ(stream->values[0].bits[2], 0u) << "not written";
}

TEST(LinkVertices, NeedsAPosition) { EXPECT_FALSE(LinkVertices({}).ok()); }

}  // namespace
}  // namespace kiln::client::run
