// Outputs of vertices as numbers: types, unwritten ones, instances, and where text ends.
#include "client/run/show_vertices.h"

#include <bit>
#include <utility>

#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

// Layer, position and location 7 of two vertices of two instances; of the last one a component is
// missing.
sim::scene::VertexInputs Draw() {
  sim::scene::VertexInputs draw;
  draw.count = 2;
  draw.instances = 2;
  draw.slots = 4;
  draw.outputs = {{.builtin = "layer", .components = {{0, 1}}},
                  {.builtin = "position", .components = {{1, 0}, {1, 1}, {1, 2}, {1, 3}}},
                  {.location = 7, .components = {{3, 0}, {3, 1}, {3, 2}, {3, 3}}}};
  draw.entries.assign(4 * 4 * 4, std::bit_cast<uint32_t>(1.5f));
  draw.written.assign(draw.entries.size(), 1);
  for (uint32_t run = 0; run < 4; ++run) draw.entries[draw.At(run, 0, 1)] = 10 + run;
  draw.entries[draw.At(3, 3, 0)] = ~0u;
  draw.written[draw.At(3, 3, 2)] = 0;
  return draw;
}

TEST(ShowVertices, TypesOfLocations) {
  out::VertexLaunch launch;
  launch.outputs = {{7}};
  const auto read = [&](const char* text) {
    return ReadVertexTypes(nlohmann::json::parse(text), launch);
  };
  const auto types = read(R"({"as": {"7": "u32"}})");
  ASSERT_TRUE(types.ok()) << types.status();
  EXPECT_EQ(*types, (VertexTypes{{7, "u32"}}));
  EXPECT_TRUE(read("{}")->empty());
  for (const auto& [text, message] :
       {std::pair{R"({"as": {"x": "f32"}})", "\"x\": not a location"},
        std::pair{R"({"as": {"6": "f32"}})", "\"6\": the program does not write this location"},
        std::pair{R"({"as": {"7": "f64"}})", "\"7\": \"f64\" is not one of f32, i32, u32"}}) {
    const absl::Status s = read(text).status();
    EXPECT_NE(s.message().find(message), s.message().npos) << text << ": " << s;
  }
}

TEST(ShowVertices, RowsHaveNumbersOfTheirTypes) {
  const nlohmann::ordered_json rows = VertexRows(Draw(), {{7, "i32"}});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[3].dump(),
            R"({"instance":1,"vertex":1,"outputs":[{"builtin":"layer","values":[13]},)"
            R"({"builtin":"position","values":[1.5,1.5,1.5,1.5]},)"
            R"({"location":7,"values":[-1,1069547520,null,1069547520]}]})");
}

// Two clip distances and one cull distance; the second clip distance has no contents.
TEST(ShowVertices, DistancesWithoutStores) {
  sim::scene::VertexInputs draw = Draw();
  draw.outputs = {{.builtin = "clip_distance",
                   .components = {{2, 0}, {.slot = 2, .component = 1, .has_contents = false}}},
                  {.builtin = "cull_distance", .components = {{2, 2}}}};
  EXPECT_EQ(VertexRows(draw, {})[0]["outputs"].dump(),
            R"([{"builtin":"clip_distance","values":[1.5,null]},)"
            R"({"builtin":"cull_distance","values":[1.5]}])");
}

TEST(ShowVertices, TextEndsWhereItIsLong) {
  EXPECT_EQ(VertexText(Draw(), {}, 1),
            "vertex 0 of instance 0\n  layer: 10\n  position: 1.5 1.5 1.5 1.5\n"
            "  location 7: 1.5 1.5 1.5 1.5\n... (4 vertices; --json prints all)\n");
  const std::string all = VertexText(Draw(), {}, 4);
  EXPECT_TRUE(all.ends_with("  location 7: nan 1.5 - 1.5\n")) << all;
}

}  // namespace
}  // namespace kiln::client::run
