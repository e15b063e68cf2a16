#include "core/front/spirv/spirv_decorations.h"
#include "core/base/cause.h"

#include <gtest/gtest.h>

#include <string>

#include "core/front/check/refusal.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

SpirvModule Read(const std::string& text) {
  auto module = ParseSpirv(Assemble(text));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : SpirvModule();
}

TEST(SpirvDecorations, OfIds) {
  const SpirvModule module = Read(R"(
    OpDecorate %1 DescriptorSet 3
    OpDecorate %1 Binding 5
    OpDecorate %1 NonWritable
    OpDecorate %1 Coherent
    OpDecorate %1 Volatile
    OpDecorate %1 Aliased
    OpDecorate %2 BuiltIn GlobalInvocationId
    OpDecorate %2 RelaxedPrecision
    OpDecorate %3 FPRoundingMode RTZ
    OpDecorate %3 NoContraction
    OpDecorate %3 NonUniform
    OpDecorate %4 Block
    OpDecorate %5 BufferBlock
    OpDecorate %5 ArrayStride 12
    OpDecorate %6 SpecId 0
  )");
  const auto& d = module.decorations;
  EXPECT_EQ(d[1].set, 3u);
  EXPECT_EQ(d[1].binding, 5u);
  EXPECT_TRUE(d[1].non_writable && d[1].coherent && d[1].is_volatile && d[1].aliased);
  EXPECT_EQ(d[2].builtin, static_cast<uint32_t>(spv::BuiltIn::GlobalInvocationId));
  EXPECT_EQ(d[2].set, kNoValue);
  EXPECT_EQ(d[3].rounding, static_cast<uint32_t>(spv::FPRoundingMode::RTZ));
  EXPECT_TRUE(d[3].no_contraction && d[3].non_uniform);
  EXPECT_TRUE(d[4].block && !d[4].buffer_block);
  EXPECT_TRUE(d[5].buffer_block && !d[5].block);
  EXPECT_EQ(d[5].array_stride, 12u);
  EXPECT_EQ(d[6].spec_id, 0u);
  EXPECT_FALSE(d[5].spec_id.has_value());
}

// In any order, of structs and members; of two offsets the later one is the member's.
TEST(SpirvDecorations, OfMembers) {
  const SpirvModule module = Read(R"(
    OpMemberDecorate %9 1 Offset 8
    OpMemberDecorate %8 1 Offset 64
    OpMemberDecorate %8 1 MatrixStride 16
    OpMemberDecorate %8 1 RowMajor
    OpMemberDecorate %8 0 Offset 4
    OpMemberDecorate %9 0 NonWritable
    OpMemberDecorate %9 0 Coherent
    OpMemberDecorate %8 0 Offset 32
    OpMemberDecorate %8 0 BuiltIn Position
    OpMemberDecorate %9 1 Volatile
    OpMemberDecorate %9 7 Offset 100
    %1 = OpTypeFloat 32
    %2 = OpTypeVector %1 2
    %3 = OpTypeMatrix %2 2
    %8 = OpTypeStruct %1 %3
    %9 = OpTypeStruct %1 %1
  )");
  ASSERT_EQ(module.members.size(), 4u);
  EXPECT_EQ(module.members[0].offset, 32u);
  EXPECT_EQ(module.members[0].builtin, static_cast<uint32_t>(spv::BuiltIn::Position));
  EXPECT_EQ(module.members[1].offset, 64u);
  EXPECT_EQ(module.members[1].matrix_stride, 16u);
  EXPECT_TRUE(module.members[1].row_major);
  EXPECT_EQ(module.members[2].offset, kNoValue);
  EXPECT_TRUE(module.members[2].non_writable && module.members[2].coherent);
  EXPECT_EQ(module.members[3].offset, 8u);
  EXPECT_TRUE(module.members[3].is_volatile && !module.members[3].coherent);
}

// Decorations that come between structs are seen by the structs behind them.
TEST(SpirvDecorations, OfMembersBetweenStructs) {
  const SpirvModule module = Read(R"(
    OpMemberDecorate %2 0 Offset 4
    %1 = OpTypeFloat 32
    %2 = OpTypeStruct %1
    OpMemberDecorate %3 0 Offset 12
    OpMemberDecorate %2 0 Offset 8
    %3 = OpTypeStruct %1
  )");
  EXPECT_EQ(module.members[0].offset, 4u);
  EXPECT_EQ(module.members[1].offset, 12u);
}

// A group has what stands before its use; what is for the group as a member is not copied.
TEST(SpirvDecorations, Groups) {
  const SpirvModule module = Read(R"(
    OpDecorate %1 DescriptorSet 3
    OpMemberDecorate %1 0 Offset 4
    OpDecorate %2 Offset 16
    %1 = OpDecorationGroup
    %2 = OpDecorationGroup
    OpGroupDecorate %1 %5 %6
    OpGroupMemberDecorate %2 %9 1 %9 0
    OpDecorate %1 Binding 7
    %8 = OpTypeFloat 32
    %9 = OpTypeStruct %8 %8 %8
  )");
  EXPECT_EQ(module.decorations[5].set, 3u);
  EXPECT_EQ(module.decorations[6].set, 3u);
  EXPECT_EQ(module.decorations[5].binding, kNoValue);
  EXPECT_EQ(module.members[0].offset, 16u);
  EXPECT_EQ(module.members[1].offset, 16u);
  EXPECT_EQ(module.members[2].offset, kNoValue);
}

TEST(SpirvDecorations, OfWhatIsNoId) {
  std::vector<uint32_t> words = Assemble("OpDecorate %4 Aliased\nOpName %4 \"four\"");
  ASSERT_EQ(words[6], 4u);
  for (const uint32_t id : {0u, 5u, 0xffffffffu}) {
    words[6] = id;
    const std::string error = TextOf(ParseSpirv(words).status());
    EXPECT_EQ(error.rfind("decoration of an id outside the id bound", 0), 0u) << error;
  }
}

// Each use of a group looks through all decorations: 30,000 uses of 30,000 would be 10^9 steps.
TEST(SpirvDecorations, WorkOnGroupsIsBounded) {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "OpDecorate %3 Aliased\n";
  text += "%1 = OpDecorationGroup\nOpGroupDecorate %1";
  for (int i = 0; i < 30000; ++i) text += " %4";
  EXPECT_EQ(ReadError(text),
            "module_too_large: decorations looked up for groups: more than 67108864 (%1)");
}

TEST(SpirvDecorations, TheWorkgroupSizeIsAConstant) {
  const char* text = R"(
    OpDecorate %2 BuiltIn WorkgroupSize
    OpDecorate %3 BuiltIn WorkgroupSize
    %1 = OpTypeInt 32 0
    %4 = OpTypePointer Input %1
    %2 = OpConstant %1 7
    %3 = OpVariable %4 Input
  )";
  EXPECT_EQ(Read(text).workgroup_size_constant, 2u);
}

}  // namespace
}  // namespace kiln::front
