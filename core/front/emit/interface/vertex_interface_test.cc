// Tests attributes and outputs at locations: which exist, and their loads and stores.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/fragment_testing.h"

namespace kiln::front {
namespace {

// Returns the module's text before its body, or the error.
std::string Head(const FragmentParts& parts) {
  const std::string text = VertexText(parts);
  return text.substr(0, text.find("body {"));
}

// Attributes differ from a fragment's inputs: they are not interpolated, and integers are not flat.
TEST(Attributes, OfEachType) {
  EXPECT_EQ(VertexText({.declarations = R"(
      OpDecorate %i Location 0
      OpDecorate %h Location 1
      OpDecorate %m Location 2
      OpDecorate %o Location 0
      OpDecorate %o Component 1
      %half = OpTypeFloat 16
      %mat = OpTypeMatrix %v2float 3
      %in_half = OpTypePointer Input %half
      %in_mat = OpTypePointer Input %mat
      %i = OpVariable %in_int Input
      %h = OpVariable %in_half Input
      %m = OpVariable %in_mat Input
      %o = OpVariable %out_float Output)",
                        .main = R"(
      %n = OpLoad %int %i
      %a = OpLoad %half %h
      %w = OpFConvert %float %a
      %p = OpAccessChain %in_float %m %n %u_1
      %b = OpLoad %float %p
      %s = OpFAdd %float %b %w
      OpStore %o %s
      OpReturn)",
                        .preamble = "OpCapability StorageInputOutput16\nOpCapability Float16\n"
                                    "OpExtension \"SPV_KHR_16bit_storage\"\n"}),
            R"(
input 0 location 0.0 i32 x1
input 1 location 1.0 f16 x1
input 2 location 2.0 f32 x2 array 3
output 0 location 0.1 f32 x1
needs half_floats
body {
  %0:i32 = load_input[0, 0]
  %1:f16 = load_input[1, 0]
  %2:f32 = f2f %1
  %3:f32 = load_input.indexed[2, 1] %0
  %4:f32 = fadd %3, %2
  store_output[0, 0] %4
  return
}
)");
}

constexpr char kLongTypes[] = R"(
      %long = OpTypeInt 64 0
      %v3long = OpTypeVector %long 3
      %in_long = OpTypePointer Input %long
      %in_v3long = OpTypePointer Input %v3long
      %out_long = OpTypePointer Output %long
      %out_v3long = OpTypePointer Output %v3long
)";

// The third component of the vector is in the next location, which it shares with the next dwords.
TEST(Attributes, Of64BitsAreDwords) {
  EXPECT_EQ(VertexText({.declarations = std::string(kLongTypes) + R"(
      OpDecorate %v Location 1
      OpDecorate %w Location 2
      OpDecorate %w Component 2
      OpDecorate %o Location 4
      OpDecorate %o Component 2
      %v = OpVariable %in_v3long Input
      %w = OpVariable %in_v2float Input
      %o = OpVariable %out_long Output)",
                        .main = R"(
      %a = OpLoad %v3long %v
      %z = OpCompositeExtract %long %a 2
      %y = OpCompositeExtract %long %a 1
      %s = OpIAdd %long %z %y
      OpStore %o %s
      %f = OpLoad %v2float %w
      %g = OpCompositeConstruct %v4float %f %f
      OpStore %color %g
      OpReturn)",
                        .preamble = "OpCapability Int64\n"}),
            R"(
input 0 location 1.0 i32 x4
input 1 location 2.0 i32 x2
input 2 location 2.2 f32 x2
output 0 location 0.0 f32 x4
output 1 location 4.2 i32 x2
body {
  %0:i32, %1:i32, %2:i32, %3:i32 = load_input[0, 0]
  %4:i32, %5:i32 = load_input[1, 0]
  %6:i64 = zext %0
  %7:i64 = zext %1
  %8:i64 = shl %7, 32
  %9:i64 = or %6, %8
  %10:i64 = zext %2
  %11:i64 = zext %3
  %12:i64 = shl %11, 32
  %13:i64 = or %10, %12
  %14:i64 = zext %4
  %15:i64 = zext %5
  %16:i64 = shl %15, 32
  %17:i64 = or %14, %16
  %18:i64 = iadd %17, %13
  %19:f32, %20:f32 = load_input[2, 0]
  store_output[0, 0] %19, %20, %19, %20
  %21:i32 = trunc %18
  %22:i64 = ushr %18, 32
  %23:i32 = trunc %22
  store_output[1, 0] %21, %23
  return
}
)");
}

TEST(Attributes, DoublesAreDwords) {
  EXPECT_EQ(VertexText({.declarations = R"(
      %double = OpTypeFloat 64
      %in_double = OpTypePointer Input %double
      %out_double = OpTypePointer Output %double
      OpDecorate %v Location 1
      OpDecorate %o Location 4
      %v = OpVariable %in_double Input
      %o = OpVariable %out_double Output)",
                        .main = R"(
      %a = OpLoad %double %v
      %s = OpFNegate %double %a
      OpStore %o %s
      OpReturn)",
                        .preamble = "OpCapability Float64\n"}),
            R"(
