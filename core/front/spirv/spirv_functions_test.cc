#include "core/front/spirv/spirv_functions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// %1 void, %2 uint, %3 a function without parameters, %4 one from two uints to a uint; %5 and %6
// are uints.
constexpr char kBasics[] = R"(
    %1 = OpTypeVoid
    %2 = OpTypeInt 32 0
    %3 = OpTypeFunction %1
    %4 = OpTypeFunction %2 %2 %2
    %7 = OpTypeBool
    %8 = OpConstantTrue %7
    %5 = OpConstant %2 0
    %6 = OpConstant %2 1
)";

TEST(SpirvFunctions, Tables) {
  const auto module = ParseSpirv(Assemble(kBasics + std::string(R"(
    %10 = OpFunction %2 None %4
    %11 = OpFunctionParameter %2
    %12 = OpFunctionParameter %2
    %13 = OpLabel
    %14 = OpIAdd %2 %11 %12
    OpReturnValue %14
    OpFunctionEnd
    %20 = OpFunction %1 None %3
    %21 = OpLabel
    OpBranch %22
    %22 = OpLabel
    OpLoopMerge %24 %23 None
    OpBranchConditional %8 %23 %24
    %23 = OpLabel
    OpBranch %22
    %24 = OpLabel
    OpSelectionMerge %25 None
    OpSwitch %5 %25 0 %26
    %26 = OpLabel
    OpUnreachable
    %25 = OpLabel
    OpReturn
    OpFunctionEnd
  )")));
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->functions.size(), 2u);
  const SpirvFunction& f = *module->Function(10);
  EXPECT_EQ(f.parameters, (std::vector<uint32_t>{11, 12}));
  EXPECT_EQ(f.parameter_types, (std::vector<uint32_t>{2, 2}));
  EXPECT_EQ(f.return_type, 2u);
  EXPECT_EQ(f.first_block, 0u);
  EXPECT_EQ(f.end_block, 1u);
  EXPECT_EQ(module->blocks[0].label, 13u);
  EXPECT_EQ(module->blocks[0].end - module->blocks[0].first, 2u);
  EXPECT_EQ(module->Def(14).kind, SpirvDef::kBody);
  EXPECT_EQ(module->Def(14).function, 0u);
  EXPECT_EQ(module->Inst(module->Def(14).index).op, spv::Op::OpIAdd);
  const SpirvFunction& g = *module->Function(20);
  EXPECT_EQ(g.first_block, 1u);
  EXPECT_EQ(g.end_block, 7u);
  const SpirvBlock& header = module->blocks[module->Def(22).index];
  EXPECT_EQ(header.merge, 24u);
  EXPECT_EQ(header.continue_target, 23u);
  EXPECT_EQ(header.end - header.first, 2u);  // the merge instruction is one of them
  const SpirvBlock& selection = module->blocks[module->Def(24).index];
  EXPECT_EQ(selection.merge, 25u);
  EXPECT_EQ(selection.continue_target, 0u);
  EXPECT_EQ(module->Def(26).function, 1u);
}

TEST(SpirvFunctions, WhatIsNoFunction) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"%10 = OpFunction %1 None %2",
       "function's type is not a function type with its result type (%10)"},
      {"%10 = OpFunction %2 None %3",
       "function's type is not a function type with its result type (%10)"},
      {"%10 = OpFunction %1 None %3", "the last function has no OpFunctionEnd (%10)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpFunction %1 None %3",
       "function inside a function (%11)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpFunctionParameter %2",
       "function parameter does not match the function's type (%11)"},
      {"%10 = OpFunction %2 None %4\n%11 = OpFunctionParameter %1",
       "function parameter does not match the function's type (%11)"},
      {"%10 = OpFunction %2 None %4\n%11 = OpFunctionParameter %2\nOpFunctionEnd",
       "function has fewer parameters than its type (%10)"},
      {"%10 = OpFunction %2 None %4\n%11 = OpFunctionParameter %2\n%12 = OpLabel\nOpUnreachable\n"
       "%13 = OpFunctionParameter %2",
       "function parameter does not match the function's type (%13)"},
      {"%10 = OpFunction %1 None %3\nOpReturn", "OpReturn outside blocks (%10)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpLabel\n%12 = OpLabel",
       "block has no terminator (%12)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpLabel\nOpFunctionEnd",
       "block has no terminator (%10)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpLabel\nOpReturn\nOpReturn",
       "OpReturn outside blocks (%10)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpLabel\nOpSelectionMerge %12 None\n"
       "OpLoopMerge %12 %12 None",
       "two merge instructions in a block (%11)"},
      {"%10 = OpFunction %1 None %3\n%11 = OpLabel\n%11 = OpIAdd %2 %5 %5",
       "id defined twice (%11)"},
  };
  for (const auto& [text, error] : rows) {
    EXPECT_EQ(ReadError(kBasics + std::string(text)), error) << text;
  }
}

// Instructions in a block are not checked here: even an unknown opcode is kept.
TEST(SpirvFunctions, BodiesAreKeptAsTheyAre) {
  EXPECT_EQ(ReadError(kBasics + std::string("%10 = OpFunction %1 None %3\n%11 = OpLabel\n"
                                            "%12 = OpIAdd %2 %99 %3\nOpKill\nOpFunctionEnd")),
            "");
}

TEST(SpirvFunctions, NonSemanticInformationMayStandBetweenBlocks) {
  const auto module = ParseSpirv(
      Assemble("%30 = OpExtInstImport \"NonSemantic.DebugPrintf\"\n" + std::string(kBasics) +
               "%10 = OpFunction %1 None %3\n%12 = OpExtInst %1 %30 1 %5\n%11 = OpLabel\nOpReturn\n"
               "OpFunctionEnd"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->Def(12).kind, SpirvDef::kOther);
  EXPECT_EQ(module->body_offsets.size(), 1u);
}

TEST(SpirvVariables, Tables) {
  const auto module = ParseSpirv(Assemble(kBasics + std::string(R"(
    %10 = OpTypePointer Private %2
    %11 = OpVariable %10 Private %6
    %12 = OpVariable %10 Private
  )")));
  ASSERT_TRUE(module.ok()) << module.status();
  ASSERT_EQ(module->variables.size(), 2u);
  EXPECT_EQ(module->Variable(11)->initializer, 6u);
  EXPECT_EQ(module->Variable(11)->pointee, 2u);
  EXPECT_EQ(module->Variable(11)->storage, spv::StorageClass::Private);
  EXPECT_EQ(module->Variable(12)->initializer, 0u);
  EXPECT_EQ(ReadError(kBasics + std::string("%10 = OpVariable %2 Private")),
            "variable's type is not a pointer type (%10)");
}

}  // namespace
}  // namespace kiln::front
