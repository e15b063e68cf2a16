#include "core/front/spirv/spirv_preamble.h"
#include "core/base/cause.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

TEST(SpirvPreamble, IsKept) {
  const auto module = ParseSpirv(Assemble(R"(
    OpCapability Shader
    OpCapability Int64
    OpExtension "SPV_KHR_variable_pointers"
    %1 = OpExtInstImport "GLSL.std.450"
    %2 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
    %3 = OpExtInstImport "OpenCL.std"
    OpMemoryModel PhysicalStorageBuffer64 Vulkan
    OpEntryPoint GLCompute %4 "main"
    OpEntryPoint Vertex %5 "other" %8 %7
    OpExecutionMode %4 LocalSize 8 4 2
    OpExecutionModeId %4 LocalSizeId %6 %6 %7
  )"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(module->Declares(spv::Capability::Int64));
  EXPECT_FALSE(module->Declares(spv::Capability::Int16));
  EXPECT_EQ(module->extensions, std::vector<std::string>{"SPV_KHR_variable_pointers"});
  EXPECT_EQ(module->InstSet(1), ExtInstSet::kGlsl450);
  EXPECT_EQ(module->InstSet(2), ExtInstSet::kNonSemantic);
  EXPECT_EQ(module->InstSet(3), ExtInstSet::kUnknown);
  EXPECT_EQ(module->InstSet(4), ExtInstSet::kNone);
  EXPECT_EQ(module->addressing, spv::AddressingModel::PhysicalStorageBuffer64);
  EXPECT_EQ(module->memory_model, spv::MemoryModel::Vulkan);
  ASSERT_EQ(module->entry_points.size(), 2u);
  EXPECT_EQ(module->entry_points[0].name, "main");
  EXPECT_EQ(module->entry_points[0].function, 4u);
  EXPECT_EQ(module->entry_points[0].interface, std::vector<uint32_t>());
  EXPECT_EQ(module->entry_points[1].interface, (std::vector<uint32_t>{8, 7}));
  EXPECT_EQ(module->entry_points[1].model, spv::ExecutionModel::Vertex);
  ASSERT_EQ(module->execution_modes.size(), 2u);
  EXPECT_EQ(module->execution_modes[0].operands, (std::vector<uint32_t>{8, 4, 2}));
  EXPECT_FALSE(module->execution_modes[0].operands_are_ids);
  EXPECT_EQ(module->execution_modes[1].entry, 4u);
  EXPECT_EQ(module->execution_modes[1].operands, (std::vector<uint32_t>{6, 6, 7}));
  EXPECT_TRUE(module->execution_modes[1].operands_are_ids);
}

// The last word of each is only the end of its name.
TEST(SpirvPreamble, NamesThatDoNotEnd) {
  for (const auto& [text, error] : {
           std::pair{"OpEntryPoint GLCompute %4 \"main\"", "entry point name has no end (%4)"},
           std::pair{"%7 = OpExtInstImport \"NonSemantic.test\"",
                     "extended instruction set name has no end (%7)"},
       }) {
    std::vector<uint32_t> words = Assemble(text);
    ASSERT_EQ(words.back(), 0u);
    words.back() = 0x20202020;
    EXPECT_EQ(TextOf(ParseSpirv(words).status()), error);
  }
}

TEST(SpirvPreamble, NamesOfEntryPointsAreUtf8) {
  EXPECT_EQ(ReadError("OpEntryPoint GLCompute %4 \"m\xc3\xa4in\""), "");
  EXPECT_EQ(ReadError("OpEntryPoint GLCompute %4 \"m\xe4in\""),
            "entry point name is not UTF-8 (%4)");
}

TEST(SpirvPreamble, OthersAreLeftAlone) {
  SpirvModule module;
  const std::vector<uint32_t> words = {1u << 16};
  SpirvInst inst;
  inst.words = words;
  bool handled = true;
  EXPECT_TRUE(ReadPreamble(module, inst, &handled).ok());
  EXPECT_FALSE(handled);
}

}  // namespace
}  // namespace kiln::front
