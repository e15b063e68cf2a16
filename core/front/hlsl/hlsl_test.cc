#include "core/front/hlsl/hlsl.h"

#include <spirv/unified1/spirv.hpp11>

#include <functional>
#include <map>
#include <set>

#include "core/base/cause.h"
#include "core/front/check/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;
using Words = std::vector<uint32_t>;

constexpr char kCompute[] = "[numthreads(1, 1, 1)] void main() ";

HlslSource Source(const std::string& text, ShaderStage stage = ShaderStage::kCompute) {
  HlslSource source;
  source.text.name = "shaders/a.hlsl";
  source.text.text = text;
  source.text.stage = stage;
  return source;
}

// Returns a valid module.
Words Compile(const HlslSource& source) {
  const auto words = CompileHlsl(source);
  EXPECT_TRUE(words.ok()) << words.status();
  if (!words.ok()) return {};
  EXPECT_EQ((*words)[1], 0x10300u);
  const absl::Status valid = ValidateSpirv(*words, {.vulkan_minor = 1});
  EXPECT_TRUE(valid.ok()) << valid;
  return *words;
}

std::string Refusal(const HlslSource& source) {
  const absl::Status status = CompileHlsl(source).status();
  const SourceLine line = SourceOf(status);
  return CauseOf(status) + " " + DetailOf(status).what + " " + line.file + ":" +
         std::to_string(line.line);
}

std::string Error(const HlslSource& source) {
  const absl::Status status = CompileHlsl(source).status();
  return CauseOf(status) + ": " + std::string(status.message());
}

void ForEach(const Words& words, spv::Op op, const std::function<void(const uint32_t*)>& found) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) == static_cast<uint32_t>(op)) found(&words[at]);
  }
}

// Returns "SET.BINDING" of each variable that has them.
std::vector<std::string> Bindings(const Words& words) {
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> places;
  ForEach(words, spv::Op::OpDecorate, [&](const uint32_t* w) {
    if (w[2] == static_cast<uint32_t>(spv::Decoration::Binding)) places[w[1]].second = w[3];
    if (w[2] == static_cast<uint32_t>(spv::Decoration::DescriptorSet)) places[w[1]].first = w[3];
  });
  std::vector<std::string> texts;
  for (const auto& [id, place] : places) {
    texts.push_back(std::to_string(place.first) + "." + std::to_string(place.second));
  }
  return texts;
}

std::vector<uint32_t> MembersDecorated(const Words& words, spv::Decoration decoration) {
  std::vector<uint32_t> values;
  ForEach(words, spv::Op::OpMemberDecorate, [&](const uint32_t* w) {
    if (w[3] == static_cast<uint32_t>(decoration)) values.push_back((w[0] >> 16) > 4 ? w[4] : 0);
  });
  return values;
}

std::string RegisterText(const std::string& space) {
  return "cbuffer C : register(b0" + space + ") { float c; }\n" +
         "Texture2D<float4> t : register(t0" + space + ");\n" + "SamplerState s : register(s0" +
         space + ");\n" + "RWTexture2D<float4> u : register(u0" + space + ");\n" +
         "StructuredBuffer<float> b : register(t1" + space + ");\n" +
         "RWStructuredBuffer<float> w : register(u1" + space + ");\n" + kCompute +
         "{ u[uint2(0, 0)] = t.SampleLevel(s, float2(0, 0), 0) * c; w[0] = b[1]; }";
}

TEST(Hlsl, RegistersOfDifferentKindsHaveDifferentBindings) {
  EXPECT_THAT(Bindings(Compile(Source(RegisterText("")))),
              UnorderedElementsAre("0.0", "0.1000", "0.3000", "0.2000", "0.1001", "0.2001"));
}

TEST(Hlsl, SpacesAreSets) {
  EXPECT_THAT(Bindings(Compile(Source(RegisterText(", space2")))),
              UnorderedElementsAre("2.0", "2.1000", "2.3000", "2.2000", "2.1001", "2.2001"));
}

TEST(Hlsl, ShiftsAreOptions) {
  HlslSource source = Source(RegisterText(""));
  source.shifts.all = {10, 20, 30, 40};
  EXPECT_THAT(Bindings(Compile(source)),
              UnorderedElementsAre("0.10", "0.20", "0.30", "0.40", "0.21", "0.41"));
  source = Source(RegisterText(", space1"));
  source.shifts.of_space[{RegisterKind::kT, 1}] = 50;
  EXPECT_THAT(Bindings(Compile(source)),
              UnorderedElementsAre("1.0", "1.50", "1.3000", "1.2000", "1.51", "1.2001"));
  source.shifts.of_space[{RegisterKind::kT, 1}] = 65534;
  EXPECT_THAT(Refusal(source), HasSubstr("hlsl_feature b has the binding 65535 with its shift"));
}

