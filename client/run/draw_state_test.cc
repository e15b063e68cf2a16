#include "client/run/draw_state.h"

#include <bit>
#include <string>

#include "client/run/draw.h"
#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using sim::scene::FragmentInputs;

out::LaunchRecord Record() {
  out::LaunchRecord record;
  record.stage = "fragment";
  record.fragment.samples = 1;
  record.fragment.colors = {0};
  return record;
}

FragmentInputs Read(const std::string& text) {
  json draw = json::parse(text);
  draw["width"] = draw["height"] = 2;
  const auto in = ReadDraw(draw, Record());
  EXPECT_TRUE(in.ok()) << in.status();
  return in.ok() ? *in : FragmentInputs();
}

std::string Said(const std::string& text) {
  return std::string(ReadDraw(json::parse(text), Record()).status().message());
}

TEST(DrawState, WithoutStateEveryFragmentIsKept) {
  const FragmentInputs in = Read("{}");
  EXPECT_TRUE(in.depth.empty() && in.stencil.empty() && in.coverage.empty());
  EXPECT_FALSE(in.output.stencil || in.output.logic_op || in.output.depth.bounds);
  EXPECT_EQ(in.output.sample_mask, ~0u);
  EXPECT_FALSE(in.targets[0].format || in.targets[0].blend);
}

TEST(DrawState, Rasterisation) {
  const FragmentInputs in = Read(R"({"viewport": {"x": 1, "width": 1, "max_depth": 0.5},
      "polygon_mode": "line", "cull": "back", "front_face": "clockwise", "line_width": 2,
      "depth_clamp": true, "depth_bias": {"constant": 1, "clamp": 2, "slope": 3},
      "depth": {"format": "d16"}})");
  EXPECT_EQ(in.raster.viewport->x, 1);
  EXPECT_EQ(in.raster.viewport->height, 2);
  EXPECT_EQ(in.raster.viewport->max_depth, 0.5f);
  EXPECT_EQ(in.raster.polygon_mode, sim::scene::PolygonMode::kLine);
  EXPECT_TRUE(in.raster.cull_back && !in.raster.cull_front && in.raster.front_is_clockwise);
  EXPECT_EQ(in.raster.line_width, 2);
  EXPECT_TRUE(in.raster.depth_clamp);
  EXPECT_EQ(in.raster.depth_bias->slope, 3);
  EXPECT_EQ(in.raster.depth_bits, 16);
}

TEST(DrawState, Targets) {
  const FragmentInputs in = Read(R"({"clear": [0.5, 0, 0, 1], "blend_constants": [1, 2, 3, 4],
      "logic_op": "xor", "sample_mask": 5,
      "targets": [{"format": "rgba8ui", "clear": [1, 2, 3, 400], "write_mask": "ra"},
        {"location": 3, "format": "r32f", "data": {"f32": [1, 2, 3, 4]},
         "blend": {"src": "src_alpha", "dst": "one_minus_src_alpha", "alpha_dst": "one",
                   "op": "reverse_subtract", "alpha_op": "max"}}]})");
  ASSERT_EQ(in.targets.size(), 2u);
  EXPECT_EQ(in.targets[0].texels[4], 1u);
  EXPECT_EQ(in.targets[0].texels[7], 255u) << "as the format keeps it";
  EXPECT_EQ(in.targets[0].write_mask, 0b1001);
  EXPECT_EQ(in.targets[1].location, 3u);
  EXPECT_EQ(in.targets[1].texels[8], std::bit_cast<uint32_t>(3.0f));
  const sim::scene::BlendState& blend = *in.targets[1].blend;
  EXPECT_EQ(blend.color.src, sim::scene::BlendFactor::kSrcAlpha);
  EXPECT_EQ(blend.alpha.src, sim::scene::BlendFactor::kSrcAlpha);
  EXPECT_EQ(blend.alpha.dst, sim::scene::BlendFactor::kOne);
  EXPECT_EQ(blend.color.op, sim::scene::BlendOp::kReverseSubtract);
  EXPECT_EQ(blend.alpha.op, sim::scene::BlendOp::kMax);
  EXPECT_EQ(in.output.blend_constants[3], 4);
  EXPECT_EQ(in.output.logic_op, sim::scene::LogicOp::kXor);
  EXPECT_EQ(in.output.sample_mask, 5u);
}