input 0 location 1.0 i32 x2
output 0 location 4.0 i32 x2
needs float64
body {
  %0:i32, %1:i32 = load_input[0, 0]
  %2:i64 = zext %0
  %3:i64 = zext %1
  %4:i64 = shl %3, 32
  %5:i64 = or %2, %4
  %6:f64 = bitcast %5
  %7:f64 = fneg %6
  %8:i64 = bitcast %7
  %9:i32 = trunc %8
  %10:i64 = ushr %8, 32
  %11:i32 = trunc %10
  store_output[0, 0] %9, %11
  return
}
)");
}

TEST(Attributes, Of64BitsInArrays) {
  const auto text = [](const std::string& type, const std::string& chain) {
    return Head({.declarations = std::string(kLongTypes) + "OpDecorate %4 Location 1\n" +
                                 "OpDecorate %i Location 0\nOpDecorate %o Location 0\n" +
                                 "%array = OpTypeArray " + type +
                                 " %u_2\n%in_array = OpTypePointer Input %array\n" +
                                 "%4 = OpVariable %in_array Input\n" +
                                 "%i = OpVariable %in_int Input\n" +
                                 "%o = OpVariable %out_long Output\n",
                 .main = "%n = OpLoad %int %i\n%p = OpAccessChain %in_long %4 " + chain +
                         "\n%x = OpLoad %long %p\nOpStore %o %x\nOpReturn",
                 .preamble = "OpCapability Int64\n"});
  };
  EXPECT_EQ(text("%long", "%n"), R"(
input 0 location 0.0 i32 x1
input 1 location 1.0 i32 x2 array 2
output 0 location 0.0 i32 x2
)");
  // The second element begins two locations after the first.
  EXPECT_EQ(text("%v3long", "%u_1 %u_2"), R"(
input 0 location 4.0 i32 x2
output 0 location 0.0 i32 x2
)");
  EXPECT_EQ(text("%v3long", "%n %u_2"),
            "int64_interface: dynamically indexed element of an array of 64-bit inputs (%4)");
}

TEST(Attributes, WhatTheyCannotBe) {
  const auto fault = [](const std::string& type, const std::string& decorations) {
    return VertexText({.declarations = std::string(kLongTypes) + decorations +
                                       "%p_x = OpTypePointer Input " + type +
                                       "\n%7 = OpVariable %p_x Input\n",
                       .main = "%value = OpLoad " + type + " %7\nOpReturn",
                       .preamble = "OpCapability Int64\n"});
  };
  EXPECT_EQ(fault("%float", ""), "input or output has no location (%7)");
  EXPECT_EQ(fault("%bool", "OpDecorate %7 Location 0\n"),
            "input or output has a type that is not allowed (%7)");
  EXPECT_EQ(fault("%long", "OpDecorate %7 Location 0\nOpDecorate %7 Component 1\n"),
            "components extend beyond their location (%7)");
  EXPECT_EQ(fault("%v3long", "OpDecorate %7 Location 0\nOpDecorate %7 Component 2\n"),
            "components extend beyond their location (%7)");
  EXPECT_EQ(fault("%v3long", "OpDecorate %7 Location 4095\n"), "location exceeds the maximum (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 0\nOpDecorate %7 Index 1\n"),
            "output index is not 0 or 1, or the variable is not a fragment output (%7)");
}

// Parts that no path writes are not stored; the others are stored once, at the end.
TEST(VertexOutputs, InPartsBranchesAndLoops) {
  EXPECT_EQ(VertexText({.declarations = R"(
      OpDecorate %i Location 0
      OpDecorate %m Location 1
      %mat = OpTypeMatrix %v3float 2
      %out_mat = OpTypePointer Output %mat
      %i = OpVariable %in_int Input
      %m = OpVariable %out_mat Output)",
                        .main = R"(
      %n = OpLoad %int %i
      %x = OpAccessChain %out_float %color %u_0
      %y = OpAccessChain %out_float %m %u_1 %u_2
      OpStore %x %f_0
      OpBranch %head
      %head = OpLabel
      %k = OpPhi %int %i_0 %entry %next %body
      %more = OpSLessThan %bool %k %n
      OpLoopMerge %done %body None
      OpBranchConditional %more %body %done
      %body = OpLabel
      %old = OpLoad %float %x
      %new = OpFAdd %float %old %f_half
      OpStore %x %new
      %next = OpIAdd %int %k %i_1
      OpBranch %head
      %done = OpLabel
      OpStore %y %f_1
      OpReturn)"}),
            R"(
input 0 location 0.0 i32 x1
output 0 location 0.0 f32 x4
output 1 location 2.0 f32 x3
body {
  %0:i32 = load_input[0, 0]
  %1:f32 = loop (%2:f32 = 0f, %3:i32 = 0) {
    %4:bool = slt %3, %0
    if %4 {
      yield
    } else {
      break %2
    }
    %5:f32 = fadd %2, 0.5f
    %6:i32 = iadd %3, 1
    continue %5, %6
  }
  store_output[0, 0] %1
  store_output[1, 2] 1f
  return
}
)");
}

}  // namespace
}  // namespace kiln::front
