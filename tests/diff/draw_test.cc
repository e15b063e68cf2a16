// Hand-written triangles: the pixels that they cover, and the inputs of their fragments.
#include "tests/diff/draw.h"

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::diff {
namespace {

using nlohmann::json;
using testing::Each;
using testing::ElementsAre;

constexpr char kInterface[] =
    "mir 1 stage fragment input 0 location 0.0 f32 x1 input 1 location 1.0 f32 x1 noperspective "
    "input 2 builtin frag_coord f32 x4 input 3 builtin front_facing bool x1 "
    "output 0 location 0.0 f32 x1 resource 0 ssbo 0.0.0 body { ";

absl::StatusOr<Drawn> DrawBody(const std::string& body, const json& draw,
                               oracle::LaunchInputs& inputs) {
  const absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(kInterface, body, " return }"));
  if (!m.ok()) return m.status();
  inputs.buffers.push_back({0, 0, 0, std::vector<uint8_t>(16)});
  return Draw(*m, draw, inputs, {});
}

// Component 0 of each pixel.
std::vector<float> RedOf(const absl::StatusOr<Drawn>& drawn) {
  EXPECT_TRUE(drawn.ok()) << drawn.status();
  if (!drawn.ok()) return {};
  const std::string bytes = absl::HexStringToBytes(drawn->colors[0]["hex"].get<std::string>());
  std::vector<float> red(bytes.size() / 16);
  for (size_t i = 0; i < red.size(); ++i) std::memcpy(&red[i], &bytes[16 * i], 4);
  return red;
}

std::vector<float> Red(const std::string& body, const json& draw) {
  oracle::LaunchInputs inputs;
  return RedOf(DrawBody(body, draw, inputs));
}

json Square(const json& positions) {
  const json values = json::array({1.0, 2.0, 4.0, 8.0, 16.0, 32.0});
  json list = json::array();
  for (size_t i = 0; i < positions.size(); ++i) list.push_back(values[i]);
  return {{"width", 2},
          {"height", 2},
          {"positions", positions},
          {"inputs", {{{"location", 0}, {"f32", list}}, {{"location", 1}, {"f32", list}}}}};
}

const json kWhole = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};

