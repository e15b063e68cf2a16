// Tests built-in inputs and outputs of vertex shaders, and the modes of their entry points.
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

// Imports a shader that reads the built-in as an int and stores it as the only output.
std::string InputText(const std::string& builtin, const std::string& type = "%int") {
  return VertexText(
      {.declarations = "OpDecorate %7 BuiltIn " + builtin +
                       "\nOpDecorate %o Location 0\n%p_in = OpTypePointer Input " + type +
                       "\n%p_out = OpTypePointer Output " + type +
                       "\n%7 = OpVariable %p_in Input\n%o = OpVariable %p_out Output\n",
       .main = "%v = OpLoad " + type + " %7\nOpStore %o %v\nOpReturn"});
}

TEST(VertexBuiltIns, Inputs) {
  const char* kCases[][2] = {{"VertexIndex", "vertex_index"}, {"InstanceIndex", "instance_index"},
                             {"BaseVertex", "base_vertex"},   {"BaseInstance", "base_instance"},
                             {"DrawIndex", "draw_index"},     {"ViewIndex", "view_index"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(InputText(c[0]), std::string("\ninput 0 builtin ") + c[1] + R"( i32 x1
output 0 location 0.0 i32 x1
body {
  %0:i32 = load_input[0, 0]
  store_output[0, 0] %0
  return
}
)");
  }
  // There is one device.
  EXPECT_EQ(InputText("DeviceIndex"), R"(
output 0 location 0.0 i32 x1
body {
  store_output[0, 0] 0
  return
}
)");
  EXPECT_EQ(InputText("VertexIndex", "%float"),
            "built-in variable is not of its prescribed type (%7)");
  EXPECT_EQ(InputText("Position", "%v4float"),
            "built-in variable is not available in this stage and storage class (%7)");
  EXPECT_EQ(InputText("FragCoord", "%v4float"),
            "built-in variable is not available in this stage and storage class (%7)");
  EXPECT_EQ(InputText("LocalInvocationIndex"),
            "built-in variable is not available in this stage (%7)");
  EXPECT_EQ(InputText("HelperInvocation", "%bool"),
            "built-in variable is not available in this stage (%7)");
  EXPECT_EQ(InputText("VertexId"), "opengl_numbers: built-in variable VertexId (%7)");
}

std::string OutputText(const std::string& builtin, const std::string& type) {
  return Head({.declarations = "OpDecorate %7 BuiltIn " + builtin +
                               "\n%two_float = OpTypeArray %float %u_2\n"
                               "%p_out = OpTypePointer Output " +
                               type + "\n%null = OpConstantNull " + type +
                               "\n%7 = OpVariable %p_out Output\n",
               .main = "OpStore %7 %null\nOpReturn"});
}

TEST(VertexBuiltIns, Outputs) {
  EXPECT_EQ(OutputText("Position", "%v4float"), "\noutput 0 builtin position f32 x4\n");
  EXPECT_EQ(OutputText("PointSize", "%float"), "\noutput 0 builtin point_size f32 x1\n");
  EXPECT_EQ(OutputText("ClipDistance", "%two_float"),
            "\noutput 0 builtin clip_distance f32 x1 array 2\n");
  EXPECT_EQ(OutputText("CullDistance", "%two_float"),
            "\noutput 0 builtin cull_distance f32 x1 array 2\n");
  EXPECT_EQ(OutputText("Layer", "%int"), "\noutput 0 builtin layer i32 x1\n");
  EXPECT_EQ(OutputText("ViewportIndex", "%int"), "\noutput 0 builtin viewport_index i32 x1\n");
  EXPECT_EQ(OutputText("Position", "%v3float"),
            "built-in variable is not of its prescribed type (%7)");
  EXPECT_EQ(OutputText("FragDepth", "%float"),
            "built-in variable is not available in this stage and storage class (%7)");
  EXPECT_EQ(OutputText("VertexIndex", "%int"),
            "built-in variable is not available in this stage and storage class (%7)");
  EXPECT_EQ(OutputText("PrimitiveShadingRateKHR", "%int"),
            "shading_rate: built-in variable PrimitiveShadingRateKHR (%7)");
}

// A block's written built-ins become outputs, whatever else it declares; beside it is a user's
// block.
TEST(VertexBuiltIns, Blocks) {
  EXPECT_EQ(VertexText({.declarations = R"(
      OpDecorate %per_vertex Block
      OpMemberDecorate %per_vertex 0 BuiltIn Position
      OpMemberDecorate %per_vertex 0 Invariant
      OpMemberDecorate %per_vertex 1 BuiltIn PointSize
      OpMemberDecorate %per_vertex 2 BuiltIn ClipDistance
      OpMemberDecorate %per_vertex 3 BuiltIn CullDistance
      OpDecorate %user Block
      OpDecorate %u Location 2
      %one = OpTypeArray %float %u_1
      %four = OpTypeArray %float %u_4
      %per_vertex = OpTypeStruct %v4float %float %four %one
      %user = OpTypeStruct %v2float %float
      %p_per_vertex = OpTypePointer Output %per_vertex
      %p_user = OpTypePointer Output %user
      %7 = OpVariable %p_per_vertex Output
      %u = OpVariable %p_user Output)",
                        .main = R"(
      %position = OpAccessChain %out_v4float %7 %u_0
      %clip = OpAccessChain %out_float %7 %u_2 %u_3
      %second = OpAccessChain %out_float %u %u_1
      %v = OpCompositeConstruct %v4float %f_0 %f_1 %f_0 %f_1
      OpStore %position %v
      OpStore %clip %f_half
      OpStore %second %f_1
      OpReturn)"}),
            R"(
output 0 location 3.0 f32 x1
output 1 builtin position f32 x4 invariant
output 2 builtin clip_distance f32 x1 array 4
body {
  store_output[1, 0] 0f, 1f, 0f, 1f
  store_output.indexed[2, 0] 3, 0.5f
  store_output[0, 0] 1f
  return
}
)");
}

TEST(VertexModes, AreRefusedOrOfOtherStages) {
  const auto text = [](const std::string& modes) {
    return Head({.main = "OpReturn", .modes = modes});
  };
  EXPECT_EQ(text(""), "\n");
  EXPECT_EQ(text("Xfb"), "transform_feedback: execution mode Xfb (%1)");
  EXPECT_EQ(text("OriginUpperLeft;EarlyFragmentTests"), "execution mode is for another stage (%1)");
  EXPECT_EQ(text("LocalSize 1 1 1"), "execution mode is for another stage (%1)");
}

// A decoration alone captures nothing: the mode does.
TEST(VertexModes, DecorationsOfCapturesAreNothingWithoutTheMode) {
  EXPECT_EQ(Head({.declarations = "OpDecorate %color XfbBuffer 0\nOpDecorate %color XfbStride 16\n"
                                  "OpDecorate %color Offset 0\n",
                  .main = "%v = OpCompositeConstruct %v4float %f_0 %f_1 %f_0 %f_1\n"
                          "OpStore %color %v\nOpReturn",
                  .preamble = "OpCapability TransformFeedback\n"}),
            "\noutput 0 location 0.0 f32 x4\n");
}

TEST(Vertices, HaveNoQuadsNorEndEarly) {
  const auto main = [](const std::string& text) {
    return Head({.declarations = "OpDecorate %x Location 0\n%x = OpVariable %in_float Input\n",
                 .main = "%v = OpLoad %float %x\n" + text});
  };
  EXPECT_EQ(main("%d = OpDPdx %float %v\nOpReturn").substr(0, 57),
            "derivative in a compute shader without a derivative group");
  EXPECT_EQ(main("OpKill").substr(0, 57),
            "OpKill or OpTerminateInvocation outside a fragment shader");
}

}  // namespace
}  // namespace kiln::front
