// Tests OpSpecConstantOp with every opcode that the SPIR-V specification allows there in shaders.
// Operands are specialised, so that their values are unknown when the module is assembled; the
// expected values are written out.
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

struct Case {
  const char* operation;  // text after OpSpecConstantOp
  uint32_t expected;      // as a uint; for a bool 0 or 1
};

// %a 7, %b 3 and %n -7 (as int) when specialised; %t true, %f false; %v (7, 3), %w (3, 7) of uints.
const char kConstants[] = R"(
    OpDecorate %a SpecId 0
    OpDecorate %b SpecId 1
    OpDecorate %n SpecId 2
    OpDecorate %m SpecId 3
    OpDecorate %t SpecId 4
    OpDecorate %f SpecId 5
    OpDecorate %x32 SpecId 6
    OpDecorate %x16 SpecId 7
    OpDecorate %s16 SpecId 8
    %half = OpTypeFloat 16
    %short = OpTypeInt 16 1
    %ushort = OpTypeInt 16 0
    %long = OpTypeInt 64 1
    %a = OpSpecConstant %uint 1000
    %b = OpSpecConstant %uint 1000
    %n = OpSpecConstant %int 1000
    %m = OpSpecConstant %int 1000
    %t = OpSpecConstantFalse %bool
    %f = OpSpecConstantTrue %bool
    %x32 = OpSpecConstant %float 0
    %x16 = OpSpecConstant %half 0
    %s16 = OpSpecConstant %short 0
    %v = OpSpecConstantComposite %v2uint %a %b
    %w = OpSpecConstantComposite %v2uint %b %a
    %tf = OpSpecConstantComposite %v2bool %t %f
)";

struct Given {
  float x32 = 0.1f;
  uint32_t x16 = 0x3e00;  // 1.5
};

// Returns the constant's value; `definitions` ends with %r, `read` converts it to the uint %result.
uint32_t Value(const std::string& definitions, const std::string& read, const Given& given = {}) {
  const Words words = Assemble(KernelAssembly(
      kConstants + definitions, read, true, "",
      "OpCapability Shader\nOpCapability Float16\nOpCapability Int16\nOpCapability Int64\n"));
  ImportOptions options;
  options.spec_constants = {{0, 7},
                            {1, 3},
                            {2, static_cast<uint32_t>(-7)},
                            {3, 3},
                            {4, 1},
                            {5, 0},
                            {6, std::bit_cast<uint32_t>(given.x32)},
                            {7, given.x16},
                            {8, static_cast<uint32_t>(-2)}};
  const auto module = ImportVerified(words, options);
  if (!module.ok()) {
    ADD_FAILURE() << module.status() << definitions;
    return 0xdeadbeef;
  }
  const auto output = RunWords(*module, Words(32), 32);
  EXPECT_TRUE(output.ok()) << output.status();
  return output.ok() ? (*output)[0] : 0xdeadbeef;
}

TEST(ConstantOps, Integers) {
  const Case cases[] = {
      {"SNegate %a", static_cast<uint32_t>(-7)},
      {"Not %a", ~7u},
      {"IAdd %a %b", 10},
      {"ISub %b %a", static_cast<uint32_t>(-4)},
      {"IMul %a %b", 21},
      {"UDiv %a %b", 2},
      {"UMod %a %b", 1},
      {"ShiftRightLogical %a %b", 0},
      {"ShiftLeftLogical %a %b", 56},
      {"BitwiseOr %a %b", 7},
      {"BitwiseXor %a %b", 4},
      {"BitwiseAnd %a %b", 3},
      {"Select %t %a %b", 7},
      {"Select %f %a %b", 3},
      {"CompositeExtract %v 1", 3},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Value("%r = OpSpecConstantOp %uint " + std::string(c.operation) + "\n",
                    "%result = OpIAdd %uint %r %u_0\n"),
              c.expected)
        << c.operation;
  }
}

TEST(ConstantOps, SignedIntegers) {
  const Case cases[] = {
      {"SDiv %n %m", static_cast<uint32_t>(-2)},
      {"SRem %n %m", static_cast<uint32_t>(-1)},
      {"SMod %n %m", 2},
      {"ShiftRightArithmetic %n %m", static_cast<uint32_t>(-1)},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Value("%r = OpSpecConstantOp %int " + std::string(c.operation) + "\n",
                    "%result = OpBitcast %uint %r\n"),
              c.expected)
        << c.operation;
  }
}