TEST(DrawState, Depth) {
  FragmentInputs in = Read(R"({"depth": {"format": "d16", "clear": 0.3, "compare": "less",
      "write": false, "bounds": [0.25, 0.75]}})");
  EXPECT_EQ(in.depth[0], 19661 / 65535.0f);
  EXPECT_EQ(in.output.depth.compare, sim::scene::CompareFunction::kLess);
  EXPECT_FALSE(in.output.depth.write);
  EXPECT_EQ((*in.output.depth.bounds)[1], 0.75f);
  in = Read(R"({"depth": {"data": {"f32": [0, 0.5, 1, 0.25]}}})");
  EXPECT_EQ(in.depth[1], 0.5f);
  EXPECT_EQ(Read(R"({"depth": true})").depth[3], 1.0f);
}

TEST(DrawState, Stencil) {
  FragmentInputs in = Read(R"({"stencil": {"clear": 3, "front": {"compare": "equal",
      "fail": "invert", "pass": "replace", "depth_fail": "increment_and_wrap",
      "compare_mask": 15, "write_mask": 240, "reference": 7}}})");
  EXPECT_EQ(in.stencil[0], 3);
  const sim::scene::StencilFace& back = in.output.stencil->back;
  EXPECT_EQ(back.compare, sim::scene::CompareFunction::kEqual) << "as the front";
  EXPECT_EQ(back.fail, sim::scene::StencilOp::kInvert);
  EXPECT_EQ(back.pass, sim::scene::StencilOp::kReplace);
  EXPECT_EQ(back.depth_fail, sim::scene::StencilOp::kIncrementWrap);
  EXPECT_EQ(back.compare_mask, 15);
  EXPECT_EQ(back.write_mask, 240);
  EXPECT_EQ(back.reference, 7);
  in = Read(R"({"stencil": {"data": {"u8": [1, 2, 3, 4]}}})");
  EXPECT_EQ(in.stencil[2], 3);
  EXPECT_FALSE(in.output.stencil);
}

TEST(DrawState, ErrorsNameTheKey) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string said = Said(text);
    EXPECT_NE(said.find(part), std::string::npos) << text << ": " << said;
  };
  has(R"({"cull": "left"})", R"("cull": "left" is not one of back, both)");
  has(R"({"polygon_mode": "dots"})", R"("polygon_mode")");
  has(R"({"viewport": {"width": 0}})", R"("width" must be more than 0)");
  has(R"({"viewport": {"left": 0}})", R"(unknown key "left")");
  has(R"({"line_width": 0})", R"("line_width" must be more than 0)");
  has(R"({"targets": [{"format": "rgba9"}]})", R"("format": "rgba9" is not a format)");
  has(R"({"targets": [{"format": "rgba8ui", "clear": [0.5, 0, 0, 0]}]})", "four whole numbers");
  has(R"({"targets": [{"write_mask": "rgx"}]})", "other letters");
  has(R"({"targets": [{"data": {"zero": 4}}]})", "\"data\" has 4 bytes; the attachment has 1024");
  has(R"({"targets": [{}, {"location": 0}]})", "location 0 twice");
  has(R"({"targets": [{"blend": {"src": "all"}}]})", R"("src": "all" is not one of)");
  has(R"({"targets": [{"as": "f9"}]})", "is not a type");
  has(R"({"depth": 3})", R"("depth": must be true, false or an object)");
  has(R"({"depth": {"compare": "lesser"}})", R"("compare": "lesser")");
  has(R"({"depth": {"bounds": [1]}})", "a list of 2 numbers");
  has(R"({"stencil": {"front": {"pass": "up"}}})", R"("pass": "up")");
  has(R"({"stencil": {"side": {}}})", R"(unknown key "side")");
  has(R"({"logic_op": "nxor"})", R"("logic_op")");
  has(R"({"blend_constants": [1, 2, 3]})", "a list of 4 numbers");
  has(R"({"coverage": {"as": "bits"}})", "is not a type");
  has(R"({"targets": [{"format": "d16"}]})", R"("format": "d16" is not a format of colours)");
  has(R"({"depth": {"format": "r32f"}})",
      R"("format": "r32f" is not a format of depth: d16, d24 or d32f)");
  has(R"({"logic_op": "xor"})", R"(location 0: "logic_op" needs a target with a "format")");
}

