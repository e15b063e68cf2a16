// Tests the header, the ends of instructions, and misplaced instructions: words in, named errors
// out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/front/spirv/spirv.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

std::string ErrorOf(const Words& words) { return TextOf(ParseSpirv(words).status()); }

// Makes a module of version 1.5 with ids below 10 and these words after its header.
Words Module(const Words& words) {
  Words module = {0x07230203, 0x00010500, 0, 10, 0, 0, 0, 0, 0};
  for (size_t i = 5; i < module.size(); ++i) module[i] = 1u << 16;  // OpNop
  module.insert(module.end(), words.begin(), words.end());
  return module;
}

uint32_t First(spv::Op op, uint32_t count) { return count << 16 | static_cast<uint32_t>(op); }

TEST(SpirvParse, NothingIsAModule) { EXPECT_EQ(ErrorOf(Module({})), ""); }

TEST(SpirvParse, Header) {
  Words words = Module({});
  EXPECT_EQ(ErrorOf({words.begin(), words.begin() + 4}),
            "the module is shorter than a SPIR-V header of 20 bytes");
  words[0] = 0x07230204;
  EXPECT_EQ(ErrorOf(words), "not SPIR-V: wrong magic number");
  for (const uint32_t version : {0x00000900u, 0x01010500u, 0x00010501u}) {
    words = Module({});
    words[1] = version;
    EXPECT_EQ(ErrorOf(words), "unknown SPIR-V version") << version;
  }
  words[1] = 0x00010700;
  EXPECT_EQ(ErrorOf(words), "newer_feature: SPIR-V 1.7");
  words[1] = 0x00020000;
  EXPECT_EQ(ErrorOf(words), "newer_feature: SPIR-V 2.0");
  words = Module({});
  words[3] = 0;
  EXPECT_EQ(ErrorOf(words), "the id bound is 0; it must be from 1 to 4194303");
  words[3] = 0x400000;
  EXPECT_EQ(ErrorOf(words), "the id bound is 4194304; it must be from 1 to 4194303");
}

TEST(SpirvParse, TablesHaveTheSizeOfTheBound) {
  Words words = Module({});
  words[3] = 9;
  const auto module = ParseSpirv(words);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->bound, 9u);
  EXPECT_EQ(module->defs.size(), 9u);
  EXPECT_EQ(module->decorations.size(), 9u);
  EXPECT_TRUE(module->original_ids.empty());
}

TEST(SpirvParse, LengthsOfInstructions) {
  EXPECT_EQ(ErrorOf(Module({0})), "instruction at word 9 runs past the end");
  EXPECT_EQ(ErrorOf(Module({First(spv::Op::OpNop, 2)})), "instruction at word 9 runs past the end");
  EXPECT_EQ(ErrorOf(Module({First(spv::Op::OpTypeInt, 3), 1, 32})), "OpTypeInt is too short");
  EXPECT_EQ(ErrorOf(Module({First(spv::Op::OpTypeInt, 4), 1, 32, 0})), "");
}

TEST(SpirvParse, Results) {
  const Words integer = {First(spv::Op::OpTypeInt, 4), 1, 32, 0};
  const auto then = [&](const Words& words) {
    Words module = Module(integer);
    module.insert(module.end(), words.begin(), words.end());
    return ErrorOf(module);
  };
  EXPECT_EQ(then({First(spv::Op::OpTypeBool, 2), 0}), "OpTypeBool has the result id 0");
  EXPECT_EQ(then({First(spv::Op::OpTypeBool, 2), 1}), "id defined twice (%1)");
  EXPECT_EQ(then({First(spv::Op::OpTypeBool, 2), 10}), "result id outside the id bound (%10)");
  EXPECT_EQ(then({First(spv::Op::OpConstant, 4), 3, 2, 7}),
            "OpConstant has a result type that is not a type (%2)");
  EXPECT_EQ(then({First(spv::Op::OpConstant, 4), 99, 2, 7}),
            "OpConstant has a result type that is not a type (%2)");
  EXPECT_EQ(SpirvIdOf(ParseSpirv(Module({First(spv::Op::OpConstant, 4), 3, 2, 7})).status()), 2u);
}

TEST(SpirvParse, WhatStandsInFunctionsOnly) {
  EXPECT_EQ(ErrorOf(Module({First(spv::Op::OpReturn, 1)})), "OpReturn outside functions");
  EXPECT_EQ(ErrorOf(Module({First(spv::Op::OpFunctionEnd, 1)})), "OpFunctionEnd outside functions");
  EXPECT_EQ(ErrorOf(Module({First(spv::Op::OpLabel, 2), 1})), "OpLabel outside functions");
  EXPECT_EQ(ErrorOf(Module({First(static_cast<spv::Op>(65000), 1)})),
            "opcode 65000 outside functions");
}

TEST(SpirvParse, DebugInformationIsPassedOver) {
  const auto module = ParseSpirv(Assemble(R"(
    %1 = OpExtInstImport "NonSemantic.DebugPrintf"
    %2 = OpString "a.comp"
    OpSource GLSL 450 %2
    OpName %4 "unsigned"
    %3 = OpTypeVoid
    %4 = OpTypeInt 32 0
    OpLine %2 3 4
    %5 = OpExtInst %3 %1 1 %2
  )"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->types.size(), 2u);
  EXPECT_EQ(module->Def(2).kind, SpirvDef::kString);
  EXPECT_EQ(module->Def(5).kind, SpirvDef::kOther);
  EXPECT_EQ(ReadError("%1 = OpExtInstImport \"GLSL.std.450\"\n%2 = OpTypeFloat 32\n"
                      "%3 = OpConstant %2 1\n%4 = OpExtInst %2 %1 Sin %3\n"),
            "extended instruction outside functions (%4)");
}

}  // namespace
}  // namespace kiln::front