TEST(ConstantOps, Bools) {
  const Case cases[] = {
      {"LogicalOr %t %f", 1},
      {"LogicalOr %f %f", 0},
      {"LogicalAnd %t %f", 0},
      {"LogicalAnd %t %t", 1},
      {"LogicalNot %f", 1},
      {"LogicalNot %t", 0},
      {"LogicalEqual %t %t", 1},
      {"LogicalEqual %t %f", 0},
      {"LogicalNotEqual %t %f", 1},
      {"LogicalNotEqual %f %f", 0},
      {"IEqual %a %a", 1},
      {"IEqual %a %b", 0},
      {"INotEqual %a %b", 1},
      {"INotEqual %a %a", 0},
      {"ULessThan %b %a", 1},
      {"ULessThan %a %n", 1},
      {"SLessThan %n %m", 1},
      {"SLessThan %m %n", 0},
      {"UGreaterThan %a %b", 1},
      {"UGreaterThan %m %n", 0},
      {"SGreaterThan %m %n", 1},
      {"SGreaterThan %n %m", 0},
      {"ULessThanEqual %a %a", 1},
      {"ULessThanEqual %a %b", 0},
      {"SLessThanEqual %n %n", 1},
      {"SLessThanEqual %m %n", 0},
      {"UGreaterThanEqual %a %a", 1},
      {"UGreaterThanEqual %b %a", 0},
      {"SGreaterThanEqual %m %n", 1},
      {"SGreaterThanEqual %n %m", 0},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Value("%r = OpSpecConstantOp %bool " + std::string(c.operation) + "\n",
                    "%result = OpSelect %uint %r %u_1 %u_0\n"),
              c.expected)
        << c.operation;
  }
}

TEST(ConstantOps, WidthsOfIntegers) {
  EXPECT_EQ(Value("%r = OpSpecConstantOp %int SConvert %s16\n", "%result = OpBitcast %uint %r\n"),
            static_cast<uint32_t>(-2));
  EXPECT_EQ(
      Value("%u = OpSpecConstantOp %ushort UConvert %n\n%r = OpSpecConstantOp %uint UConvert %u\n",
            "%result = OpIAdd %uint %r %u_0\n"),
      0xfff9u);
  EXPECT_EQ(Value("%l = OpSpecConstantOp %long SConvert %n\n"
                  "%s = OpSpecConstantOp %long ShiftRightLogical %l %m\n"
                  "%r = OpSpecConstantOp %int SConvert %s\n",
                  "%result = OpBitcast %uint %r\n"),
            0xffffffffu);
}

TEST(ConstantOps, PartsOfComposites) {
  // (9, 3) and (3, 7): components 3, 0 and 1 of the four.
  EXPECT_EQ(Value("%i = OpSpecConstantOp %v2uint CompositeInsert %u_9 %v 0\n"
                  "%r = OpSpecConstantOp %v3uint VectorShuffle %i %w 3 0 1\n",
                  "%e0 = OpCompositeExtract %uint %r 0\n%e1 = OpCompositeExtract %uint %r 1\n"
                  "%e2 = OpCompositeExtract %uint %r 2\n%m0 = OpIMul %uint %e0 %u_9\n"
                  "%m1 = OpIMul %uint %m0 %u_9\n%m2 = OpIMul %uint %e1 %u_9\n"
                  "%s = OpIAdd %uint %m1 %m2\n%result = OpIAdd %uint %s %e2\n"),
            7u * 81 + 9 * 9 + 3);
}

TEST(ConstantOps, Vectors) {
  const char kSum[] =
      "%e0 = OpCompositeExtract %uint %r 0\n%e1 = OpCompositeExtract %uint %r 1\n"
      "%tens = OpIMul %uint %e0 %u_9\n%result = OpIAdd %uint %tens %e1\n";
  EXPECT_EQ(Value("%r = OpSpecConstantOp %v2uint ISub %v %w\n", kSum), 4u * 9 - 4);
  EXPECT_EQ(Value("%r = OpSpecConstantOp %v2uint Select %tf %v %w\n", kSum), 7u * 9 + 7);
  EXPECT_EQ(Value("%r = OpSpecConstantOp %v2uint Select %f %v %w\n", kSum), 3u * 9 + 7);
}

