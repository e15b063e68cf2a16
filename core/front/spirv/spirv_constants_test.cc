#include "core/front/spirv/spirv_constants.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// %1 bool, %2 uint, %3 ulong, %4 short, %5 float, %6 uvec2, %7 a struct of uint and uvec2, %8
// double; %9 and %10 are 7 and 8.
constexpr char kBasics[] = R"(
    %1 = OpTypeBool
    %2 = OpTypeInt 32 0
    %3 = OpTypeInt 64 0
    %4 = OpTypeInt 16 1
    %5 = OpTypeFloat 32
    %6 = OpTypeVector %2 2
    %7 = OpTypeStruct %2 %6
    %8 = OpTypeFloat 64
    %9 = OpConstant %2 7
    %10 = OpConstant %2 8
)";

SpirvModule Read(const std::string& text, absl::Span<const SpecConstant> given = {}) {
  auto module = ParseSpirv(Assemble(kBasics + text), given);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : SpirvModule();
}

std::vector<uint64_t> Leaves(const SpirvModule& module, uint32_t id) {
  const SpirvConstant& c = *module.Constant(id);
  std::vector<uint64_t> leaves;
  for (uint32_t i = 0; i < module.Type(c.type)->leaves; ++i) {
    leaves.push_back(module.ConstantLeaf(c, i));
  }
  return leaves;
}

using Bits = std::vector<uint64_t>;

TEST(SpirvConstants, LeavesInOrder) {
  const SpirvModule module = Read(R"(
    %11 = OpConstantTrue %1
    %12 = OpConstant %3 0x100000002
    %13 = OpConstant %4 -2
    %14 = OpConstant %5 1
    %15 = OpConstantComposite %6 %10 %9
    %16 = OpConstantComposite %7 %9 %15
    %17 = OpConstantNull %6
    %18 = OpConstantComposite %7 %9 %17
    %19 = OpUndef %6
  )");
  EXPECT_EQ(Leaves(module, 11), Bits{1});
  EXPECT_EQ(Leaves(module, 12), Bits{0x100000002});
  EXPECT_EQ(Leaves(module, 13), Bits{0xfffe});  // bits beyond the width are 0
  EXPECT_EQ(Leaves(module, 14), Bits{0x3f800000});
  EXPECT_EQ(Leaves(module, 15), (Bits{8, 7}));
  EXPECT_EQ(Leaves(module, 16), (Bits{7, 8, 7}));
  EXPECT_EQ(Leaves(module, 17), (Bits{0, 0}));
  EXPECT_EQ(module.Constant(17)->kind, SpirvConstant::kNull);
  EXPECT_EQ(Leaves(module, 18), (Bits{7, 0, 0}));
  EXPECT_EQ(module.Constant(19)->kind, SpirvConstant::kUndef);
}

TEST(SpirvConstants, GivenValuesTakeThePlaceOfLiterals) {
  const char* text = R"(
    OpDecorate %11 SpecId 1
    OpDecorate %12 SpecId 2
    OpDecorate %13 SpecId 3
    OpDecorate %14 SpecId 1
    %11 = OpSpecConstant %2 5
    %12 = OpSpecConstantFalse %1
    %13 = OpSpecConstant %4 5
    %14 = OpConstant %2 5
    %15 = OpSpecConstantComposite %6 %11 %14
  )";
  const SpecConstant given[] = {{1, 0x500000009}, {2, 4}, {3, 0xffffffff}, {1, 3}, {9, 9}};
  const SpirvModule module = Read(text, given);
  EXPECT_EQ(Leaves(module, 11), Bits{9});  // cut to its width; the first of two values counts
  EXPECT_EQ(Leaves(module, 12), Bits{1});
  EXPECT_EQ(Leaves(module, 13), Bits{0xffff});
  EXPECT_EQ(Leaves(module, 14), Bits{5});  // no specialisation constant
  EXPECT_EQ(Leaves(module, 15), (Bits{9, 5}));
  EXPECT_EQ(Leaves(Read(text), 15), (Bits{5, 5}));
  EXPECT_TRUE(module.Constant(11)->specialisable && module.Constant(12)->specialisable);
  EXPECT_FALSE(module.Constant(14)->specialisable || module.Constant(15)->specialisable);
}

TEST(SpirvConstants, Doubles) {
  const SpirvModule module = Read(R"(
    %11 = OpConstant %8 -1.5
    %12 = OpTypeVector %8 2
    %13 = OpConstantNull %8
    %14 = OpConstantComposite %12 %11 %13
  )");
  EXPECT_EQ(Leaves(module, 11), Bits{0xbff8000000000000});
  EXPECT_EQ(Leaves(module, 14), (Bits{0xbff8000000000000, 0}));
}

TEST(SpirvConstants, OutsideKilnsReach) {
  const SpirvModule module = Read(R"(
    %16 = OpTypeVector %2 8
    %11 = OpConstantNull %16
    %12 = OpUndef %16
    %13 = OpConstant %2 65537
    %14 = OpTypeArray %2 %13
    %15 = OpConstantNull %14
  )");
  EXPECT_EQ(module.Constant(11)->kind, SpirvConstant::kUnsupported);
  EXPECT_EQ(module.Constant(11)->cause, "kernel");
  EXPECT_EQ(module.Constant(12)->cause, "kernel");
  EXPECT_EQ(module.Constant(15)->kind, SpirvConstant::kNull);
  uint32_t value = 0;
  EXPECT_FALSE(module.IntConstant(11, &value));
  EXPECT_TRUE(module.IntConstant(13, &value));
  EXPECT_EQ(value, 65537u);
}

TEST(SpirvConstants, WhatIsNoConstant) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"%11 = OpConstantTrue %2", "constant is not of its type (%11)"},
      {"%11 = OpConstantComposite %6 %9",
       "composite constant has the wrong number of constituents (%11)"},
      {"%11 = OpConstantComposite %6 %9 %9 %9",
       "composite constant has the wrong number of constituents (%11)"},
      {"%11 = OpConstantComposite %2 %9",
       "composite constant has the wrong number of constituents (%11)"},
      {"%11 = OpConstantComposite %6 %9 %12", "constituent is not of its composite's type (%11)"},
      {"%11 = OpConstantComposite %6 %9 %2", "constituent is not of its composite's type (%11)"},
      {"%12 = OpConstantTrue %1\n%11 = OpConstantComposite %6 %9 %12",
       "constituent is not of its composite's type (%11)"},
      {"%12 = OpTypeVoid\n%11 = OpConstantNull %12", "constant of a type without values (%11)"},
      {"%11 = OpIAdd %2 %9 %9", "OpIAdd outside functions (%11)"},
  };
  for (const auto& [text, error] : rows) {
    EXPECT_EQ(ReadError(kBasics + std::string(text)), error) << text;
  }
}

// 65,536 leaves each, in a pool of 4 million.
TEST(SpirvConstants, ThePoolIsBounded) {
  std::string text =
      "%11 = OpConstant %2 65536\n%12 = OpTypeArray %2 %11\n%13 = OpConstantNull %12\n"
      "%14 = OpTypeStruct %12\n";
  for (int i = 0; i < 64; ++i) {
    text += "%" + std::to_string(100 + i) + " = OpConstantComposite %14 %13\n";
  }
  EXPECT_EQ(ReadError(kBasics + text + "%15 = OpConstantNull %14\n"),
            "module_too_large: scalars of constants: 4194307, at most 4194304 (%163)");
}

}  // namespace
}  // namespace kiln::front
