// Tests inputs of fragment shaders: the locations of their parts, and the loads.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/fragment_testing.h"

namespace kiln::front {
namespace {

// Imports an input at location 1 of a type that the test declares as %t; the value that the test
// puts into %value, a float, is stored to %color.x.
std::string InputText(const std::string& declarations, const std::string& main) {
  return FragmentText({.declarations = declarations +
                                       "\n%p_x = OpTypePointer Input %t\n"
                                       "%7 = OpVariable %p_x Input\nOpDecorate %7 Location 1\n",
                       .main = main + "\n%red = OpAccessChain %out_float %color %u_0\n"
                                      "OpStore %red %value\nOpReturn"});
}

TEST(Inputs, LocationsComponentsAndPlaces) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %a Location 3
      OpDecorate %a Component 1
      OpDecorate %a Centroid
      OpDecorate %a RelaxedPrecision
      OpDecorate %b Location 2
      OpDecorate %b NoPerspective
      OpDecorate %b Sample
      OpDecorate %c Location 4
      OpDecorate %d Location 5
      OpDecorate %d Flat
      OpDecorate %d Centroid
      OpDecorate %unused Location 6
      %a = OpVariable %in_v3float Input
      %b = OpVariable %in_float Input
      %c = OpVariable %in_uint Input
      %d = OpVariable %in_float Input
      %unused = OpVariable %in_float Input)",
                          .main = R"(
      %la = OpLoad %v3float %a
      %lb = OpLoad %float %b
      %lc = OpLoad %uint %c
      %ld = OpLoad %float %d
      %f = OpConvertUToF %float %lc
      %s = OpFAdd %float %f %ld
      %v = OpCompositeConstruct %v4float %la %s
      %w = OpCompositeInsert %v4float %lb %v 1
      OpStore %color %w
      OpReturn)",
                          .interface = "%a %b %c %d %unused"}),
            R"(
modes sample_rate
input 0 location 2.0 f32 x1 noperspective sample
input 1 location 3.1 f32 x3 centroid
input 2 location 4.0 i32 x1 flat
input 3 location 5.0 f32 x1 flat
output 0 location 0.0 f32 x4
body {
  %0:f32, %1:f32, %2:f32 = load_input[1, 0]
  %3:f32 = load_input[0, 0]
  %4:i32 = load_input[2, 0]
  %5:f32 = load_input[3, 0]
  %6:f32 = u2f %4
  %7:f32 = fadd %6, %5
  store_output[0, 0] %0, %3, %2, %7
  return
}
)");
}

// Columns take a location each; elements of arrays of them follow.
TEST(Inputs, MatricesAndArraysThatAreIndexedByConstants) {
  EXPECT_EQ(InputText(R"(
      %m = OpTypeMatrix %v2float 3
      %t = OpTypeArray %m %u_4)",
                      R"(
      %p = OpAccessChain %in_float %7 %u_2 %u_1 %u_1
      %value = OpLoad %float %p)"),
            R"(
input 0 location 8.0 f32 x2
output 0 location 0.0 f32 x4
body {
  %0:f32 = load_input[0, 1]
  store_output[0, 0] %0
  return
}
)");
}

TEST(Inputs, ElementsChosenByValue) {
  EXPECT_EQ(InputText(R"(
      %m = OpTypeMatrix %v2float 3
      %t = OpTypeArray %m %u_4
      OpDecorate %i Location 0
      %i = OpVariable %in_int Input)",
                      R"(
      %n = OpLoad %int %i
      %p = OpAccessChain %in_float %7 %n %u_1 %n
      %value = OpLoad %float %p)"),
            R"(
input 0 location 0.0 i32 x1 flat
input 1 location 1.0 f32 x2 array 12
output 0 location 0.0 f32 x4
body {
  %0:i32 = load_input[0, 0]
  %1:i32 = imul %0, 3
  %2:i32 = iadd %1, 1
  %3:f32, %4:f32 = load_input.indexed[1, 0] %2
  %5:bool = ieq %0, 1
  %6:f32 = select %5, %4, %3
  store_output[0, 0] %6
  return
}
)");
}

