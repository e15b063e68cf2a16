#include "core/front/state/descriptors.h"

#include <string>

#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

// Storage buffers: one, an array of three, an array of two arrays of four, one of unknown length,
// one more; between them a uniform buffer. In SpirvModule::variables they are 0, 1, 3, 4, 5.
constexpr char kBuffers[] = R"(
OpCapability Shader
OpCapability RuntimeDescriptorArray
OpExtension "SPV_EXT_descriptor_indexing"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%three = OpConstant %uint 3
%four = OpConstant %uint 4
%two = OpConstant %uint 2
%block = OpTypeStruct %uint
%array = OpTypeArray %block %three
%inner = OpTypeArray %block %four
%outer = OpTypeArray %inner %two
%runtime = OpTypeRuntimeArray %block
%p_block = OpTypePointer StorageBuffer %block
%p_array = OpTypePointer StorageBuffer %array
%p_uniform = OpTypePointer Uniform %block
%p_outer = OpTypePointer StorageBuffer %outer
%p_runtime = OpTypePointer StorageBuffer %runtime
%a = OpVariable %p_block StorageBuffer
%b = OpVariable %p_array StorageBuffer
%c = OpVariable %p_uniform Uniform
%d = OpVariable %p_outer StorageBuffer
%e = OpVariable %p_runtime StorageBuffer
%f = OpVariable %p_block StorageBuffer
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

class DescriptorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<SpirvModule> module = ParseSpirv(Assemble(kBuffers), {});
    ASSERT_TRUE(module.ok()) << module.status();
    spirv_ = *std::move(module);
    ASSERT_EQ(spirv_.variables.size(), 6u);
  }

  uint32_t CountOf(uint32_t variable_index) const {
    uint32_t count = 77;
    EXPECT_EQ(DescriptorType(spirv_, spirv_.variables[variable_index].id, &count).kind,
              SpirvType::kStruct);
    return count;
  }

  SpirvModule spirv_;
};

TEST_F(DescriptorsTest, ArraysAreCountedThroughAllLevels) {
  EXPECT_EQ(CountOf(0), 1u);
  EXPECT_EQ(CountOf(1), 3u);
  EXPECT_EQ(CountOf(2), 1u);
  EXPECT_EQ(CountOf(3), 8u);
  EXPECT_EQ(CountOf(4), 0u);
}

TEST_F(DescriptorsTest, SelectorsAreNumberedThroughStorageBuffers) {
  const Selectors selectors(spirv_);
  EXPECT_EQ(selectors.First(0), 1u);
  EXPECT_EQ(selectors.First(1), 2u);
  EXPECT_EQ(selectors.First(2), kNoValue);
  EXPECT_EQ(selectors.First(3), 5u);
  EXPECT_EQ(selectors.First(4), 13u);
  EXPECT_EQ(selectors.First(5), 13u + kMaxDescriptors);
  EXPECT_EQ(selectors.Count(spirv_.variables[4].id), kMaxDescriptors);
}

}  // namespace
}  // namespace kiln::front
