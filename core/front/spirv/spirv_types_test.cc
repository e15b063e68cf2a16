#include "core/front/spirv/spirv_types.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// %1 void, %2 bool, %3 uint, %4 float, %5 a function, %6 uvec4, %7 vec2, %8 the constant 3.
constexpr char kBasics[] = R"(
    %1 = OpTypeVoid
    %2 = OpTypeBool
    %3 = OpTypeInt 32 0
    %4 = OpTypeFloat 32
    %5 = OpTypeFunction %1
    %6 = OpTypeVector %3 4
    %7 = OpTypeVector %4 2
    %8 = OpConstant %3 3
)";

SpirvModule Read(const std::string& text) {
  auto module = ParseSpirv(Assemble(kBasics + text));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : SpirvModule();
}

struct Refused {
  const char* text;
  const char* error;
};

TEST(SpirvTypes, WhatIsNoType) {
  for (const auto& [text, error] : std::vector<Refused>{
           {"%9 = OpTypeInt 24 0", "scalar type of an unknown width (%9)"},
           {"%9 = OpTypeFloat 8", "scalar type of an unknown width (%9)"},
           {"%9 = OpTypeVector %10 2", "component type is not a type (%9)"},
           {"%9 = OpTypeVector %8 2", "component type is not a type (%9)"},
           {"%9 = OpTypeVector %6 2", "vector or matrix has a wrong component type (%9)"},
           {"%9 = OpTypeVector %1 2", "vector or matrix has a wrong component type (%9)"},
           {"%9 = OpTypeMatrix %4 2", "vector or matrix has a wrong component type (%9)"},
           {"%9 = OpTypeMatrix %6 2", "matrix is not of floats (%9)"},
           {"%9 = OpTypeVector %3 1", "number of components is not from 2 to 16 (%9)"},
           {"%9 = OpTypeVector %3 17", "number of components is not from 2 to 16 (%9)"},
           {"%9 = OpTypeArray %10 %8", "array element is not a type (%9)"},
           {"%9 = OpTypeArray %1 %8", "array element is not a type (%9)"},
           {"%9 = OpTypeRuntimeArray %5", "array element is not a type (%9)"},
           {"%9 = OpTypeArray %3 %3", "array length is not a constant (%9)"},
           {"%10 = OpConstant %4 3\n%9 = OpTypeArray %3 %10",
            "array length is not a constant (%9)"},
           {"%10 = OpConstant %3 0\n%9 = OpTypeArray %3 %10", "array length is 0 (%9)"},
           {"%11 = OpTypeVector %3 8\n%10 = OpConstantNull %11\n%9 = OpTypeArray %3 %10",
            "kernel: array length (%9)"},
           {"%9 = OpTypeStruct %3 %10", "struct member is not a type (%9)"},
           {"%9 = OpTypeStruct %3 %1", "struct member is not a type (%9)"},
           {"%9 = OpTypeStruct %9", "struct member is not a type (%9)"},
           {"%9 = OpTypeFunction %8", "result type of a function is not a type (%9)"},
           {"%9 = OpTypeFunction %1 %3 %8", "type of a function parameter is not a type (%9)"},
           {"%9 = OpTypePointer Function %10", "pointer to an id that is not a type (%9)"},
           {"%9 = OpTypePointer PhysicalStorageBuffer %10",
            "pointer to an id that is not a type (%9)"},
           {"OpTypeForwardPointer %9 Function", "variable_pointers: forward-declared pointer (%9)"},
           {"OpTypeForwardPointer %9 PhysicalStorageBuffer",
            "forward-declared pointer is not of storage class PhysicalStorageBuffer (%9)"},
           {"OpTypeForwardPointer %9 PhysicalStorageBuffer\n%9 = OpTypePointer Function %3",
            "forward-declared pointer is not of storage class PhysicalStorageBuffer (%9)"},
       }) {
    EXPECT_EQ(ReadError(kBasics + std::string(text)), error) << text;
  }
}

TEST(SpirvTypes, CountsAreBounded) {
  std::string members = "%9 = OpTypeStruct";
  for (int i = 0; i < 0x4000; ++i) members += " %3";
  EXPECT_EQ(ReadError(kBasics + members), "too many struct members (%9)");
  std::string parameters = "%9 = OpTypeFunction %1";
  for (int i = 0; i < 255; ++i) parameters += " %3";
  EXPECT_EQ(ReadError(kBasics + parameters), "");
  EXPECT_EQ(ReadError(kBasics + parameters + " %3"), "too many parameters (%9)");
}