// A scalar condition selects whole arrays, structures and matrices, since SPIR-V 1.4.
TEST(ConstantOps, ChoosesWholeComposites) {
  const char kTypes[] = R"(
    %array = OpTypeArray %uint %u_2
    %struct = OpTypeStruct %uint %array
    %p = OpSpecConstantComposite %array %a %b
    %q = OpSpecConstantComposite %array %b %a
    %ps = OpSpecConstantComposite %struct %u_9 %p
    %qs = OpSpecConstantComposite %struct %u_3 %q
)";
  const char kSecond[] = "%result = OpCompositeExtract %uint %r 1\n";
  EXPECT_EQ(Value(std::string(kTypes) + "%r = OpSpecConstantOp %array Select %t %p %q\n", kSecond),
            3u);
  EXPECT_EQ(Value(std::string(kTypes) + "%r = OpSpecConstantOp %array Select %f %p %q\n", kSecond),
            7u);
  const char kSum[] =
      "%e0 = OpCompositeExtract %uint %r 0\n%e1 = OpCompositeExtract %uint %r 1 1\n"
      "%tens = OpIMul %uint %e0 %u_9\n%result = OpIAdd %uint %tens %e1\n";
  EXPECT_EQ(Value(std::string(kTypes) + "%r = OpSpecConstantOp %struct Select %t %ps %qs\n", kSum),
            9u * 9 + 3);
  EXPECT_EQ(Value(std::string(kTypes) + "%r = OpSpecConstantOp %struct Select %f %ps %qs\n", kSum),
            3u * 9 + 7);
}

TEST(ConstantOps, FloatsAreChosenBitByBit) {
  EXPECT_EQ(
      Value("%c = OpSpecConstantOp %float Select %t %x32 %x32\n", "%result = OpBitcast %uint %c\n"),
      std::bit_cast<uint32_t>(0.1f));
}

uint32_t Float(const std::string& definitions, const Given& given = {}) {
  return Value(definitions, "%result = OpBitcast %uint %r\n", given);
}

TEST(ConstantOps, WidthsOfFloats) {
  EXPECT_EQ(Float("%r = OpSpecConstantOp %float FConvert %x16\n"), 0x3fc00000u);
  const char kThere[] =
      "%h = OpSpecConstantOp %half FConvert %x32\n%r = OpSpecConstantOp %float FConvert %h\n";
  EXPECT_EQ(Float(kThere), 0x3dccc000u);                     // 0.1 as a half
  EXPECT_EQ(Float(kThere, {.x32 = 65519.0f}), 0x477fe000u);  // 65504
  EXPECT_EQ(Float(kThere, {.x32 = 65520.0f}), 0x7f800000u);
  EXPECT_EQ(Float(kThere, {.x32 = -2049.0f}), 0xc5000000u);  // to even
  EXPECT_EQ(Float(kThere, {.x32 = 0x1p-24f}), 0x33800000u);  // the smallest half
  EXPECT_EQ(Float("%r = OpSpecConstantOp %float FConvert %x16\n", {.x16 = 0xfc00}), 0xff800000u);
  EXPECT_EQ(Float("%r = OpSpecConstantOp %float FConvert %x16\n", {.x16 = 0x0001}), 0x33800000u);
}

TEST(ConstantOps, Quantization) {
  const char kQuantized[] = "%r = OpSpecConstantOp %float QuantizeToF16 %x32\n";
  EXPECT_EQ(Float(kQuantized), 0x3dccc000u);
  EXPECT_EQ(Float(kQuantized, {.x32 = -65520.0f}), 0xff800000u);
  EXPECT_EQ(Float(kQuantized, {.x32 = 0x1p-14f}), 0x38800000u);
  // Too small for a normal half, so zero.
  EXPECT_EQ(Float(kQuantized, {.x32 = 0x1p-15f}), 0u);
  EXPECT_EQ(Float(kQuantized, {.x32 = -0x1.8p-20f}), 0x80000000u);
}

// Converts a whole vector, as glslang writes f16vec2(v).
TEST(ConstantOps, VectorsOfFloats) {
  EXPECT_EQ(Value("%v2half = OpTypeVector %half 2\n"
                  "%c = OpSpecConstantComposite %v2float %x32 %f_2\n"
                  "%h = OpSpecConstantOp %v2half FConvert %c\n"
                  "%r = OpSpecConstantOp %v2float FConvert %h\n",
                  "%e0 = OpCompositeExtract %float %r 0\n%e1 = OpCompositeExtract %float %r 1\n"
                  "%s = OpFAdd %float %e0 %e1\n%result = OpBitcast %uint %s\n",
                  {.x32 = 0.5f}),
            std::bit_cast<uint32_t>(2.5f));
}

}  // namespace
}  // namespace kiln::front
