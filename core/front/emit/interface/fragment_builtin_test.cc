// Tests the built-in variables of fragments, and features shared with compute.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/fragment_testing.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

// Returns the lines before the body.
std::string Head(const FragmentParts& parts) {
  const std::string text = FragmentText(parts);
  return text.substr(0, text.find("body {"));
}

struct BuiltInCase {
  std::string name;
  std::string type;  // of the variable
  std::string text;  // its declaration in MIR; or the message of the error
};

TEST(FragmentBuiltIns, Inputs) {
  const BuiltInCase kCases[] = {
      {"FragCoord", "%v4float", "\ninput 0 builtin frag_coord f32 x4\n"},
      {"PointCoord", "%v2float", "\ninput 0 builtin point_coord f32 x2\n"},
      {"PrimitiveId", "%int", "\ninput 0 builtin primitive_id i32 x1\n"},
      {"Layer", "%uint", "\ninput 0 builtin layer i32 x1\n"},
      {"ViewportIndex", "%int", "\ninput 0 builtin viewport_index i32 x1\n"},
      {"ViewIndex", "%int", "\ninput 0 builtin view_index i32 x1\n"},
      {"SampleId", "%int", "\nmodes sample_rate\ninput 0 builtin sample_id i32 x1\n"},
      {"SamplePosition", "%v2float",
       "\nmodes sample_rate\ninput 0 builtin sample_position f32 x2\n"},
      {"SampleMask", "%one_int", "\ninput 0 builtin sample_mask i32 x1 array 1\n"},
      {"ClipDistance", "%three_float", "\ninput 0 builtin clip_distance f32 x1 array 3\n"},
      {"CullDistance", "%three_float", "\ninput 0 builtin cull_distance f32 x1 array 3\n"},
      {"FragDepth", "%float",
       "built-in variable is not available in this stage and storage class (%7)"},
      {"Position", "%v4float",
       "built-in variable is not available in this stage and storage class (%7)"},
      {"VertexIndex", "%int",
       "built-in variable is not available in this stage and storage class (%7)"},
      {"VertexId", "%int", "opengl_numbers: built-in variable VertexId (%7)"},
      {"FragCoord", "%v2float", "built-in variable is not of its prescribed type (%7)"},
      {"SampleMask", "%int", "built-in variable is not of its prescribed type (%7)"},
      {"SampleId", "%float", "built-in variable is not of its prescribed type (%7)"},
      {"WorkgroupId", "%uint", "built-in variable is not available in this stage (%7)"},
      {"SubgroupId", "%uint", "built-in variable is not available in this stage (%7)"},
      {"BaryCoordKHR", "%v3float", "\ninput 0 builtin bary_coord f32 x3\nneeds barycentrics\n"},
      {"BaryCoordNoPerspKHR", "%v3float",
       "\ninput 0 builtin bary_coord_no_perspective f32 x3 noperspective\nneeds barycentrics\n"},
      {"BaryCoordKHR", "%v2float", "built-in variable is not of its prescribed type (%7)"},
      {"BaryCoordSmoothAMD", "%v2float",
       "vendor_extension: built-in variable BaryCoordSmoothAMD (%7)"},
      {"ShadingRateKHR", "%int", "shading_rate: built-in variable ShadingRateKHR (%7)"},
      {"FragInvocationCountEXT", "%int",
       "shading_rate: built-in variable FragInvocationCountEXT (%7)"},
      {"FullyCoveredEXT", "%bool", "conservative_coverage: built-in variable FullyCoveredEXT (%7)"},
      {"FragSizeEXT", "%v2int", "shading_rate: built-in variable FragSizeEXT (%7)"},
  };
  for (const BuiltInCase& c : kCases) {
    SCOPED_TRACE(c.name);
    FragmentParts parts;
    parts.interface = "%7";
    parts.declarations = "OpDecorate %7 BuiltIn " + c.name +
                         "\n%one_int = OpTypeArray %int %u_1\n"
                         "%three_float = OpTypeArray %float %u_3\n%p_x = OpTypePointer Input " +
                         c.type + "\n%out = OpTypePointer Private " + c.type +
                         "\n%7 = OpVariable %p_x Input\n%y = OpVariable %out Private\n"
                         "OpDecorate %words ArrayStride 4\nOpDecorate %block BufferBlock\n"
                         "OpMemberDecorate %block 0 Offset 0\n";
    // An equality that decides a kill uses the value, whatever it is.
    const std::string array = c.type == "%one_int" ? "%int" : "%float";
    std::string main = "%v = OpLoad " + c.type + " %7\n";
    std::string scalar = "%v";
    std::string type = c.type;
    if (c.type.find('_') != std::string::npos || c.type[1] == 'v') {
      type = c.type == "%one_int" || c.type == "%v2int" ? "%int" : "%float";
      main += "%e = OpCompositeExtract " + type + " %v 0\n";
      scalar = "%e";
    }
    const std::string equal = type == "%bool"    ? "%c = OpLogicalNot %bool "
                              : type == "%float" ? "%c = OpFUnordNotEqual %bool %f_0 "
                                                 : "%c = OpINotEqual %bool %u_0 ";
    parts.main = main + equal + scalar +
                 "\nOpSelectionMerge %join None\nOpBranchConditional %c %kill %join\n"
                 "%kill = OpLabel\nOpKill\n%join = OpLabel\nOpReturn";
    EXPECT_EQ(Head(parts), c.text);
  }
}