// 1e39 is a number of JSON, and infinite as a float.
TEST(DrawState, RefusesNumbersThatAreNotFiniteOrTooFar) {
  const auto has = [](const std::string& text, const std::string& part) {
    const std::string said = Said(text);
    EXPECT_NE(said.find(part), std::string::npos) << text << ": " << said;
  };
  for (const char* key : {"x", "y", "width", "height"}) {
    for (const char* value : {"1e39", "32769"}) {
      const std::string text = std::string(R"({"viewport": {")") + key + "\": " + value + "}}";
      has(text, std::string("draw: \"viewport\": \"") + key + "\" must be from -32768 to 32768");
    }
  }
  has(R"({"viewport": {"height": -32769}})", R"("height" must be from)");
  EXPECT_EQ(Said(R"({"viewport": {"x": -32768, "width": 32768, "height": -8}})"), "");
  for (const char* key : {"min_depth", "max_depth"}) {
    for (const char* value : {"1e39", "-0.5", "1.5"}) {
      const std::string text = std::string(R"({"viewport": {")") + key + "\": " + value + "}}";
      has(text, std::string("\"") + key + "\" must be from 0 to 1");
    }
  }
  has(R"({"line_width": 1e39})", R"("line_width" must be)");
  for (const char* key : {"constant", "clamp", "slope"}) {
    has(std::string(R"({"depth_bias": {")") + key + "\": -1e39}}",
        R"("depth_bias" must consist of finite numbers)");
  }
}

// 4096 x 4096 pixels of 16 samples: 4 GiB of a target.
TEST(DrawState, RefusesAttachmentsOfMoreThanAGibibyte) {
  out::LaunchRecord record = Record();
  const auto read = [&record](const std::string& text) {
    return ReadDraw(json::parse(text), record).status();
  };
  record.fragment.samples = 16;
  const absl::Status s =
      read(R"({"width": 4096, "height": 4096, "samples": 16, "positions": [[2, 2, 0, 1]]})");
  EXPECT_EQ(s.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(s.message(), "draw: the attachments have 4294967296 bytes; at most 1073741824");
  // All kinds count.
  record.fragment.samples = 1;
  const std::string parts[] = {R"("depth": true)",
                               R"("stencil": {})",
                               R"("coverage": {})",
                               R"("written_samples": {})",
                               R"("targets": [{"location": 9}])",
                               R"("targets": [{"format": "rgba16f", "data": {"u8": []}}])"};
  const char* amounts[] = {"1140850688", "1090519040", "1140850688",
                           "1140850688", "1342177280", "1207959552"};
  record.fragment.colors = {0, 1, 2, 3};
  for (size_t i = 0; i < 6; ++i) {
    const absl::Status more =
        read(R"({"width": 4096, "height": 4096, "positions": [[2, 2, 0, 1]], )" + parts[i] + "}");
    EXPECT_EQ(more.message(), std::string("draw: the attachments have ") + amounts[i] +
                                  " bytes; at most 1073741824");
  }
}

TEST(DrawState, ViewsShareTheLimitsOfADraw) {
  const FragmentInputs one = Read("{}"), four = Read(R"({"view_mask": 15})");
  EXPECT_EQ(one.max_quads, uint64_t{1} << 26);
  EXPECT_EQ(four.max_quads, one.max_quads / 4);
  EXPECT_EQ(one.max_primitives, uint64_t{1} << 21);
  EXPECT_EQ(four.max_primitives, one.max_primitives / 4);
}

}  // namespace
}  // namespace kiln::client::run