TEST(Hlsl, VariablesWithoutRegistersGetFreeOnes) {
  const std::string text = std::string("Texture2D a; Texture2D b : register(t0); Texture2D d;\n") +
                           "[[vk::binding(7, 1)]] Texture2D c; float g;\n" +
                           "RWBuffer<float> o : register(u0);" + kCompute +
                           "{ int3 p = int3(0, 0, 0); o[0] = a.Load(p).x + b.Load(p).x + "
                           "c.Load(p).x + d.Load(p).x + g; }";
  EXPECT_THAT(Bindings(Compile(Source(text))),
              UnorderedElementsAre("0.1001", "0.1000", "0.1002", "1.7", "0.0", "0.2000"));
}

// Offsets of DXC's default layout, by hand: a vector begins where its component may, unless it
// would cross 16 bytes; elements of arrays and members after an array begin at 16 bytes.
TEST(Hlsl, ConstantBuffersHaveOffsets) {
  const std::string text = std::string(
                               "cbuffer C : register(b0) { float a; float3 b; float2 c; float3 d; "
                               "float e[2]; float f; float2x3 m; float g; }\n"
                               "RWBuffer<float> o : register(u0);") +
                           kCompute + "{ o[0] = a + b.x + c.x + d.x + e[1] + f + m[0][1] + g; }";
  EXPECT_THAT(MembersDecorated(Compile(Source(text)), spv::Decoration::Offset),
              testing::ElementsAre(0, 4, 16, 32, 48, 80, 96, 144));
}

// By hand: {float; float3; float2} ends at 24 bytes and, with the alignment of its float3, has 32.
TEST(Hlsl, StructsHaveTheSizeThatDxcGivesThem) {
  const std::string text =
      std::string(
          "struct S { float a; float3 b; float2 c; };\n"
          "cbuffer C : register(b0) { S s; float d; S t[2]; float e; }\n"
          "cbuffer P : register(b1) { float f : packoffset(c3); float g : packoffset(c2.y); }\n"
          "StructuredBuffer<S> r : register(t0); StructuredBuffer<float2x3> m : register(t1);\n"
          "RWBuffer<float> o : register(u0);") +
      kCompute + "{ o[0] = s.a + d + t[1].b.x + e + f + g + r[1].c.y + m[1][1][1]; }";
  const Words words = Compile(Source(text));
  std::multiset<uint32_t> strides;
  ForEach(words, spv::Op::OpDecorate, [&](const uint32_t* w) {
    if (w[2] == static_cast<uint32_t>(spv::Decoration::ArrayStride)) strides.insert(w[3]);
  });
  EXPECT_THAT(strides, testing::UnorderedElementsAre(32, 32, 24));
  // S twice (of both rules), C, P, and the two buffers.
  EXPECT_THAT(MembersDecorated(words, spv::Decoration::Offset),
              testing::UnorderedElementsAre(0, 4, 16, 0, 4, 16, 0, 32, 48, 112, 48, 36, 0, 0));
  EXPECT_THAT(
      Refusal(Source("struct S { float a; float3 b; float2 c; };\n"
                     "RWStructuredBuffer<S> r : register(u0);\n" +
                     std::string(kCompute) + "{ uint n, w; r.GetDimensions(n, w); r[0].a = w; }")),
      HasSubstr("hlsl_feature GetDimensions"));
}

// HLSL's columns are SPIR-V's rows.
TEST(Hlsl, MajornessOfMatrices) {
  const std::string text = std::string(
                               "cbuffer C : register(b0) { float4x3 m; row_major float4x3 r; "
                               "column_major float4x3 c; }\nRWBuffer<float> o : register(u0);") +
                           kCompute + "{ o[0] = m[0][1] + r[0][1] + c[0][1]; }";
  HlslSource source = Source(text);
  const auto count = [&](spv::Decoration decoration) {
    return MembersDecorated(Compile(source), decoration).size();
  };
  EXPECT_EQ(count(spv::Decoration::RowMajor), 2u);
  EXPECT_EQ(count(spv::Decoration::ColMajor), 1u);
  source.row_major = true;
  EXPECT_EQ(count(spv::Decoration::RowMajor), 1u);
  EXPECT_EQ(count(spv::Decoration::ColMajor), 2u);
}

TEST(Hlsl, EntryPointsAreChosen) {
  HlslSource source = Source(
      "RWBuffer<float> o : register(u0);\n[numthreads(1, 1, 1)] void A() { o[0] = 1; }\n"
      "[numthreads(2, 1, 1)] void B() { o[0] = 2; }\n");
  for (const char* name : {"A", "B"}) {
    source.text.entry = name;
    std::string found;
    ForEach(Compile(source), spv::Op::OpEntryPoint,
            [&](const uint32_t* w) { found = reinterpret_cast<const char*>(w + 3); });
    EXPECT_EQ(found, name);
  }
  source.text.entry = "C";
  EXPECT_THAT(Error(source), HasSubstr("invalid_hlsl: there is no function C; name the entry"));
}