// Elements of built-in arrays do not become separate inputs.
TEST(FragmentBuiltIns, FrontFacingAndDistancesChosenByValue) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %clip BuiltIn ClipDistance
      OpDecorate %front BuiltIn FrontFacing
      OpDecorate %primitive BuiltIn PrimitiveId
      %p_bool = OpTypePointer Input %bool
      %four = OpTypeArray %float %u_4
      %p_four = OpTypePointer Input %four
      %clip = OpVariable %p_four Input
      %front = OpVariable %p_bool Input
      %primitive = OpVariable %in_int Input)",
                          .main = R"(
      %n = OpLoad %int %primitive
      %f = OpLoad %bool %front
      %p = OpAccessChain %in_float %clip %n
      %q = OpAccessChain %in_float %clip %u_2
      %a = OpLoad %float %p
      %b = OpLoad %float %q
      %s = OpSelect %float %f %a %b
      %c = OpAccessChain %out_float %color %u_0
      OpStore %c %s
      OpReturn)"}),
            R"(
input 0 builtin clip_distance f32 x1 array 4
input 1 builtin front_facing bool x1
input 2 builtin primitive_id i32 x1
output 0 location 0.0 f32 x4
body {
  %0:i32 = load_input[2, 0]
  %1:bool = load_input[1, 0]
  %2:f32 = load_input.indexed[0, 0] %0
  %3:f32 = load_input.indexed[0, 0] 2
  %4:f32 = select %1, %2, %3
  store_output[0, 0] %4
  return
}
)");
}

TEST(FragmentBuiltIns, Outputs) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %depth BuiltIn FragDepth
      OpDecorate %mask BuiltIn SampleMask
      OpDecorate %stencil BuiltIn FragStencilRefEXT
      %one = OpTypeArray %int %u_1
      %p_one = OpTypePointer Output %one
      %depth = OpVariable %out_float Output
      %mask = OpVariable %p_one Output
      %stencil = OpVariable %out_int Output)",
                          .main = R"(
      OpStore %depth %f_half
      %p = OpAccessChain %out_int %mask %u_0
      OpStore %p %i_3
      OpStore %stencil %i_2
      OpReturn)",
                          .modes = "OriginUpperLeft;DepthReplacing"}),
            R"(
modes depth any
output 0 builtin sample_mask i32 x1 array 1
output 1 builtin frag_depth f32 x1
output 2 builtin frag_stencil_ref i32 x1
body {
  store_output[1, 0] 0.5f
  store_output.indexed[0, 0] 0, 3
  store_output[2, 0] 2
  return
}
)");
}

