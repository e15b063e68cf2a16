// Draws of jobs: topologies, inputs by vertex, kept outputs, refused draws.
#include "client/run/draw.h"

#include <bit>

#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;

out::LaunchRecord Record() {
  out::LaunchRecord r;
  r.stage = "fragment";
  r.fragment.samples = 1;
  r.fragment.colors = {2};
  return r;
}

// A square that covers the render target, in two triangles.
json Square(const char* topology) {
  return {{"width", 4},
          {"height", 4},
          {"topology", topology},
          {"positions", {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}}},
          {"inputs", {{{"location", 1}, {"component", 2}, {"u32", {1, 10, 2, 20, 3, 30, 4, 40}}}}}};
}

// Returns each primitive's values of location 1 component 2.
std::vector<std::array<uint32_t, 3>> FirstValues(const sim::scene::FragmentInputs& in) {
  std::vector<std::array<uint32_t, 3>> values;
  for (const sim::scene::Primitive& p : in.primitives) values.push_back(p.values.at(0).bits);
  return values;
}

TEST(Draw, StripsAndFansHaveTheProvokingVertexFirst) {
  auto strip = ReadDraw(Square("triangle_strip"), Record());
  ASSERT_TRUE(strip.ok()) << strip.status();
  EXPECT_EQ(FirstValues(*strip), (std::vector<std::array<uint32_t, 3>>{{1, 2, 3}, {2, 4, 3}}));
  EXPECT_EQ(strip->primitives[0].back_facing, strip->primitives[1].back_facing);
  const auto fan = ReadDraw(Square("triangle_fan"), Record());
  ASSERT_TRUE(fan.ok()) << fan.status();
  EXPECT_EQ(FirstValues(*fan), (std::vector<std::array<uint32_t, 3>>{{2, 3, 1}, {3, 4, 1}}));
}

TEST(Draw, TheProvokingVertexChoosesLayerAndViewport) {
  json square = Square("triangle_strip");
  square["layers"] = {3, 0, 5, 0};
  square["viewports"] = {0, 2, 0, 0};
  const auto strip = ReadDraw(square, Record());
  ASSERT_TRUE(strip.ok()) << strip.status();
  EXPECT_EQ(strip->primitives[0].layer, 3u);
  EXPECT_EQ(strip->primitives[1].layer, 0u);
  EXPECT_EQ(strip->primitives[1].viewport, 2u);
  square["layers"] = {1};
  EXPECT_FALSE(ReadDraw(square, Record()).ok());
}

TEST(Draw, PointsHaveASizeAndTheirVertexsValues) {
  json points = Square("point_list");
  points["point_size"] = 1;
  points["positions"] = {{0.25, 0.25, 0.5, 1}, {-0.75, -0.75, 0.5, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};
  points["viewports"] = {0, 4, 0, 0};
  const auto in = ReadDraw(points, Record());
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_EQ(FirstValues(*in),
            (std::vector<std::array<uint32_t, 3>>{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}}));
  EXPECT_EQ(in->primitives[1].viewport, 4u);
  EXPECT_EQ(in->primitives[1].built_ins.size(), 2u);
  ASSERT_GE(in->quads.size(), 2u);
  EXPECT_EQ(in->quads[1].coverage, (std::array<uint32_t, 4>{1, 0, 0, 0}));
  points["topology"] = "triangle_list";
  EXPECT_FALSE(ReadDraw(points, Record()).ok()) << "triangles have no size";
}