// A whole composite, with an index chosen by value.
TEST(Inputs, WholeComposites) {
  EXPECT_EQ(InputText(R"(
      %m = OpTypeMatrix %v2float 2
      %p_m = OpTypePointer Input %m
      %t = OpTypeArray %m %u_2
      OpDecorate %i Location 0
      %i = OpVariable %in_int Input)",
                      R"(
      %n = OpLoad %int %i
      %p = OpAccessChain %p_m %7 %n
      %l = OpLoad %m %p
      %e = OpCompositeExtract %float %l 0 0
      %f = OpCompositeExtract %float %l 1 1
      %value = OpFAdd %float %e %f)"),
            R"(
input 0 location 0.0 i32 x1 flat
input 1 location 1.0 f32 x2 array 4
output 0 location 0.0 f32 x4
body {
  %0:i32 = load_input[0, 0]
  %1:i32 = imul %0, 2
  %2:f32, %3:f32 = load_input.indexed[1, 0] %1
  %4:i32 = iadd %1, 1
  %5:f32, %6:f32 = load_input.indexed[1, 0] %4
  %7:f32 = fadd %2, %6
  store_output[0, 0] %7
  return
}
)");
}

// Members follow each other, except those with a location; their decorations are added to the
// surrounding ones.
TEST(Inputs, Blocks) {
  EXPECT_EQ(InputText(R"(
      OpDecorate %t Block
      OpMemberDecorate %t 1 Flat
      OpMemberDecorate %t 2 Location 9
      OpDecorate %7 NoPerspective
      %two = OpTypeArray %v3float %u_2
      %t = OpTypeStruct %two %float %v2float %float)",
                      R"(
      %l = OpLoad %t %7
      %a = OpCompositeExtract %float %l 0 1 2
      %b = OpCompositeExtract %float %l 1
      %c = OpCompositeExtract %float %l 2 1
      %d = OpCompositeExtract %float %l 3
      %ab = OpFAdd %float %a %b
      %cd = OpFAdd %float %c %d
      %value = OpFAdd %float %ab %cd)"),
            R"(
input 0 location 2.0 f32 x3 noperspective
input 1 location 3.0 f32 x1 flat
input 2 location 9.0 f32 x2 noperspective
input 3 location 10.0 f32 x1 noperspective
output 0 location 0.0 f32 x4
body {
  %0:f32, %1:f32, %2:f32 = load_input[0, 0]
  %3:f32 = load_input[1, 0]
  %4:f32, %5:f32 = load_input[2, 0]
  %6:f32 = load_input[3, 0]
  %7:f32 = fadd %2, %3
  %8:f32 = fadd %5, %6
  %9:f32 = fadd %7, %8
  store_output[0, 0] %9
  return
}
)");
}

TEST(Inputs, ArraysOfBlocks) {
  const std::string declarations = R"(
      OpDecorate %b Block
      OpMemberDecorate %b 0 Location 4
      OpDecorate %i Location 0
      %i = OpVariable %in_int Input
      %b = OpTypeStruct %v2float %float
      %t = OpTypeArray %b %u_3)";
  EXPECT_EQ(InputText(declarations, R"(
      %p = OpAccessChain %in_float %7 %u_2 %u_1
      %value = OpLoad %float %p)"),
            R"(
input 0 location 9.0 f32 x1
output 0 location 0.0 f32 x4
body {
  %0:f32 = load_input[0, 0]
  store_output[0, 0] %0
  return
}
)");
  EXPECT_EQ(InputText(declarations, R"(
      %n = OpLoad %int %i
      %p = OpAccessChain %in_float %7 %n %u_1
      %value = OpLoad %float %p)"),
            R"(
input 0 location 0.0 i32 x1 flat
input 1 location 5.0 f32 x1
input 2 location 7.0 f32 x1
input 3 location 9.0 f32 x1
output 0 location 0.0 f32 x4
body {
  %0:i32 = load_input[0, 0]
  %1:f32 = load_input[1, 0]
  %2:f32 = load_input[2, 0]
  %3:bool = ieq %0, 1
  %4:f32 = select %3, %2, %1
  %5:f32 = load_input[3, 0]
  %6:bool = ieq %0, 2
  %7:f32 = select %6, %5, %4
  store_output[0, 0] %7
  return
}
)");
  EXPECT_EQ(InputText(R"(
      OpDecorate %i Location 0
      %i = OpVariable %in_int Input
      %b = OpTypeStruct %v2float %float
      %a = OpTypeArray %b %u_2
      %c = OpTypeStruct %a %float
      %t = OpTypeArray %c %u_3)",
                      R"(
      %n = OpLoad %int %i
      %p = OpAccessChain %in_float %7 %n %u_0 %n %u_1
      %value = OpLoad %float %p)"),
            "input_structs: element selected by two dynamic indices (%7)");
}