// Two variables of one built-in are the same input.
TEST(FragmentBuiltIns, OfSeveralVariables) {
  EXPECT_EQ(Head({.declarations = R"(
      OpDecorate %a BuiltIn FragCoord
      OpDecorate %b BuiltIn FragCoord
      %a = OpVariable %in_v4float Input
      %b = OpVariable %in_v4float Input)",
                  .main = R"(
      %va = OpLoad %v4float %a
      %vb = OpLoad %v4float %b
      %s = OpFAdd %v4float %va %vb
      OpStore %color %s
      OpReturn)"}),
            "\ninput 0 builtin frag_coord f32 x4\noutput 0 location 0.0 f32 x4\n");
}

TEST(FragmentBuiltIns, OfBlocks) {
  EXPECT_EQ(Head({.declarations = R"(
      OpDecorate %block Block
      OpMemberDecorate %block 0 BuiltIn Layer
      OpMemberDecorate %block 1 BuiltIn FragCoord
      %block = OpTypeStruct %int %v4float
      %p_block = OpTypePointer Input %block
      %a = OpVariable %p_block Input)",
                  .main = R"(
      %p = OpAccessChain %in_v4float %a %u_1
      %v = OpLoad %v4float %p
      OpStore %color %v
      OpReturn)"}),
            "\ninput 0 builtin frag_coord f32 x4\noutput 0 location 0.0 f32 x4\n");
}

// ---- Shared with compute, or not ----

TEST(FragmentResources, SubgroupsBuffersAndPushConstants) {
  const auto module = ImportVerified(CompileFragment(R"(#version 460
      #extension GL_KHR_shader_subgroup_arithmetic : enable
      #extension GL_KHR_shader_subgroup_ballot : enable
      #extension GL_KHR_shader_subgroup_quad : enable
      layout(location = 0) flat in uint x;
      layout(location = 0) out uvec4 o;
      layout(push_constant) uniform P { uint p[4]; };
      layout(set = 1, binding = 2) uniform U { uvec4 u; };
      layout(set = 0, binding = 1) buffer B { uint b[]; };
      void main() {
        o.x = subgroupAdd(x) + subgroupQuadSwapHorizontal(x);
        o.y = gl_SubgroupInvocationID + gl_SubgroupSize + gl_SubgroupLtMask.x;
        o.z = atomicMax(b[x], p[x & 3u]) + u.z;
        b[x + 1u] = subgroupBroadcastFirst(x);
        subgroupMemoryBarrierBuffer();
        o.w = b[x];
      })"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->push_constant_bytes, 16u);
  EXPECT_EQ(module->resources.size(), 2u);
  const std::string text = mir::Print(*module);
  for (const char* op : {"= reduce[iadd, 0] ", "= quad_swap[1] ", "= subgroup_invocation",
                         "= subgroup_size", "= lane_mask[lt]", "= ssbo_atomic[0, umax] ",
                         "= load_ubo[1, ", "= read_first ", "store_ssbo[0, ", "memory_barrier["}) {
    EXPECT_NE(text.find(op), std::string::npos) << op << text;
  }
}

TEST(FragmentResources, WorkgroupsAreOfCompute) {
  EXPECT_EQ(FragmentText({.declarations = "%p_shared = OpTypePointer Workgroup %float\n"
                                          "%7 = OpVariable %p_shared Workgroup",
                          .main = "OpStore %7 %f_1\nOpReturn"}),
            "shared memory in a stage other than compute (%7)");
  EXPECT_EQ(FragmentText({.main = "OpControlBarrier %u_2 %u_2 %u_0\nOpReturn"}).substr(0, 50),
            "workgroup barrier in a stage other than compute (%");
  EXPECT_EQ(FragmentText({.main = "OpControlBarrier %u_3 %u_3 %u_0\nOpReturn"}),
            "\nbody {\n  control_barrier[0, subgroup]\n  return\n}\n");
}

}  // namespace
}  // namespace kiln::front
