// Compares the rows generated from the grammar with the headers, and with instructions written by
// hand from the specification.
#define SPV_ENABLE_UTILITY_CODE  // the headers' own table of instructions with a result
#include "core/front/grammar/spirv_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace kiln::front {
namespace {

using testing::ElementsAre;
using Words = std::vector<uint32_t>;

struct NewerInstruction {
  uint32_t opcode;
  std::string_view name;
  std::string_view operands;
};
constexpr NewerInstruction kNewer[] = {
#define NEWER_INSTRUCTION(number, name, operands, feature) {number, #name, operands},
#include "core/front/grammar/spirv_newer.def"
};

// Returns true for newer instructions, which the headers' table lacks.
bool IsNewer(uint32_t opcode) {
  for (const NewerInstruction& row : kNewer) {
    if (row.opcode == opcode) return true;
  }
  return false;
}

// Returns the indices of ids of an instruction with these operands.
Words Ids(spv::Op op, Words operands, size_t switch_literal_words = 1) {
  operands.insert(operands.begin(),
                  static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(op));
  Words indices;
  AppendIdWords(operands, switch_literal_words, &indices);
  return indices;
}

TEST(Grammar, AgreesWithTheHeadersOnResultsAndTypes) {
  EXPECT_GT(InstructionLayouts().size(), 600u);
  for (const InstructionLayout& layout : InstructionLayouts()) {
    if (IsNewer(layout.opcode)) continue;
    SCOPED_TRACE(layout.name);
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(layout.opcode), &has_result, &has_type);
    const std::string_view first = has_type ? "tr" : "r";
    if (has_result) {
      EXPECT_EQ(layout.operands.substr(0, first.size()), first);
    }
    EXPECT_EQ(layout.operands.find('r') != std::string_view::npos, has_result);
    EXPECT_EQ(layout.operands.find('t') != std::string_view::npos, has_type);
    EXPECT_EQ(layout.has_result, has_result);
    EXPECT_EQ(layout.has_type, has_type);
    EXPECT_GE(layout.least_words, 1u + has_result + has_type);
  }
}

TEST(Grammar, NewerInstructionsAreFoundAmongTheOthers) {
  for (const NewerInstruction& row : kNewer) {
    const InstructionLayout* layout = LayoutOf(static_cast<spv::Op>(row.opcode));
    ASSERT_NE(layout, nullptr) << row.name;
    EXPECT_EQ(layout->name, row.name);
    EXPECT_EQ(layout->operands, row.operands) << row.name;
  }
  EXPECT_EQ(OpText(spv::Op::OpFmaKHR), "OpFmaKHR");
  EXPECT_EQ(LayoutOf(spv::Op::OpFmaKHR)->least_words, 6u);
  EXPECT_EQ(LayoutOf(spv::Op::OpConstantCompositeReplicateEXT)->ResultWord(), 2u);
  EXPECT_EQ(LayoutOf(spv::Op::OpTypeCooperativeMatrixKHR)->ResultWord(), 1u);
  EXPECT_EQ(LayoutOf(spv::Op::OpAbortKHR)->ResultWord(), 0u);
  EXPECT_EQ(LayoutOf(spv::Op::OpExtInstWithForwardRefsKHR)->least_words, 5u);
}

TEST(Grammar, IdsOfNewerInstructions) {
  using spv::Op;
  EXPECT_THAT(Ids(Op::OpExtInstWithForwardRefsKHR, {1, 2, 3, 40, 5, 6}),
              ElementsAre(1, 2, 3, 5, 6));
  EXPECT_THAT(Ids(Op::OpExecutionModeId, {1, 6028, 2, 3}), ElementsAre(1, 3, 4));
  EXPECT_THAT(Ids(Op::OpCooperativeMatrixLoadTensorNV, {1, 2, 3, 4, 5, 2, 16, 1, 6}),
              ElementsAre(1, 2, 3, 4, 5, 9));
  EXPECT_THAT(Ids(Op::OpGroupNonUniformQuadAnyKHR, {1, 2, 3}), ElementsAre(1, 2, 3));
}