TEST(SpirvTypes, NestingIsBounded) {
  std::string text;
  for (int i = 100; i < 164; ++i) {
    text +=
        "%" + std::to_string(i) + " = OpTypeStruct %" + std::to_string(i == 100 ? 3 : i - 1) + "\n";
  }
  EXPECT_EQ(ReadError(kBasics + text), "");
  EXPECT_EQ(ReadError(kBasics + text + "%9 = OpTypeStruct %163"),
            "nesting_too_deep: nested types: 65, at most 64 (%9)");
}

TEST(SpirvTypes, Leaves) {
  const SpirvModule module = Read(R"(
    OpDecorate %10 ArrayStride 48
    OpMemberDecorate %11 1 Coherent
    %9 = OpTypeMatrix %7 3
    %10 = OpTypeArray %9 %8
    %11 = OpTypeStruct %3 %10 %6
    %12 = OpTypeRuntimeArray %11
    %13 = OpTypeStruct
    %20 = OpConstant %3 4000000000
    %21 = OpTypeArray %11 %20
  )");
  EXPECT_EQ(module.Type(9)->leaves, 6u);
  EXPECT_EQ(module.Type(10)->leaves, 18u);
  EXPECT_EQ(module.Type(10)->array_stride, 48u);
  const SpirvType& s = *module.Type(11);
  EXPECT_EQ(s.leaves, 23u);
  EXPECT_EQ(s.depth, 4u);  // a matrix contains vectors
  EXPECT_EQ(module.members[s.first_member + 1].leaf, 1u);
  EXPECT_EQ(module.members[s.first_member + 2].leaf, 19u);
  EXPECT_TRUE(s.has_coherent && !s.has_volatile);
  EXPECT_TRUE(module.Type(12)->has_coherent);
  EXPECT_EQ(module.Type(12)->unsupported, "composite_too_large");
  EXPECT_EQ(module.Type(13)->leaves, 0u);
  EXPECT_EQ(module.Type(21)->leaves, kMaxLeaves + 1);
}

TEST(SpirvTypes, OutsideKilnsReach) {
  const SpirvModule module = Read(R"(
    %9 = OpTypeFloat 64
    %10 = OpTypeVector %9 2
    %11 = OpTypeStruct %3 %10
    %12 = OpTypeVector %3 8
    %13 = OpTypePointer Function %3
    %14 = OpTypeEvent
  )");
  for (const uint32_t id : {9, 10, 11}) {
    EXPECT_EQ(module.Type(id)->unsupported, "") << id;
    EXPECT_TRUE(module.Type(id)->has_doubles) << id;
  }
  EXPECT_FALSE(module.Type(12)->has_doubles);
  EXPECT_EQ(module.Type(12)->unsupported, "kernel");
  EXPECT_EQ(module.Type(13)->unsupported, "variable_pointers");
  EXPECT_EQ(module.Type(14)->kind, SpirvType::kOpaque);
  EXPECT_NE(module.Type(14)->unsupported, "");
}

TEST(SpirvTypes, PointersAreValuesOfOneOrTwoLeaves) {
  const SpirvModule module = Read(R"(
    OpTypeForwardPointer %12 PhysicalStorageBuffer
    %9 = OpTypeStruct %3 %12
    %10 = OpTypePointer StorageBuffer %9
    %11 = OpTypePointer Workgroup %9
    %12 = OpTypePointer PhysicalStorageBuffer %9
    %13 = OpTypeArray %12 %8
  )");
  EXPECT_EQ(module.Type(9)->leaves, 2u);
  EXPECT_EQ(module.Type(10)->leaves, 2u);
  EXPECT_EQ(module.Type(11)->leaves, 2u);
  EXPECT_EQ(module.Type(12)->leaves, 1u);
  EXPECT_EQ(module.Type(12)->width, 64u);
  EXPECT_EQ(module.Type(13)->leaves, 3u);
}

// An array whose length was specialised to 0 has one element, which no valid access reaches.
TEST(SpirvTypes, ArraysSpecialisedToNoElements) {
  const std::string text =
      std::string(kBasics) +
      "OpDecorate %10 SpecId 4\n%10 = OpSpecConstant %3 5\n%9 = OpTypeArray %3 %10\n";
  const SpecConstant none[] = {{4, 0}};
  const SpecConstant seven[] = {{4, 7}};
  EXPECT_EQ(ParseSpirv(Assemble(text))->Type(9)->count, 5u);
  EXPECT_EQ(ParseSpirv(Assemble(text), seven)->Type(9)->count, 7u);
  EXPECT_EQ(ParseSpirv(Assemble(text), none)->Type(9)->count, 1u);
}

}  // namespace
}  // namespace kiln::front
