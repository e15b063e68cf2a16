// Tests operations that move parts of composites, selects, and operands that do not fit;
// constant_ops_test.cc tests the arithmetic of single scalars.
#include "core/front/spirv/spirv_spec_ops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// %1 bool, %2 uint, %3 uvec3, %4 bvec3, %5 a struct of uint and uvec3, %6 float, %7 double; %10 ...
// %12 are 0, 1, 2; %13 is (0, 1, 2), %14 (2, 2, 1), %15 {1, (0, 1, 2)}, %16 {2, (2, 2, 1)}; %17
// true, %18 false; %19 (true, false, true); %20 0.0, %22 1.0; %21 is 1.5, a double; %23 is of
// eight components, which is not supported.
constexpr char kBasics[] = R"(
    %1 = OpTypeBool
    %2 = OpTypeInt 32 0
    %3 = OpTypeVector %2 3
    %4 = OpTypeVector %1 3
    %5 = OpTypeStruct %2 %3
    %6 = OpTypeFloat 32
    %7 = OpTypeFloat 64
    %10 = OpConstant %2 0
    %11 = OpConstant %2 1
    %12 = OpConstant %2 2
    %13 = OpConstantComposite %3 %10 %11 %12
    %14 = OpConstantComposite %3 %12 %12 %11
    %15 = OpConstantComposite %5 %11 %13
    %16 = OpConstantComposite %5 %12 %14
    %17 = OpConstantTrue %1
    %18 = OpConstantFalse %1
    %19 = OpConstantComposite %4 %17 %18 %17
    %20 = OpConstant %6 0
    %21 = OpConstant %7 1.5
    %22 = OpConstant %6 1
    %8 = OpTypeVector %2 8
    %23 = OpConstantNull %8
)";

struct Row {
  const char* operation;  // "type opcode operands"
  std::vector<uint64_t> leaves;
};

TEST(SpirvSpecOps, Values) {
  for (const Row& row : std::vector<Row>{
           {"%2 CompositeExtract %13 2", {2}},
           {"%2 CompositeExtract %15 1 1", {1}},
           {"%3 CompositeExtract %15 1", {0, 1, 2}},
           {"%5 CompositeExtract %15", {1, 0, 1, 2}},
           {"%3 CompositeInsert %12 %13 0", {2, 1, 2}},
           {"%5 CompositeInsert %14 %15 1", {1, 2, 2, 1}},
           {"%5 CompositeInsert %12 %15 1 2", {1, 0, 1, 2}},
           {"%3 VectorShuffle %13 %14 5 0 3", {1, 0, 2}},
           {"%3 VectorShuffle %13 %14 0xffffffff 1 1", {0, 1, 1}},
           {"%2 Select %17 %11 %12", {1}},
           {"%2 Select %18 %11 %12", {2}},
           {"%3 Select %19 %13 %14", {0, 2, 2}},
           {"%3 Select %18 %13 %14", {2, 2, 1}},
           {"%5 Select %17 %15 %16", {1, 0, 1, 2}},
           {"%3 IAdd %13 %14", {2, 3, 3}},
           {"%4 ULessThan %13 %14", {1, 1, 0}},
           {"%2 UDiv %12 %10", {0}},
           {"%6 FConvert %21", {0x3fc00000}},
           {"%7 FConvert %22", {0x3ff0000000000000}},
           {"%7 Select %17 %21 %21", {0x3ff8000000000000}},
       }) {
    const auto module =
        ParseSpirv(Assemble(kBasics + ("%30 = OpSpecConstantOp " + std::string(row.operation))));
    ASSERT_TRUE(module.ok()) << module.status() << " " << row.operation;
    const SpirvConstant& c = *module->Constant(30);
    ASSERT_EQ(c.kind, SpirvConstant::kLeaves) << row.operation;
    std::vector<uint64_t> leaves;
    for (uint32_t i = 0; i < module->Type(c.type)->leaves; ++i) {
      leaves.push_back(module->ConstantLeaf(c, i));
    }
    EXPECT_EQ(leaves, row.leaves) << row.operation;
    EXPECT_TRUE(module->spec_dependent[module->Def(30).index]);
  }
}

TEST(SpirvSpecOps, WhatDoesNotFit) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"%2 IAdd %11 %31", "operand is not a constant (%30)"},
      {"%2 IAdd %11 %2", "operand is not a constant (%30)"},
      {"%2 IAdd %11 %13", "operand does not match the result's type (%30)"},
      {"%3 IAdd %11 %13", "operand does not match the result's type (%30)"},
      {"%2 Select %11 %11 %11", "operand does not match the result's type (%30)"},
      {"%2 Select %17 %11 %20", "operand does not match the result's type (%30)"},
      {"%5 Select %19 %15 %15", "operand does not match the result's type (%30)"},
      {"%5 IAdd %15 %15", "arithmetic on a type that is neither a scalar nor a vector (%30)"},
      {"%2 CompositeExtract %31 0", "operand is not a constant (%30)"},
      {"%2 CompositeExtract %13 3", "index outside the composite (%30)"},
      {"%2 CompositeExtract %15 2", "index outside the composite (%30)"},
      {"%2 CompositeExtract %11 0", "index outside the composite (%30)"},
      {"%3 CompositeExtract %13 0", "extracted element is not of the result type (%30)"},
      {"%3 CompositeInsert %20 %13 0", "inserted object is not of the element's type (%30)"},
      {"%5 CompositeInsert %11 %13 0", "inserted object is not of the element's type (%30)"},
      {"%3 VectorShuffle %13 %14 0 1",
       "shuffle's number of components differs from its type's (%30)"},
      {"%3 VectorShuffle %13 %14 0 1 6", "shuffle index exceeds the number of components (%30)"},
      {"%3 VectorShuffle %13 %11 0 1 2", "shuffle of an operand that is not a vector (%30)"},
  };
  for (const auto& [operation, error] : rows) {
    EXPECT_EQ(ReadError(kBasics + ("%30 = OpSpecConstantOp " + std::string(operation))), error)
        << operation;
  }
}

// A constant computed from an unsupported one is unsupported too, with the same cause.
TEST(SpirvSpecOps, OutsideKilnsReach) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"%2 CompositeExtract %23 0", "kernel"},
      {"%8 IAdd %23 %23", "kernel"},
      {"%6 FAdd %20 %22", "kernel"},
  };
  for (const auto& [operation, cause] : rows) {
    const auto module =
        ParseSpirv(Assemble(kBasics + ("%30 = OpSpecConstantOp " + std::string(operation))));
    ASSERT_TRUE(module.ok()) << module.status() << " " << operation;
    EXPECT_EQ(module->Constant(30)->kind, SpirvConstant::kUnsupported) << operation;
    EXPECT_EQ(module->Constant(30)->cause, cause) << operation;
  }
}

}  // namespace
}  // namespace kiln::front