TEST(Draw, EarlyTestsKeepThePrimitivesDepth) {
  const auto depth = [](const std::string& mode) {
    const auto m = mir::Parse(absl::StrCat(
        "mir 1 stage fragment ", mode,
        " output 0 builtin frag_depth f32 x1 body { store_output[0, 0] 0.5f demote true return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    oracle::LaunchInputs inputs;
    const json whole = {{-1, -1, 0.25, 1}, {3, -1, 0.25, 1}, {-1, 3, 0.25, 1}};
    const absl::StatusOr<Drawn> drawn = Draw(*m, Square(whole), inputs, {});
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    const std::string bytes = absl::HexStringToBytes(drawn->depth["hex"].get<std::string>());
    float first = 0;
    std::memcpy(&first, bytes.data(), 4);
    return first;
  };
  EXPECT_EQ(depth("modes early_tests depth less"), 0.25f);
  EXPECT_EQ(depth("modes depth less"), 1.0f) << "killed";
}

TEST(Draw, HelpersRunIfNeededOnly) {
  const auto lowest = [](const std::string& more, HelperPixels helpers) {
    const auto m = mir::Parse(absl::StrCat(kInterface, "%0:i32 = reduce[iadd, 0] 1 ", more,
                                           "%1:f32 = u2f %0 store_output[0, 0] %1 return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    oracle::LaunchInputs inputs;
    inputs.buffers.push_back({0, 0, 0, std::vector<uint8_t>(16)});
    // Three pixels of the quad.
    const json draw = Square({{-1, -1, 0, 1}, {1.5, -1, 0, 1}, {-1, 1.5, 0, 1}});
    return RedOf(Draw(*m, draw, inputs, {}, helpers));
  };
  EXPECT_EQ(lowest("", HelperPixels::kRun)[0], 4);
  EXPECT_EQ(lowest("", HelperPixels::kRunIfNeeded)[0], 3);
  EXPECT_EQ(
      lowest("%2:f32 = load_input[0, 0] %3:f32 = ddx[any] %2 ", HelperPixels::kRunIfNeeded)[0], 4);
}

TEST(Draw, PixelsOnASharedEdgeBelongToOneTriangle) {
  const json two = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1},
                    {1, -1, 0, 1},  {1, 1, 0, 1},  {-1, 1, 0, 1}};
  oracle::LaunchInputs inputs;
  ASSERT_TRUE(DrawBody("%0:i32 = ssbo_atomic[0, add] 0, 1", Square(two), inputs).ok());
  EXPECT_EQ(inputs.buffers[0].bytes[0], 4);
}

TEST(Draw, HelpersOfPartlyCoveredQuadsHaveNoEffect) {
  const json one = {{-1, -1, 0, 1}, {0, -1, 0, 1}, {-1, 0, 0, 1}};
  oracle::LaunchInputs inputs;
  json draw = Square(one);
  draw["width"] = draw["height"] = 4;
  ASSERT_TRUE(DrawBody("%0:i32 = ssbo_atomic[0, add] 0, 1", draw, inputs).ok());
  // The centre (0.5, 0.5) lies inside, (1.5, 0.5) and (0.5, 1.5) on the edge, which is a lower
  // right one.
  EXPECT_EQ(inputs.buffers[0].bytes[0], 1);
}

TEST(Draw, InputsAreCorrectedForPerspectiveUnlessTheySayNot) {
  json draw = Square({{-1, -1, 0, 1}, {9, -3, 0, 3}, {-1, 3, 0, 1}});
  // In pixels: (0, 0), (4, 0), (0, 4); at (0.5, 0.5) the weights are 3/4, 1/8, 1/8.
  EXPECT_THAT(Red("%0:f32 = load_input[1, 0] store_output[0, 0] %0", draw)[0],
              testing::FloatEq(0.75f + 0.25f + 0.5f));
  const float w = 0.75f + 0.125f / 3 + 0.125f;
  EXPECT_THAT(Red("%0:f32 = load_input[0, 0] store_output[0, 0] %0", draw)[0],
              testing::FloatEq((0.75f + 0.125f / 3 * 2 + 0.125f * 4) / w));
  EXPECT_THAT(Red("%0:f32 = load_input[2, 3] store_output[0, 0] %0", draw)[0], testing::FloatEq(w));
}

// The weights of vertices give interpolated values from those of the vertices: the values above.
TEST(Draw, WeightsOfVerticesGiveInterpolatedValues) {
  const json draw = Square({{-1, -1, 0, 1}, {9, -3, 0, 3}, {-1, 3, 0, 1}});
  const auto sum = [&](const std::string& weights) {
    const absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
        "mir 1 stage fragment input 0 location 0.0 f32 x1 per_vertex input 1 builtin ", weights,
        " output 0 location 0.0 f32 x1 body { %0:f32, %1:f32, %2:f32 = load_input[1, 0] "
        "%3:f32 = interpolate[0, vertex0 0] %4:f32 = interpolate[0, vertex1 0] "
        "%5:f32 = interpolate[0, vertex2 0] %6:f32 = fmul %0, %3 %7:f32 = ffma %1, %4, %6 "
        "%8:f32 = ffma %2, %5, %7 store_output[0, 0] %8 return }"));
    EXPECT_TRUE(m.ok()) << m.status();
    if (!m.ok()) return 0.0f;
    oracle::LaunchInputs inputs;
    return RedOf(Draw(*m, draw, inputs, {}))[0];
  };
  EXPECT_FLOAT_EQ(sum("bary_coord_no_perspective f32 x3 noperspective"), 0.75f + 0.25f + 0.5f);
  const float w = 0.75f + 0.125f / 3 + 0.125f;
  EXPECT_FLOAT_EQ(sum("bary_coord f32 x3"), (0.75f + 0.125f / 3 * 2 + 0.125f * 4) / w);
}

