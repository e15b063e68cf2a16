#include "core/front/hlsl/hlsl_layout.h"

#include "core/front/testing/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using testing::ElementsAre;
using Words = std::vector<uint32_t>;

// A block of the type %10 of `members`, with offsets of 0 to begin with.
Words Module(const std::string& decorations, const std::string& storage, const std::string& types) {
  return Assemble(R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpName %10 "Block"
    )" + decorations +
                  R"(
    %1 = OpTypeInt 32 0
    %2 = OpTypeFloat 32
    %3 = OpTypeVector %2 2
    %4 = OpTypeVector %2 3
    %5 = OpTypeFloat 64
    %6 = OpTypeVector %5 2
    %7 = OpTypeMatrix %4 2
    %8 = OpConstant %1 3
    )" + types + "%20 = OpTypePointer " +
                  storage + " %10\n%21 = OpVariable %20 " + storage + "\n");
}

std::string Offsets(uint32_t type, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "OpMemberDecorate %" + std::to_string(type) + " " + std::to_string(i) + " Offset 0\n";
  }
  return text;
}

// Returns the last words of all decorations of a kind, in the order of the module.
std::vector<uint32_t> Values(const Words& words, spv::Decoration decoration) {
  std::vector<uint32_t> values;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const auto op = static_cast<spv::Op>(words[at] & 0xffff);
    const size_t kind = op == spv::Op::OpMemberDecorate ? 3 : 2;
    if (op != spv::Op::OpMemberDecorate && op != spv::Op::OpDecorate) continue;
    if (words[at + kind] != static_cast<uint32_t>(decoration)) continue;
    values.push_back(words[at + (words[at] >> 16) - 1]);
  }
  return values;
}

std::vector<uint32_t> LaidOut(Words words, spv::Decoration decoration = spv::Decoration::Offset) {
  const auto done = LayOutBlocks({}, &words);
  EXPECT_TRUE(done.ok()) << done.status();
  return Values(words, decoration);
}

constexpr char kBlock[] = "OpDecorate %10 Block\n";

TEST(HlslLayout, VectorsAreAlignedAsComponentsWithin16Bytes) {
  // float, float3, float2, float3, double2
  EXPECT_THAT(
      LaidOut(Module(kBlock + Offsets(10, 5), "Uniform", "%10 = OpTypeStruct %2 %4 %3 %4 %6\n")),
      ElementsAre(0, 4, 16, 32, 48));
  // float3, float: it fits behind.
  EXPECT_THAT(LaidOut(Module(kBlock + Offsets(10, 2), "Uniform", "%10 = OpTypeStruct %4 %2\n")),
              ElementsAre(0, 12));
}

TEST(HlslLayout, ElementsAndStructsAreAlignedTo16BytesInUniformBlocks) {
  const std::string types = R"(
    %9 = OpTypeStruct %2 %3
    %11 = OpTypeArray %2 %8
    %12 = OpTypeArray %9 %8
    %10 = OpTypeStruct %2 %9 %11 %12 %2
  )";
  const std::string decorations = kBlock + Offsets(9, 2) + Offsets(10, 5) +
                                  "OpDecorate %11 ArrayStride 1\nOpDecorate %12 ArrayStride 1\n";
  const Words uniform = Module(decorations, "Uniform", types);
  EXPECT_THAT(LaidOut(uniform), ElementsAre(0, 4, 0, 16, 32, 80, 128));
  EXPECT_THAT(LaidOut(uniform, spv::Decoration::ArrayStride), ElementsAre(16, 16));
  // The struct is aligned as its float2, though that begins at 4.
  const Words storage = Module(decorations, "StorageBuffer", types);
  EXPECT_THAT(LaidOut(storage), ElementsAre(0, 4, 0, 8, 24, 40, 88));
  EXPECT_THAT(LaidOut(storage, spv::Decoration::ArrayStride), ElementsAre(4, 16));
}

TEST(HlslLayout, MatricesAreArraysOfColumnsOrRows) {
  const auto strides = [](const std::string& major, const std::string& storage) {
    return LaidOut(Module(kBlock + Offsets(10, 2) + "OpMemberDecorate %10 0 MatrixStride 1\n" +
                              "OpMemberDecorate %10 0 " + major + "\n",
                          storage, "%10 = OpTypeStruct %7 %2\n"),
                   spv::Decoration::MatrixStride);
  };
  EXPECT_THAT(strides("ColMajor", "Uniform"), ElementsAre(16));
  EXPECT_THAT(strides("RowMajor", "Uniform"), ElementsAre(16));
  EXPECT_THAT(strides("ColMajor", "StorageBuffer"), ElementsAre(16));
  EXPECT_THAT(strides("RowMajor", "StorageBuffer"), ElementsAre(8));
}

TEST(HlslLayout, BlocksWithPlacesStay) {
  Words words = Module(kBlock + Offsets(10, 2), "Uniform", "%10 = OpTypeStruct %2 %2\n");
  ASSERT_TRUE(LayOutBlocks({"Block"}, &words).ok());
  EXPECT_THAT(Values(words, spv::Decoration::Offset), ElementsAre(0, 0));
}

TEST(HlslLayout, TellsOfOtherStrides) {
  const auto changed = [](const std::string& stride) {
    Words words = Module(kBlock + Offsets(10, 1) + "OpDecorate %11 ArrayStride " + stride + "\n",
                         "StorageBuffer", "%11 = OpTypeRuntimeArray %4\n%10 = OpTypeStruct %11\n");
    return *LayOutBlocks({}, &words);
  };
  EXPECT_TRUE(changed("12"));
  EXPECT_FALSE(changed("16"));
}

}  // namespace
}  // namespace kiln::front
