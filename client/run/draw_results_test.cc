#include "client/run/draw_results.h"

#include "client/run/draw.h"
#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;

TEST(DrawResults, AttachmentsThatTheJobAsksFor) {
  const json draw = json::parse(R"({"width": 2, "height": 1, "samples": 4, "targets": [
      {"format": "rgba8", "clear": [1, 0, 0, 1], "as": "u8"},
      {"location": 1, "format": "rg16f", "clear": [1, 2, 0, 0], "resolve": true, "out": "a.bin"},
      {"location": 2, "as": "f32"}, {"location": 3}],
      "depth": {"format": "d16", "clear": 1, "as": "u16"}, "stencil": {"clear": 7, "as": "u8"},
      "coverage": {"as": "u32"}, "written_samples": {"out": "b.bin"}})");
  out::LaunchRecord record;
  record.stage = "fragment";
  record.fragment.samples = 4;
  const auto in = ReadDraw(draw, record);
  ASSERT_TRUE(in.ok()) << in.status();
  const std::vector<DrawResult> results = DrawResults(draw, *in);
  ASSERT_EQ(results.size(), 7u);
  EXPECT_EQ(results[0].name, "location 0");
  EXPECT_EQ(results[0].bytes.size(), 4u * 2 * 4);
  EXPECT_EQ(results[0].bytes[3], 255);
  EXPECT_EQ(results[1].file, "a.bin");
  EXPECT_EQ(results[1].bytes.size(), 4u * 2);
  EXPECT_EQ(results[1].bytes[3], 0x40);
  EXPECT_EQ(results[2].bytes.size(), 16u * 8);
  EXPECT_EQ(results[3].name, "depth");
  EXPECT_EQ(results[3].bytes, std::vector<uint8_t>(16, 0xff));
  EXPECT_EQ(results[4].bytes, std::vector<uint8_t>(8, 7));
  EXPECT_EQ(results[5].bytes.size(), 8u);
  EXPECT_EQ(results[6].name, "written_samples");
}

}  // namespace
}  // namespace kiln::client::run