TEST(Draw, FacingIsTheSignOfTheArea) {
  const std::string body =
      "%0:bool = load_input[3, 0] %1:f32 = select %0, 2f, 3f store_output[0, 0] %1";
  EXPECT_THAT(Red(body, Square(kWhole)), Each(3));
  EXPECT_THAT(Red(body, Square({kWhole[0], kWhole[2], kWhole[1]})), Each(2));
}

TEST(Draw, LaterTrianglesOverwriteAndDiscardedFragmentsKeep) {
  const json both = {kWhole[0], kWhole[1], kWhole[2], kWhole[0], kWhole[2], kWhole[1]};
  EXPECT_THAT(Red("%0:bool = load_input[3, 0] %1:f32 = select %0, 2f, 3f store_output[0, 0] %1",
                  Square(both)),
              Each(2));
  EXPECT_THAT(Red("%0:f32 = load_input[2, 0] %1:bool = flt %0, 1f %2:bool = load_input[3, 0] "
                  "%3:bool = and %1, %2 demote %3 %4:f32 = select %2, 2f, 3f store_output[0, 0] %4",
                  Square(both)),
              ElementsAre(3, 2, 3, 2));
}

// Values of a built-in, as component 0 of each pixel.
std::vector<float> BuiltIn(const std::string& input, const std::string& body, const json& draw) {
  const absl::StatusOr<mir::Module> m = mir::Parse(absl::StrCat(
      "mir 1 stage fragment input 0 builtin ", input, " output 0 location 0.0 f32 x1 body { ", body,
      " store_output[0, 0] %0 return }"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return {};
  oracle::LaunchInputs inputs;
  return RedOf(Draw(*m, draw, inputs, {}));
}

// A point of two pixels around (1.25, 1): PointCoord at (1.5, 0.5) is 1/2 + 0.25 / 2 and 1/2 - 0.5
// / 2.
TEST(Draw, PointsAreSquaresWithACoordinate) {
  const json draw = {{"width", 2},
                     {"height", 2},
                     {"topology", "point_list"},
                     {"point_size", 2},
                     {"positions", {{0.25, 0, 0, 1}}}};
  EXPECT_THAT(BuiltIn("point_coord f32 x2", "%0:f32, %1:f32 = load_input[0, 0]", draw),
              ElementsAre(0.125, 0.625, 0.125, 0.625));
  EXPECT_THAT(BuiltIn("point_coord f32 x2", "%0:f32 = load_input[0, 1]", draw),
              ElementsAre(0.25, 0.25, 0.75, 0.75));
  json thin = draw;
  thin["point_size"] = 0.5;
  thin["positions"] = {{0.5, 0.5, 0, 1}};
  EXPECT_THAT(BuiltIn("point_coord f32 x2", "%0:f32 = load_input[0, 0]", thin),
              ElementsAre(0, 0, 0, 0.5));
}

TEST(Draw, DistancesAreInterpolated) {
  const json draw = {{"width", 1},
                     {"height", 1},
                     {"positions", kWhole},
                     {"clip_distances", {1, 0, 3, 0, 5, 8}},
                     {"cull_distances", {-4, 8, 4}}};
  EXPECT_THAT(BuiltIn("clip_distance f32 x1 array 2", "%0:f32 = load_input.indexed[0, 0] 0", draw),
              ElementsAre(2.5));
  EXPECT_THAT(BuiltIn("clip_distance f32 x1 array 2", "%0:f32 = load_input.indexed[0, 0] 1", draw),
              ElementsAre(2));
  EXPECT_THAT(BuiltIn("cull_distance f32 x1 array 1", "%0:f32 = load_input.indexed[0, 0] 0", draw),
              ElementsAre(1));
  json other = draw;
  other["clip_distances"] = {1, -1, 1};
  oracle::LaunchInputs inputs;
  EXPECT_EQ(DrawBody("", other, inputs).status().code(), absl::StatusCode::kUnimplemented);
  other["clip_distances"] = {1, 1, 1};
  other["cull_distances"] = {-1, -1, -1};
  EXPECT_EQ(DrawBody("", other, inputs).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(Draw, JitterMovesInputsAndNoCoverage) {
  const std::string body = "%0:f32 = load_input[0, 0] store_output[0, 0] %0";
  json draw = Square(kWhole);
  const std::vector<float> plain = Red(body, draw);
  draw["jitter"] = 3;
  const std::vector<float> moved = Red(body, draw);
  EXPECT_NE(moved, plain);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(moved[i], plain[i], plain[i] * 0x1p-20f);
}

// Components that no path stores, or not the path taken: each changes in some run; other components
// do not.
TEST(Draw, WhatIsNotStoredIsRandomIfUndefinedValuesAre) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage fragment input 0 builtin frag_coord f32 x4 output 0 location 0.0 f32 x3 body { "
      "%0:f32 = load_input[0, 0] store_output[0, 0] %0 %1:bool = flt %0, 1f "
      "if %1 { store_output[0, 1] %0 yield } else { yield } return }");
  ASSERT_TRUE(m.ok()) << m.status();
  const auto colours = [&m](uint32_t seed) {
    oracle::LaunchInputs inputs;
    inputs.undefined_seed = seed;
    const absl::StatusOr<Drawn> drawn =
        Draw(*m, {{"width", 2}, {"height", 1}, {"positions", kWhole}}, inputs, {});
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    std::vector<float> all(8);
    if (!drawn.ok()) return all;
    const std::string bytes = absl::HexStringToBytes(drawn->colors[0]["hex"].get<std::string>());
    std::memcpy(all.data(), bytes.data(), 32);
    return all;
  };
  EXPECT_THAT(colours(0), ElementsAre(0.5, 0.5, 0, 0, 1.5, 0, 0, 0));
  std::vector<bool> moved(8);
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    const std::vector<float> all = colours(seed);
    for (size_t i = 0; i < 8; ++i) moved[i] = moved[i] || all[i] != colours(0)[i];
  }
  EXPECT_THAT(moved, ElementsAre(false, false, true, false, false, true, true, false));
}

TEST(Draw, WhatIsNotSupportedHasAName) {
  oracle::LaunchInputs inputs;
  json draw = Square(kWhole);
  draw["samples"] = 4;
  EXPECT_EQ(DrawBody("", draw, inputs).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(DrawBody("%0:f32 = interpolate[0, offset 0] 0f, 0.25f", Square(kWhole), inputs)
                .status()
                .code(),
            absl::StatusCode::kUnimplemented);
  draw = Square(kWhole);
  draw["inputs"] = json::array();
  EXPECT_EQ(DrawBody("", draw, inputs).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Draw, ViewsAreLayers) {
  const absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage fragment input 0 builtin view_index i32 x1 input 1 builtin layer i32 x1 "
      "output 0 location 0.0 i32 x2 body { %0:i32 = load_input[0, 0] %1:i32 = load_input[1, 0] "
      "%2:i32 = iadd %0, 5 store_output[0, 0] %2, %1 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  for (const uint32_t mask : {0u, 5u}) {
    oracle::LaunchInputs inputs;
    const absl::StatusOr<Drawn> drawn =
        Draw(*m, {{"width", 1}, {"height", 1}, {"view_mask", mask}}, inputs, {});
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    const std::string none(32, '0'), first = "0500000000000000" + std::string(16, '0');
    EXPECT_EQ(drawn->colors[0]["hex"].get<std::string>(),
              mask == 0 ? first : first + none + "0700000002000000" + std::string(16, '0'));
  }
}

}  // namespace
}  // namespace kiln::diff