TEST(Grammar, RowsAreFoundByOpcode) {
  size_t found = 0;
  for (uint32_t op = 0; op <= 0xffff; ++op) {
    const InstructionLayout* layout = LayoutOf(static_cast<spv::Op>(op));
    bool has_result = false, has_type = false;
    spv::HasResultAndType(static_cast<spv::Op>(op), &has_result, &has_type);
    if (layout == nullptr) {
      EXPECT_FALSE(has_result || has_type) << op;
      continue;
    }
    EXPECT_EQ(layout->opcode, op);
    ++found;
  }
  EXPECT_EQ(found, InstructionLayouts().size());
}

TEST(Grammar, LeastWords) {
  const auto least = [](spv::Op op) { return LayoutOf(op)->least_words; };
  EXPECT_EQ(least(spv::Op::OpReturn), 1u);
  EXPECT_EQ(least(spv::Op::OpTypeStruct), 2u);
  EXPECT_EQ(least(spv::Op::OpEntryPoint), 4u);
  EXPECT_EQ(least(spv::Op::OpLoad), 4u);
  EXPECT_EQ(least(spv::Op::OpTypeImage), 9u);
  EXPECT_EQ(least(spv::Op::OpAtomicCompareExchange), 9u);
  EXPECT_EQ(least(spv::Op::OpGroupNonUniformShuffle), 6u);
  EXPECT_EQ(LayoutOf(static_cast<spv::Op>(65000)), nullptr);
  EXPECT_EQ(LayoutOf(spv::Op::OpSDotKHR)->opcode, 4450u);
}

