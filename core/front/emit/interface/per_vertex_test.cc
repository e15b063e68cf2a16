// Tests inputs that have a value for each vertex of the primitive, and barycentric coordinates.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/fragment_testing.h"

namespace kiln::front {
namespace {

constexpr char kVertices[] = R"(
      OpDecorate %7 Location 2
      OpDecorate %7 PerVertexKHR
      %three = OpTypeArray %v2float %u_3
      %p_three = OpTypePointer Input %three
      %7 = OpVariable %p_three Input
      OpDecorate %i Location 0
      OpDecorate %i Flat
      %i = OpVariable %in_int Input
)";

std::string Stored(const std::string& main, const std::string& declarations = "") {
  return FragmentText({.declarations = kVertices + declarations, .main = main + R"(
      %c = OpCompositeConstruct %v4float %value %value %value %value
      OpStore %color %c
      OpReturn)"});
}

TEST(PerVertexInputs, TheArrayCountsVerticesAndNotLocations) {
  EXPECT_EQ(Stored(R"(
      %p = OpAccessChain %in_float %7 %u_2 %u_1
      %q = OpAccessChain %in_float %7 %u_0 %u_1
      %a = OpLoad %float %p
      %b = OpLoad %float %q
      %value = OpFSub %float %a %b)"),
            R"(
input 0 location 2.0 f32 x2 per_vertex
output 0 location 0.0 f32 x4
needs barycentrics
body {
  %0:f32 = interpolate[0, vertex2 1]
  %1:f32 = interpolate[0, vertex0 1]
  %2:f32 = fsub %0, %1
  store_output[0, 0] %2, %2, %2, %2
  return
}
)");
}

TEST(PerVertexInputs, AVertexChosenByValueIsSelected) {
  const std::string text = Stored(R"(
      %n = OpLoad %int %i
      %p = OpAccessChain %in_float %7 %n %u_1
      %value = OpLoad %float %p)");
  for (const char* part : {"interpolate[1, vertex0 1]\n", "interpolate[1, vertex1 1]\n",
                           "interpolate[1, vertex2 1]\n", "= select "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(text.find("array"), std::string::npos) << text;
}

// Integers have vertices, too; an array in each vertex takes locations.
TEST(PerVertexInputs, ArraysOfIntegersInEachVertex) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %7 Location 1
      OpDecorate %7 PerVertexKHR
      %two = OpTypeArray %uint %u_2
      %vertices = OpTypeArray %two %u_3
      %p_vertices = OpTypePointer Input %vertices
      %7 = OpVariable %p_vertices Input
      OpDecorate %8 Location 1
      %8 = OpVariable %out_uint Output)",
                          .main = R"(
      %p = OpAccessChain %in_uint %7 %u_1 %u_1
      %a = OpLoad %uint %p
      OpStore %8 %a
      OpReturn)"}),
            R"(
input 0 location 2.0 i32 x1 per_vertex
output 0 location 1.0 i32 x1
needs barycentrics
body {
  %0:i32 = interpolate[0, vertex1 0]
  store_output[0, 0] %0
  return
}
)");
}

TEST(PerVertexInputs, DoublesAreDwords) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %7 Location 2
      OpDecorate %7 PerVertexKHR
      %f64 = OpTypeFloat 64
      %vertices = OpTypeArray %f64 %u_3
      %p_vertices = OpTypePointer Input %vertices
      %p = OpTypePointer Input %f64
      OpDecorate %8 Location 1
      %7 = OpVariable %p_vertices Input
      %8 = OpVariable %out_float Output)",
                          .main = "%q = OpAccessChain %p %7 %u_1\n%v = OpLoad %f64 %q\n"
                                  "%u = OpFConvert %float %v\nOpStore %8 %u\nOpReturn",
                          .preamble = "OpCapability Float64\n"}),
            R"(
input 0 location 2.0 i32 x2 per_vertex
output 0 location 1.0 f32 x1
needs float64
needs barycentrics
body {
  %0:i32, %1:i32 = interpolate[0, vertex1 0]
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

// Neither a variable that is a built-in nor a block that has one.
TEST(PerVertexInputs, AreNoBuiltIns) {
  constexpr char kRefused[] = "built-in variable has values of each vertex (%7)";
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %7 BuiltIn BaryCoordKHR
      OpDecorate %7 PerVertexKHR
      %three = OpTypeArray %v3float %u_3
      %p_three = OpTypePointer Input %three
      %7 = OpVariable %p_three Input)",
                          .main = "%p = OpAccessChain %in_float %7 %u_1 %u_0\n"
                                  "%value = OpLoad %float %p\nOpReturn"}),
            kRefused);
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %block Block
      OpMemberDecorate %block 0 BuiltIn ClipDistance
      OpMemberDecorate %block 0 PerVertexKHR
      %distances = OpTypeArray %float %u_2
      %block = OpTypeStruct %distances
      %three = OpTypeArray %block %u_3
      %p_three = OpTypePointer Input %three
      %7 = OpVariable %p_three Input)",
                          .main = "%p = OpAccessChain %in_float %7 %u_1 %u_0 %u_0\n"
                                  "%value = OpLoad %float %p\nOpReturn"}),
            kRefused);
}

TEST(PerVertexInputs, HaveNoPosition) {
  EXPECT_EQ(FragmentText({.declarations = kVertices,
                          .main = "%p = OpAccessChain %in_v2float %7 %u_0\n"
                                  "%8 = OpExtInst %v2float %glsl InterpolateAtCentroid %p\n"
                                  "OpReturn"}),
            "interpolation of an input that is not a 32-bit float (%8)");
}

TEST(BarycentricCoordinates, AreTakenAtAPosition) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %7 BuiltIn BaryCoordKHR
      OpDecorate %7 Centroid
      OpDecorate %8 BuiltIn BaryCoordNoPerspKHR
      %7 = OpVariable %in_v3float Input
      %8 = OpVariable %in_v3float Input)",
                          .main = R"(
      %a = OpLoad %v3float %7
      %b = OpExtInst %v3float %glsl InterpolateAtSample %8 %i_2
      %x = OpCompositeExtract %float %a 2
      %y = OpCompositeExtract %float %b 0
      %c = OpCompositeConstruct %v4float %x %y %x %y
      OpStore %color %c
      OpReturn)"}),
            R"(
input 0 builtin bary_coord f32 x3 centroid
input 1 builtin bary_coord_no_perspective f32 x3 noperspective
output 0 location 0.0 f32 x4
needs barycentrics
body {
  %0:f32, %1:f32, %2:f32 = load_input[0, 0]
  %3:f32, %4:f32, %5:f32 = interpolate[1, sample 0] 2
  store_output[0, 0] %2, %3, %2, %3
  return
}
)");
}

}  // namespace
}  // namespace kiln::front
