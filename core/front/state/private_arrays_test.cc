#include "core/front/state/private_arrays.h"

#include <string>
#include <vector>

#include "core/front/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

// A variable of twelve leaves, with ranges of four and of two in memory, two dwords a leaf.
LocalVariable TwoRanges() {
  LocalVariable v;
  v.id = 7;
  v.leaves = 12;
  v.words = 2;
  v.memory = {{2, 6}, {8, 10}};
  return v;
}

TEST(MemoryRangeTest, EndsAreNotInside) {
  const LocalVariable v = TwoRanges();
  EXPECT_EQ(MemoryRange(v, 1), nullptr);
  EXPECT_EQ(MemoryRange(v, 2), &v.memory[0]);
  EXPECT_EQ(MemoryRange(v, 5), &v.memory[0]);
  EXPECT_EQ(MemoryRange(v, 6), nullptr);
  EXPECT_EQ(MemoryRange(v, 9), &v.memory[1]);
  EXPECT_EQ(MemoryRange(v, 10), nullptr);
}

TEST(PrivateArraysTest, ARangeIsOneArrayMadeWhenAskedFor) {
  const SpirvModule spirv;
  Plan plan;
  plan.variables = {TwoRanges(), TwoRanges()};
  plan.variables[1].id = 8;
  PrivateArrays arrays(spirv, plan);
  mir::Module module;
  EXPECT_EQ(arrays.ArrayOf(plan.variables[1], 1, module), 0u);
  EXPECT_EQ(arrays.ArrayOf(plan.variables[0], 0, module), 1u);
  EXPECT_EQ(arrays.ArrayOf(plan.variables[1], 0, module), 2u);
  EXPECT_EQ(arrays.ArrayOf(plan.variables[1], 1, module), 0u);
  ASSERT_EQ(module.private_arrays.size(), 3u);
  EXPECT_EQ(module.private_arrays[0].bytes, 4u * 2 * 2);
  EXPECT_EQ(module.private_arrays[0].spirv_id, 8u);
  EXPECT_EQ(module.private_arrays[1].bytes, 4u * 2 * 4);
  EXPECT_EQ(module.private_arrays[1].spirv_id, 7u);
}

constexpr char kTables[] = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%v2uint = OpTypeVector %uint 2
%one = OpConstant %uint 0x01020304
%two = OpConstant %uint 5
%first = OpConstantComposite %v2uint %one %two
%second = OpConstantComposite %v2uint %two %one
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
)";

TEST(PrivateArraysTest, TablesAreLittleEndianAlignedAndShared) {
  const absl::StatusOr<SpirvModule> spirv = ParseSpirv(Assemble(kTables), {});
  ASSERT_TRUE(spirv.ok()) << spirv.status();
  std::vector<uint32_t> composites;
  for (uint32_t id = 0; id < spirv->bound; ++id) {
    const SpirvConstant* c = spirv->Constant(id);
    if (c != nullptr && spirv->Type(c->type)->leaves == 2) composites.push_back(id);
  }
  ASSERT_EQ(composites.size(), 2u);
  const Plan plan;
  PrivateArrays arrays(*spirv, plan);
  mir::Module module;
  const uint32_t type = spirv->Constant(composites[0])->type;
  EXPECT_EQ(arrays.ConstantDataOf(composites[0], type, 1, module), 0u);
  EXPECT_EQ(arrays.ConstantDataOf(composites[1], type, 2, module), 16u);
  EXPECT_EQ(arrays.ConstantDataOf(composites[0], type, 1, module), 0u);
  EXPECT_EQ(arrays.constant_tables(), 2u);
  const std::vector<uint8_t> bytes = {4, 3, 2, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,   // one dword
                                      5, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0};  // two
  EXPECT_EQ(module.constant_data, bytes);
}

}  // namespace
}  // namespace kiln::front
