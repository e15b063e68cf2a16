#include "client/run/draw_results.h"

#include "absl/strings/escaping.h"
#include "client/run/draw.h"
#include "core/sim/scene/fragment_output.h"
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

// Texels that no fragment touches keep bytes that their format has several of for one value, or
// that decoding changes; so do components that the write mask excludes.
TEST(DrawResults, UntouchedTexelsKeepTheirBytes) {
  struct Case {
    const char *format, *hex;
  };
  for (const Case& c :
       {Case{"rgba8_snorm", "80807f81"}, Case{"rgb10a2_snorm", "000208a0"},
        Case{"rgba16_snorm", "0080008000800080"}, Case{"rgba16f", "01fcff7f017c00fc"},
        Case{"r11g11b10f", "c1f75ff8"}, Case{"rgba32f", "0100807f0100a0ff000080ff00000080"},
        Case{"r16_snorm", "0080"}}) {
    const json draw = {
        {"width", 1},
        {"height", 1},
        {"positions", {{2, 2, 0, 1}}},
        {"topology", "point_list"},
        {"targets", {{{"format", c.format}, {"data", {{"hex", c.hex}}}, {"as", "hex"}}}}};
    out::LaunchRecord record;
    record.stage = "fragment";
    record.fragment.samples = 1;
    auto in = ReadDraw(draw, record);
    ASSERT_TRUE(in.ok()) << in.status();
    const auto shown = [&in, &draw] {
      const std::vector<uint8_t> bytes = DrawResults(draw, *in)[0].bytes;
      return absl::BytesToHexString({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
    EXPECT_EQ(shown(), c.hex) << c.format;
    in->targets[0].write_mask = 0b0001;
    const sim::scene::Primitive shape;
    sim::scene::WriteColor({&shape, {0, 0}}, 1, {}, {}, *in, in->targets[0]);
    std::string want = c.hex;
    const size_t red = c.format == std::string("rgba8_snorm")    ? 2
                       : c.format == std::string("rgba16_snorm") ? 4
                       : c.format == std::string("rgba16f")      ? 4
                       : c.format == std::string("rgba32f")      ? 8
                                                                 : 0;
    if (red == 0) continue;
    want.replace(0, red, red, '0');
    EXPECT_EQ(shown(), want) << c.format;
  }
}

// The bits of d24 that hold no depth.
TEST(DrawResults, UntouchedDepthKeepsItsBytes) {
  for (const char* hex : {"563412ab", "ffffff00", "010000ff"}) {
    const json draw = {{"width", 1},
                       {"height", 1},
                       {"positions", {{2, 2, 0, 1}}},
                       {"topology", "point_list"},
                       {"depth", {{"format", "d24"}, {"data", {{"hex", hex}}}, {"as", "hex"}}}};
    out::LaunchRecord record;
    record.stage = "fragment";
    record.fragment.samples = 1;
    const auto in = ReadDraw(draw, record);
    ASSERT_TRUE(in.ok()) << in.status();
    const std::vector<uint8_t> bytes = DrawResults(draw, *in)[0].bytes;
    EXPECT_EQ(absl::BytesToHexString({reinterpret_cast<const char*>(bytes.data()), bytes.size()}),
              hex);
  }
}

}  // namespace
}  // namespace kiln::client::run