TEST(Inputs, PointersToThemAreArguments) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %x Location 1
      %two = OpTypeArray %float %u_2
      %p_two = OpTypePointer Input %two
      %fn_p = OpTypeFunction %float %in_float %out_v4float
      %x = OpVariable %p_two Input)",
                          .main = R"(
      %p = OpAccessChain %in_float %x %u_1
      %r = OpFunctionCall %float %f %p %color
      OpReturn)",
                          .functions = R"(
      %f = OpFunction %float None %fn_p
      %q = OpFunctionParameter %in_float
      %o = OpFunctionParameter %out_v4float
      %fe = OpLabel
      %v = OpLoad %float %q
      %c = OpCompositeConstruct %v4float %v %v %v %v
      OpStore %o %c
      OpReturnValue %v
      OpFunctionEnd)"}),
            R"(
input 0 location 2.0 f32 x1
output 0 location 0.0 f32 x4
body {
  %0:f32 = load_input[0, 0]
  store_output[0, 0] %0, %0, %0, %0
  return
}
)");
}

// Between the stages they are 32-bit floats and integers.
TEST(Inputs, Of16Bits) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %7 Location 0
      OpDecorate %8 Location 1
      OpDecorate %8 Flat
      OpDecorate %9 Location 1
      %half = OpTypeFloat 16
      %v2half = OpTypeVector %half 2
      %short = OpTypeInt 16 1
      %ushort = OpTypeInt 16 0
      %in_v2half = OpTypePointer Input %v2half
      %in_ushort = OpTypePointer Input %ushort
      %out_short = OpTypePointer Output %short
      %7 = OpVariable %in_v2half Input
      %8 = OpVariable %in_ushort Input
      %9 = OpVariable %out_short Output)",
                          .main = R"(
      %h = OpLoad %v2half %7
      %x = OpCompositeExtract %half %h 1
      %u = OpLoad %ushort %8
      %n = OpConvertFToS %short %x
      %s = OpIAdd %short %n %u
      OpStore %9 %s
      OpReturn)",
                          .preamble = "OpCapability Int16\nOpCapability Float16\n"
                                      "OpCapability StorageInputOutput16\n"
                                      "OpExtension \"SPV_KHR_16bit_storage\"\n"}),
            R"(
input 0 location 0.0 f32 x2
input 1 location 1.0 i32 x1 flat
output 0 location 1.0 i32 x1
needs half_floats
body {
  %0:f32, %1:f32 = load_input[0, 0]
  %2:f16 = f2f %1
  %3:i32 = load_input[1, 0]
  %4:i16 = trunc %3
  %5:i16 = f2i %2
  %6:i16 = iadd %5, %4
  %7:i32 = sext %6
  store_output[0, 0] %7
  return
}
)");
}

TEST(Inputs, Of64BitsAreDwords) {
  EXPECT_EQ(FragmentText(
                {.declarations = "OpDecorate %7 Location 2\nOpDecorate %7 Flat\n"
                                 "%i64 = OpTypeInt 64 0\n%p = OpTypePointer Input %i64\n"
                                 "OpDecorate %8 Location 1\n"
                                 "%7 = OpVariable %p Input\n%8 = OpVariable %out_uint Output\n",
                 .main = "%v = OpLoad %i64 %7\n%u = OpUConvert %uint %v\nOpStore %8 %u\nOpReturn",
                 .preamble = "OpCapability Int64\n"}),
            R"(
input 0 location 2.0 i32 x2 flat
output 0 location 1.0 i32 x1
body {
  %0:i32, %1:i32 = load_input[0, 0]
  %2:i64 = zext %0
  %3:i64 = zext %1
  %4:i64 = shl %3, 32
  %5:i64 = or %2, %4
  %6:i32 = trunc %5
  store_output[0, 0] %6
  return
}
)");
}