TEST(Hlsl, DefinesAndIncludesReachTheText) {
  HlslSource source = Source(
      "#include \"a.h\"\n#include <a.h>\n#ifdef __spirv__\n"
      "RWBuffer<float> o : register(u0);\n#endif\n" +
      std::string(kCompute) + "{ o[0] = F(VALUE); }");
  source.text.defines = {{"VALUE", "3.0"}};
  source.text.includes = {{"a.h", "", "lib/a.h", "#pragma once\nfloat F(float x) { return x; }\n"}};
  Compile(source);
  source.text.includes[0].text = "#pragma once\n\nfloat F(float x) { return y; }\n";
  EXPECT_THAT(Error(source), HasSubstr("invalid_hlsl: ERROR: lib/a.h:3: 'y'"));
  source.text.includes[0].text = "float F(float x) { return x; }\n";
  EXPECT_THAT(Error(source), HasSubstr("lib/a.h:1"));  // defined twice
  source.text.defines = {{"1", ""}};
  EXPECT_THAT(Error(source), HasSubstr("invalid_define"));
}

TEST(Hlsl, ErrorsNameFileAndLine) {
  EXPECT_EQ(Error(Source("RWBuffer<float> o : register(u0);\n" + std::string(kCompute) +
                         "{\n  o[0] = q;\n}"))
                .substr(0, 52),
            "invalid_hlsl: ERROR: shaders/a.hlsl:3: 'q' : unknown");
  EXPECT_THAT(Error(Source("#include \"none.h\"\n")), HasSubstr("shaders/a.hlsl:1"));
}

TEST(Hlsl, NewerFeaturesAreRefusedByName) {
  const std::string o = "RWBuffer<float> o : register(u0);\n";
  EXPECT_EQ(Refusal(Source(o + "template<typename T> T F(T x) { return x; }\n" + kCompute +
                           "{ o[0] = F(1.0); }")),
            "hlsl_feature templates shaders/a.hlsl:2");
  EXPECT_EQ(Refusal(Source(o + kCompute + "{\n  float16_t2 a = 1; o[0] = a.x; }")),
            "hlsl_feature 16-bit types shaders/a.hlsl:3");
  EXPECT_EQ(Refusal(Source(o + kCompute + "{ uint64_t a = 1; o[0] = a; }")),
            "hlsl_feature 64-bit integers shaders/a.hlsl:2");
  EXPECT_EQ(Refusal(Source(std::string(kCompute) +
                           "{ RWBuffer<float> o = ResourceDescriptorHeap[1]; o[0] = 1; }")),
            "hlsl_feature resources from descriptor heaps shaders/a.hlsl:1");
  // Ignored by glslang with a warning.
  EXPECT_THAT(Refusal(Source(o + "[WaveSize(32)] " + kCompute + "{ o[0] = 1; }")),
              HasSubstr("WaveSize"));
  EXPECT_EQ(Refusal(Source("float4 main(float3 b : SV_Barycentrics) : SV_Target\n{ return b.x; }",
                           ShaderStage::kFragment)),
            "hlsl_feature the system value SV_Barycentrics shaders/a.hlsl:1");
}

TEST(Hlsl, LocationsAreTakenOnce) {
  const auto vertex = [](const std::string& location) {
    return Source("float4 main(float4 a : A, [[vk::location(" + location +
                      ")]] float4 b : B) : SV_Position { return a + b; }",
                  ShaderStage::kVertex);
  };
  Compile(vertex("1"));
  EXPECT_THAT(Refusal(vertex("0")), HasSubstr("two inputs at location 0"));
}

TEST(Hlsl, TexturesMayBeArguments) {
  Compile(Source(std::string("Texture2D<float4> t : register(t0); SamplerState s : register(s0);\n"
                             "RWStructuredBuffer<float4> o : register(u0);\n"
                             "struct M { Texture2D<float4> x; SamplerState y; };\n"
                             "float4 F(M m) { return m.x.SampleLevel(m.y, float2(0, 0), 0); }\n") +
                 kCompute + "{ M m; m.x = t; m.y = s; o[0] = F(m); }"));
}

// Refused by the bounds, in words for HLSL.
TEST(Hlsl, BoundsHold) {
  const std::string deep(5000, '(');
  EXPECT_EQ(Refusal(Source(std::string(kCompute) + "{ float a = " + deep + "1" +
                           std::string(5000, ')') + "; }")),
            "nesting_too_deep open brackets of HLSL shaders/a.hlsl:1");
  HlslSource source = Source("#include \"0\"\nvoid main() {}");
  for (int i = 0; i < 30; ++i) {
    const std::string next = "#include \"" + std::to_string(i + 1) + "\"\n";
    source.text.includes.push_back({std::to_string(i), "", std::to_string(i), next + next});
  }
  source.text.includes.push_back({"30", "", "30", "\n"});
  EXPECT_THAT(Refusal(source), HasSubstr("bytes of included HLSL"));
  // Each text once: they are few.
  for (auto& include : source.text.includes) include.text += "#pragma once\n";
  source.text.text += kCompute + std::string("{}");
  source.text.text = "#include \"0\"\n" + std::string(kCompute) + "{}";
  Compile(source);
}

TEST(Hlsl, TheSameTextGivesTheSameWords) {
  const HlslSource source = Source(RegisterText(""));
  EXPECT_EQ(Compile(source), Compile(source));
  EXPECT_TRUE(HlslReaderIsReady());
  EXPECT_THAT(HlslReaderVersion(), HasSubstr("12."));
}

}  // namespace
}  // namespace kiln::front