TEST(Grammar, IdsAmongLiterals) {
  using spv::Op;
  EXPECT_THAT(Ids(Op::OpIAdd, {1, 2, 3, 4}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Ids(Op::OpTypeInt, {1, 32, 0}), ElementsAre(1));
  EXPECT_THAT(Ids(Op::OpTypeArray, {1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Ids(Op::OpTypeImage, {1, 2, 1, 0, 0, 0, 1, 0}), ElementsAre(1, 2));
  EXPECT_THAT(Ids(Op::OpConstant, {1, 2, 3, 4}), ElementsAre(1, 2));
  EXPECT_THAT(Ids(Op::OpCompositeInsert, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Ids(Op::OpVectorShuffle, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Ids(Op::OpExtInst, {1, 2, 3, 40, 5, 6}), ElementsAre(1, 2, 3, 5, 6));
  EXPECT_THAT(Ids(Op::OpVariable, {1, 2, 6, 3}), ElementsAre(1, 2, 4));
  EXPECT_THAT(Ids(Op::OpPhi, {1, 2, 3, 4, 5, 6}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Ids(Op::OpGroupMemberDecorate, {1, 2, 0, 3, 1}), ElementsAre(1, 2, 4));
  EXPECT_THAT(Ids(Op::OpControlBarrier, {1, 2, 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Ids(Op::OpGroupNonUniformIAdd, {1, 2, 3, 3, 4, 5}), ElementsAre(1, 2, 3, 5, 6));
  EXPECT_THAT(Ids(Op::OpUDot, {1, 2, 3, 4, 0}), ElementsAre(1, 2, 3, 4));
}

TEST(Grammar, IdsAfterStrings) {
  using spv::Op;
  // "main" takes two words, the second being all zero.
  EXPECT_THAT(Ids(Op::OpEntryPoint, {5, 1, 0x6e69616d, 0, 2, 3}), ElementsAre(2, 5, 6));
  EXPECT_THAT(Ids(Op::OpEntryPoint, {5, 1, 0x00006162, 2}), ElementsAre(2, 4));
  EXPECT_THAT(Ids(Op::OpEntryPoint, {5, 1, 0x61616161, 0x61616161}), ElementsAre(2));
  EXPECT_THAT(Ids(Op::OpName, {1, 0}), ElementsAre(1));
  EXPECT_THAT(Ids(Op::OpString, {1, 0x61}), ElementsAre(1));
  EXPECT_THAT(Ids(Op::OpSource, {2, 450, 7, 0}), ElementsAre(3));
}

TEST(Grammar, IdsOfSwitches) {
  EXPECT_THAT(Ids(spv::Op::OpSwitch, {1, 2, 0, 3, 1, 4}), ElementsAre(1, 2, 4, 6));
  EXPECT_THAT(Ids(spv::Op::OpSwitch, {1, 2, 0, 0, 3, 1, 0, 4}, 2), ElementsAre(1, 2, 5, 8));
}

TEST(Grammar, IdsOfMasksAndEnumerants) {
  using spv::Op;
  EXPECT_THAT(Ids(Op::OpLoad, {1, 2, 3, 2, 16}), ElementsAre(1, 2, 3));           // Aligned
  EXPECT_THAT(Ids(Op::OpLoad, {1, 2, 3, 0x32, 16, 4}), ElementsAre(1, 2, 3, 6));  // and a scope
  EXPECT_THAT(Ids(Op::OpCopyMemory, {1, 2, 2, 4, 0x2a, 4, 9}), ElementsAre(1, 2, 7));
  EXPECT_THAT(Ids(Op::OpImageSampleExplicitLod, {1, 2, 3, 4, 0x12, 5, 6}),
              ElementsAre(1, 2, 3, 4, 6, 7));
  EXPECT_THAT(Ids(Op::OpImageSampleExplicitLod, {1, 2, 3, 4, 0x84, 5, 6, 7}),
              ElementsAre(1, 2, 3, 4, 6, 7, 8));
  EXPECT_THAT(Ids(Op::OpImageWrite, {1, 2, 3, 0x500, 4}), ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(Ids(Op::OpLoopMerge, {1, 2, 0x18, 7, 8}), ElementsAre(1, 2));
  EXPECT_THAT(Ids(Op::OpExecutionMode, {1, 17, 8, 8, 1}), ElementsAre(1));
  EXPECT_THAT(Ids(Op::OpExecutionModeId, {1, 38, 2, 3, 4}), ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(Ids(Op::OpDecorate, {1, 1, 7}), ElementsAre(1));
  EXPECT_THAT(Ids(Op::OpDecorateId, {1, 27, 7}), ElementsAre(1, 3));
  EXPECT_THAT(Ids(Op::OpMemberDecorate, {1, 2, 35, 16}), ElementsAre(1));
}

TEST(Grammar, IdsOfConstantOperations) {
  using spv::Op;
  const auto number = [](Op op) { return static_cast<uint32_t>(op); };
  EXPECT_THAT(Ids(Op::OpSpecConstantOp, {1, 2, number(Op::OpIAdd), 3, 4}), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(Ids(Op::OpSpecConstantOp, {1, 2, number(Op::OpCompositeExtract), 3, 4, 5}),
              ElementsAre(1, 2, 4));
  EXPECT_THAT(Ids(Op::OpSpecConstantOp, {1, 2, number(Op::OpSpecConstantOp), 1, 2}),
              ElementsAre(1, 2));
  EXPECT_THAT(Ids(Op::OpSpecConstantOp, {1, 2, 65000, 3}), ElementsAre(1, 2));
}

TEST(Grammar, WhatIsTooShortHasFewer) {
  for (const InstructionLayout& layout : InstructionLayouts()) {
    for (size_t n = 0; n < 6; ++n) {
      for (const uint32_t word : {0u, 0x61616161u, 0xffffffffu}) {
        for (const uint32_t i : Ids(static_cast<spv::Op>(layout.opcode), Words(n, word), 2)) {
          EXPECT_LE(i, n) << layout.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kiln::front