// Doubles pass as their bits, and are not interpolated.
TEST(Inputs, DoublesAreDwords) {
  EXPECT_EQ(FragmentText(
                {.declarations = "OpDecorate %7 Location 2\nOpDecorate %7 Flat\n"
                                 "%f64 = OpTypeFloat 64\n%p = OpTypePointer Input %f64\n"
                                 "OpDecorate %8 Location 1\n"
                                 "%7 = OpVariable %p Input\n%8 = OpVariable %out_float Output\n",
                 .main = "%v = OpLoad %f64 %7\n%u = OpFConvert %float %v\nOpStore %8 %u\nOpReturn",
                 .preamble = "OpCapability Float64\n"}),
            R"(
input 0 location 2.0 i32 x2 flat
output 0 location 1.0 f32 x1
needs float64
body {
  %0:i32, %1:i32 = load_input[0, 0]
  %2:i64 = zext %0
  %3:i64 = zext %1
  %4:i64 = shl %3, 32
  %5:i64 = or %2, %4
  %6:f64 = bitcast %5
  %7:f32 = f2f %6
  store_output[0, 0] %7
  return
}
)");
}

TEST(Inputs, WhatTheyCannotBe) {
  const auto fault = [](const std::string& type, const std::string& decorations) {
    return FragmentText({.declarations = decorations + "%p_x = OpTypePointer Input " + type +
                                         "\n%7 = OpVariable %p_x Input\n",
                         .main = "%value = OpLoad " + type + " %7\nOpReturn"});
  };
  EXPECT_EQ(fault("%float", ""), "input or output has no location (%7)");
  EXPECT_EQ(fault("%bool", "OpDecorate %7 Location 0\n"),
            "input or output has a type that is not allowed (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 4096\n"), "location exceeds the maximum (%7)");
  EXPECT_EQ(fault("%v2float", "OpDecorate %7 Location 0\nOpDecorate %7 Component 3\n"),
            "components extend beyond their location (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 0\nOpDecorate %7 Index 1\n"),
            "output index is not 0 or 1, or the variable is not a fragment output (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 0\nOpDecorate %7 PerVertexKHR\n"),
            "per-vertex variable is not an input array of at most three vertices (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 0\nOpDecorate %7 ExplicitInterpAMD\n"),
            "vendor_extension: decoration of an input or output (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 0\nOpDecorate %7 PerPrimitiveEXT\n"),
            "mesh_stages: decoration of an input or output (%7)");
  EXPECT_EQ(fault("%float", "OpDecorate %7 Location 0\nOpDecorate %7 PerViewNV\n"),
            "vendor_extension: decoration of an input or output (%7)");
}

TEST(Inputs, DoNotOverlap) {
  const auto text = [](const std::string& component) {
    return FragmentText({.declarations = "OpDecorate %7 Location 1\nOpDecorate %8 Location 1\n"
                                         "OpDecorate %8 Component " +
                                         component +
                                         "\n%7 = OpVariable %in_v2float Input\n"
                                         "%8 = OpVariable %in_float Input\n",
                         .main = "%v = OpLoad %v2float %7\n%w = OpLoad %float %8\n"
                                 "%c = OpCompositeConstruct %v4float %v %v\n"
                                 "%d = OpCompositeInsert %v4float %w %c 3\n"
                                 "OpStore %color %d\nOpReturn"});
  };
  EXPECT_EQ(text("1"), "inputs or outputs overlap (%8)");
  EXPECT_EQ(text("2").substr(0, 59),
            "\ninput 0 location 1.0 f32 x2\ninput 1 location 1.2 f32 x1\nou");
}

}  // namespace
}  // namespace kiln::front