// Cull distances follow the clip distances.
TEST(Draw, DistancesAreAttributes) {
  json draw = {{"clip_distances", {1, 2, 3, 4, 5, 6, 7, 8, 9}},
               {"cull_distances", {-1, 1, 2, -2, -3, 0}}};
  const auto in = ReadDraw(draw, Record());
  ASSERT_TRUE(in.ok()) << in.status();
  const auto& values = in->primitives[0].built_ins;
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values[2].attribute, "clip_distance_0");
  EXPECT_EQ(values[2].component, 2u);
  EXPECT_EQ(values[2].bits[1], std::bit_cast<uint32_t>(6.0f));
  EXPECT_EQ(values[4].attribute, "clip_distance_1");
  EXPECT_EQ(values[4].component, 0u);
  EXPECT_EQ(values[4].bits[0], std::bit_cast<uint32_t>(1.0f));
  const auto refused = [&draw](const char* key, const json& value) {
    json other = draw;
    other[key] = value;
    return !ReadDraw(other, Record()).ok();
  };
  EXPECT_TRUE(refused("clip_distances", {1, 2, 3, 4})) << "of three vertices";
  EXPECT_TRUE(refused("clip_distances", std::vector<int>(21, 1))) << "nine with two";
}

TEST(Draw, DistancesClipAndCull) {
  const auto quads = [](const json& draw) { return ReadDraw(draw, Record())->quads.size(); };
  EXPECT_EQ(quads({{"clip_distances", {-1, 3, -1}}}), 8u) << "the right half of 8 x 8 pixels";
  EXPECT_EQ(quads({{"cull_distances", {-1, -1, -1}}}), 0u);
}

TEST(Draw, Lines) {
  json draw = Square("line_strip");
  const auto in = ReadDraw(draw, Record());
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_EQ(in->primitives.size(), 3u);
  EXPECT_FALSE(in->quads.empty());
}

TEST(Draw, InputsHaveAsManyComponentsAsThereAreValues) {
  const auto list = ReadDraw(Square("triangle_list"), Record());
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->primitives.size(), 1u);
  const auto& values = list->primitives[0].values;
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[1].location, 1u);
  EXPECT_EQ(values[1].component, 3u);
  EXPECT_EQ(values[1].bits, (std::array<uint32_t, 3>{10, 20, 30}));
}

TEST(Draw, KeepsWhatTheProgramWrites) {
  auto in = ReadDraw(json::object(), Record());
  ASSERT_TRUE(in.ok()) << in.status();
  ASSERT_EQ(in->targets.size(), 1u);
  EXPECT_EQ(in->targets[0].location, 2u);
  EXPECT_EQ(in->targets[0].texels.size(), 8u * 8 * 4);
  EXPECT_TRUE(in->depth.empty() && in->stencil.empty() && in->sample_mask.empty());
  EXPECT_EQ(in->quads.size(), 16u) << "one triangle that covers all";
  out::LaunchRecord record = Record();
  record.fragment.depth = out::DepthOutput::kAny;
  record.fragment.writes_stencil = record.fragment.writes_sample_mask = true;
  record.fragment.samples = 4;
  in = ReadDraw({{"samples", 4}}, record);
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_EQ(in->depth.size(), 8u * 8 * 4);
  EXPECT_EQ(in->stencil.size(), 8u * 8 * 4);
  EXPECT_EQ(in->sample_mask.size(), 8u * 8);
}

TEST(Draw, RefusesWhatItDoesNotDraw) {
  const auto refused = [](const json& draw) {
    const auto in = ReadDraw(draw, Record());
    return !in.ok() && in.status().message().substr(0, 5) == "draw:";
  };
  EXPECT_TRUE(refused({{"topology", "patch_list"}}));
  EXPECT_TRUE(refused({{"vertex_shader", "a.spv"}}));
  EXPECT_TRUE(refused({{"instances", 2}}));
  EXPECT_TRUE(refused({{"clear", {0, 0, 1}}}));
  EXPECT_TRUE(refused({{"point_size", 2}}));
  EXPECT_TRUE(refused({{"layers", {0}}}));
  EXPECT_TRUE(refused({{"positions", json::array()}}));
  EXPECT_TRUE(refused({{"positions", {{0, 0, 0}}}}));
  EXPECT_TRUE(refused({{"inputs", {{{"location", 0}, {"f32", {1, 2}}}}}}));
  EXPECT_TRUE(refused({{"inputs", {{{"location", 0}, {"f16", {1, 2, 3}}}}}}));
  EXPECT_TRUE(refused({{"width", "wide"}}));
}

