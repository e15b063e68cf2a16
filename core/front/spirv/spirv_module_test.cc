// Tests each query of a module with ids of every kind, and with undefined ids.
#include <gtest/gtest.h>

#include "core/front/spirv/spirv.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// %1 void, %2 a function type, %3 uint, %4 the constant 7, %5 a pointer, %6 a variable, %7 a
// function, %8 its block, %9 GLSL.std.450, %10 a constant of 64 bits, %11 -1.
SpirvModule Everything() {
  auto module = ParseSpirv(Assemble(R"(
    OpCapability Shader
    OpCapability Int64
    %9 = OpExtInstImport "GLSL.std.450"
    %1 = OpTypeVoid
    %2 = OpTypeFunction %1
    %3 = OpTypeInt 32 0
    %4 = OpConstant %3 7
    %5 = OpTypePointer Private %3
    %6 = OpVariable %5 Private
    %12 = OpTypeInt 64 0
    %10 = OpConstant %12 4294967296
    %13 = OpTypeInt 32 1
    %11 = OpConstant %13 -1
    %7 = OpFunction %1 None %2
    %8 = OpLabel
    OpReturn
    OpFunctionEnd
)"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : SpirvModule();
}

TEST(SpirvModule, AnIdIsOfOneKind) {
  const SpirvModule m = Everything();
  for (uint32_t id = 0; id < m.bound + 3; ++id) {
    const bool is_type = id == 1 || id == 2 || id == 3 || id == 5 || id == 12 || id == 13;
    EXPECT_EQ(m.Type(id) != nullptr, is_type) << id;
    EXPECT_EQ(m.Constant(id) != nullptr, id == 4 || id == 10 || id == 11) << id;
    EXPECT_EQ(m.Variable(id) != nullptr, id == 6) << id;
    EXPECT_EQ(m.Function(id) != nullptr, id == 7) << id;
    EXPECT_EQ(m.InstSet(id) != ExtInstSet::kNone, id == 9) << id;
  }
}

TEST(SpirvModule, IntegerConstantsBelowTwoToThe32) {
  const SpirvModule m = Everything();
  uint32_t value = 0;
  EXPECT_TRUE(m.IntConstant(4, &value));
  EXPECT_EQ(value, 7u);
  EXPECT_TRUE(m.IntConstant(11, &value));
  EXPECT_EQ(value, 0xffffffffu);
  EXPECT_FALSE(m.IntConstant(10, &value));  // too large
  EXPECT_FALSE(m.IntConstant(3, &value));   // a type
  EXPECT_FALSE(m.IntConstant(99, &value));
}

TEST(SpirvModule, AnIdIsDefinedOnceWithinTheBound) {
  SpirvModule m = Everything();
  const SpirvDef type = {SpirvDef::kType, 0};
  EXPECT_EQ(m.Define(0, type).message(), "result id outside the id bound");
  EXPECT_EQ(m.Define(m.bound, type).message(), "result id outside the id bound");
  EXPECT_EQ(m.Define(4, type).message(), "id defined twice");
  m.bound += 1;
  m.defs.resize(m.bound);
  EXPECT_EQ(m.Define(m.bound - 1, type), absl::OkStatus());
  EXPECT_EQ(m.Type(m.bound - 1), &m.types[0]);
  EXPECT_EQ(m.Define(m.bound - 1, type).message(), "id defined twice");
}

TEST(SpirvModule, InstructionsAndCapabilities) {
  const SpirvModule m = Everything();
  EXPECT_TRUE(m.Declares(spv::Capability::Int64));
  EXPECT_FALSE(m.Declares(spv::Capability::Float64));
  ASSERT_FALSE(m.body_offsets.empty());
  const SpirvInst last = m.Inst(m.body_offsets.back());
  EXPECT_EQ(last.op, spv::Op::OpReturn);
  EXPECT_EQ(last.words.size(), 1u);
  EXPECT_EQ(last.result, 0u);
}

}  // namespace
}  // namespace kiln::front
