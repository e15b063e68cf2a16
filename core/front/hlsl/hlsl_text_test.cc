#include "core/front/hlsl/hlsl_text.h"

#include "core/base/cause.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Outcome {
  std::string text, refusal;
  HlslReading reading;
};

Outcome Read(const std::string& text) {
  std::vector<HlslSegment> segments = {{"a.hlsl", 10, text}};
  Outcome outcome;
  outcome.reading = ReadHlsl(&segments);
  outcome.text = segments[0].text;
  const SourceLine line = SourceOf(outcome.reading.refusal);
  if (!outcome.reading.refusal.ok()) {
    outcome.refusal = CauseOf(outcome.reading.refusal) + " " +
                      DetailOf(outcome.reading.refusal).what + " " + line.file + ":" +
                      std::to_string(line.line);
  }
  return outcome;
}

TEST(HlslText, SegmentsAreLinesOfAFile) {
  const auto segments = SegmentsOf(
      "\n#line 1 \"in/b.h\"\nfloat f;\n\n#line 3 \"a.hlsl\"\nfloat g;\n#line 9\nfloat h;",
      "a.hlsl");
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[0].name, "a.hlsl");
  EXPECT_EQ(segments[1].name, "in/b.h");
  EXPECT_EQ(segments[1].line, 1u);
  EXPECT_EQ(segments[1].text, "float f;\n\n");
  EXPECT_EQ(segments[2].name, "a.hlsl");
  EXPECT_EQ(segments[2].line, 3u);
  EXPECT_EQ(segments[3].name, "a.hlsl");
  EXPECT_EQ(segments[3].line, 9u);
  EXPECT_EQ(segments[3].text, "float h;");
}

TEST(HlslText, PushConstantsBecomeBlocks) {
  EXPECT_EQ(Read("[[vk::push_constant]] P p;").text, "[[vk::push_constant]] ConstantBuffer<P> p;");
  EXPECT_EQ(Read("[[vk :: push_constant]] const P p;").text,
            "[[vk :: push_constant]] const ConstantBuffer<P> p;");
  EXPECT_EQ(Read("[[a]] [[vk::push_constant]] P p; P q;").text,
            "[[a]] [[vk::push_constant]] ConstantBuffer<P> p; P q;");
  const std::string block = "[[vk::push_constant]] ConstantBuffer<P> p;";
  EXPECT_EQ(Read(block).text, block);
  EXPECT_EQ(Read("float a;\n[[vk::push_constant]] struct { float a; } p;").refusal,
            "hlsl_feature [[vk::push_constant]] on anything but a variable of a named struct "
            "a.hlsl:11");
}

TEST(HlslText, NamesWithBindingsAreListed) {
  EXPECT_THAT(Read("[[vk::binding(3, 2)]] Texture2D<float4> t;"
                   "[[vk::binding(4)]] cbuffer C : register(b1) { float c; }"
                   "[[vk::binding(5)]] Texture2D u[4] : register(t7, space2);"
                   "[[vk::location(1)]] Texture2D v : register(t8);"
                   "[[vk::binding(6), vk::location(2)]] SamplerState x, y;")
                  .reading.explicit_set,
              ElementsAre("C", "t", "u", "x", "y"));
}

TEST(HlslText, BlocksWithPlacesAreListed) {
  EXPECT_THAT(
      Read("cbuffer A { float a; } cbuffer B : register(b1) { float2 b : packoffset(c1.y); }"
           "float c : register(c7);")
          .reading.placed,
      ElementsAre("$Global", "B"));
  EXPECT_THAT(Read("cbuffer A { float a; } float c : register(b7);").reading.placed,
              testing::IsEmpty());
}

TEST(HlslText, SystemValuesAreKnown) {
  EXPECT_EQ(Read("float4 f(float4 p : SV_Position0, uint i : SV_InstanceID) : sv_target7 { }").text,
            "float4 f(float4 p : SV_Position, uint i : SV_InstanceID) : sv_target7 { }");
  EXPECT_EQ(Read("float4 f(\nfloat3 p : SV_Barycentrics)").refusal,
            "hlsl_feature the system value SV_Barycentrics a.hlsl:11");
  EXPECT_THAT(Read("float4 f(float4 p : SV_Position1)").refusal, HasSubstr("SV_Position1"));
  EXPECT_EQ(Read("float4 f(float4 p : POSITION0)").refusal, "");
}

TEST(HlslText, TypesHaveTheNamesThatGlslangKnows) {
  EXPECT_EQ(Read("float32_t a; uint32_t2 b; int32_t3x4 c; float64_t d; float32_type e;").text,
            "float a; uint2 b; int3x4 c; double d; float32_type e;");
  const std::string own = "typedef uint uint32_t; uint32_t a;";
  EXPECT_EQ(Read(own).text, own);
}

TEST(HlslText, NumbersFitGlslang) {
  EXPECT_EQ(Read("Texture2D t : register(t65534, space62);").refusal, "");
  EXPECT_EQ(Read("Texture2D t : register(t65535);").refusal,
            "hlsl_feature the number of t65535, at most 65534 a.hlsl:10");
  EXPECT_THAT(Read("Texture2D t : register(t0, space63);").refusal, HasSubstr("space63"));
  EXPECT_THAT(Read("[[vk::binding(0, 63)]] Texture2D t;").refusal, HasSubstr("63"));
  EXPECT_THAT(Read("[[vk::binding(1 << 1)]] Texture2D t;").refusal, HasSubstr("expression"));
  EXPECT_EQ(Read("[[vk::binding(1 + 1, 60 + 2)]] Texture2D t;").refusal, "");
  EXPECT_THAT(Read("[[vk::binding(1, 60 + 3)]] Texture2D t;").refusal, HasSubstr("63"));
}

TEST(HlslText, BracketsAreBounded) {
  EXPECT_EQ(Read(std::string(4096, '(')).refusal, "");
  EXPECT_THAT(Read(std::string(4097, '(')).refusal, HasSubstr("nesting_too_deep"));
}

TEST(HlslText, NewerFeaturesHaveLines) {
  const auto newer =
      Read("float a;\ntemplate<typename T> T f();\nfloat16_t4 b; t.select(c);").reading.newer;
  ASSERT_EQ(newer.size(), 3u);
  EXPECT_EQ(newer[0].what, "templates");
  EXPECT_EQ(newer[0].line.line, 11u);
  EXPECT_EQ(newer[2].what, "16-bit types");
  EXPECT_EQ(newer[2].line.line, 12u);
}

}  // namespace
}  // namespace kiln::front