// Code depends on state: with state that it was not compiled for it would draw wrong.
TEST(Draw, RefusesStateThatTheProgramWasNotCompiledFor) {
  out::LaunchRecord record = Record();
  const auto said = [&record](const json& draw) {
    return std::string(ReadDraw(draw, record).status().message());
  };
  EXPECT_EQ(said({{"samples", 4}}), "draw: \"samples\": 4, but the program was compiled for 1");
  EXPECT_EQ(said({{"sample_shading", true}}), "") << "of one sample that is nothing else";
  EXPECT_EQ(said({{"alpha_to_coverage", true}}),
            "draw: \"alpha_to_coverage\", but the program was compiled without it");
  record.fragment.samples = 4;
  EXPECT_EQ(said(json::object()), "draw: \"samples\": 1, but the program was compiled for 4");
  EXPECT_EQ(said({{"samples", 4}, {"sample_shading", true}}),
            "draw: \"sample_shading\", but the program was compiled to run once per pixel");
  record.fragment.per_sample = record.fragment.alpha_to_coverage = true;
  EXPECT_EQ(said({{"samples", 4}, {"sample_shading", true}}), "");
  EXPECT_EQ(said({{"samples", 4}, {"alpha_to_coverage", true}}), "");
}

TEST(Draw, MissingInputsSayTheirPlace) {
  out::LaunchRecord record = Record();
  record.fragment.inputs = {
      {.location = 1}, {.location = 3}, {.location = 4, .flat = true}, {.builtin = "point_coord"}};
  json draw = {{"inputs", {{{"location", 1}, {"f32", {1, 2, 3}}}}}};
  ASSERT_TRUE(AddMissingInputs(record, &draw).ok());
  ASSERT_EQ(draw["inputs"].size(), 3u);
  EXPECT_EQ(draw["inputs"][0]["f32"], (json{1, 2, 3}));
  EXPECT_EQ(draw["inputs"][1]["location"], 3);
  EXPECT_EQ(draw["inputs"][1]["f32"],
            (json{0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0}));
  EXPECT_EQ(draw["inputs"][2]["u32"], json(std::vector<int>(12)));
}

TEST(Draw, ViewsAreDrawnToTheirLayers) {
  const auto in =
      ReadDraw({{"width", 2}, {"height", 2}, {"view_mask", 5}, {"depth", true}}, Record());
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_EQ(in->layers, 3u);
  ASSERT_EQ(in->primitives.size(), 2u);
  EXPECT_EQ(in->primitives[0].layer, 0u);
  EXPECT_EQ(in->primitives[1].layer, 2u);
  ASSERT_EQ(in->quads.size(), 2u);
  EXPECT_EQ(in->quads[1].primitive, 1u);
  EXPECT_EQ(in->depth.size(), 12u);
  EXPECT_FALSE(ReadDraw({{"view_mask", 0x10000}}, Record()).ok());
  EXPECT_FALSE(ReadDraw({{"view_mask", 1}, {"layers", {0, 0, 0}}}, Record()).ok());
}

// Assembly, rasterisation and reading of attachments end with the time that the run may take.
TEST(Draw, PreparationEndsWithItsTime) {
  out::LaunchRecord record;
  record.stage = "fragment";
  record.fragment.samples = 1;
  const sim::scene::TimeLimit over(1e-9);
  for (const char* text : {R"({"width": 4096, "height": 4096})", R"({"width": 2, "height": 2})"}) {
    const auto in = ReadDraw(json::parse(text), record, "", over);
    EXPECT_EQ(in.status().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_NE(in.status().message().find("more than 1e-09 seconds of processor time"),
              std::string::npos);
  }
  const auto in = ReadDraw(json::parse(R"({"width": 2})"), record, "", sim::scene::TimeLimit(60));
  EXPECT_TRUE(in.ok());
}

}  // namespace
}  // namespace kiln::client::run
