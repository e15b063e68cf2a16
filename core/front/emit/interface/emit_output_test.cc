// Tests outputs of fragment shaders: the locations of their parts, and the stores.
#include <gtest/gtest.h>

#include "core/front/testing/fragment_testing.h"

namespace kiln::front {
namespace {

TEST(Outputs, LocationsIndicesAndComponents) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %a Location 0
      OpDecorate %a Index 1
      OpDecorate %b Location 1
      OpDecorate %b Component 2
      OpDecorate %c Location 2
      OpDecorate %c Invariant
      OpDecorate %block Block
      OpMemberDecorate %block 0 Location 7
      %two = OpTypeArray %float %u_2
      %p_two = OpTypePointer Output %two
      %block = OpTypeStruct %uint %float
      %p_block = OpTypePointer Output %block
      %a = OpVariable %out_v4float Output
      %b = OpVariable %out_v2float Output
      %c = OpVariable %p_two Output
      %d = OpVariable %p_block Output)",
                          .main = R"(
      %v = OpCompositeConstruct %v4float %f_0 %f_1 %f_0 %f_1
      %w = OpCompositeConstruct %v2float %f_half %f_1
      %x = OpCompositeConstruct %two %f_half %f_1
      OpStore %color %v
      OpStore %a %v
      OpStore %b %w
      OpStore %c %x
      %p = OpAccessChain %out_float %d %u_1
      OpStore %p %f_half
      OpReturn)"}),
            R"(
output 0 location 0.0 f32 x4
output 1 location 0.0 f32 x4 index 1
output 2 location 1.2 f32 x2
output 3 location 2.0 f32 x1 invariant
output 4 location 3.0 f32 x1 invariant
output 5 location 8.0 f32 x1
body {
  store_output[0, 0] 0f, 1f, 0f, 1f
  store_output[1, 0] 0f, 1f, 0f, 1f
  store_output[2, 0] 0.5f, 1f
  store_output[3, 0] 0.5f
  store_output[4, 0] 1f
  store_output[5, 0] 0.5f
  return
}
)");
}

// Parts written on some path are stored; reads return the written values.
TEST(Outputs, AreVariablesUntilTheEnd) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %x Location 1
      OpDecorate %never Location 1
      %x = OpVariable %in_float Input
      %never = OpVariable %out_float Output)",
                          .main = R"(
      %v = OpLoad %float %x
      %c = OpFOrdLessThan %bool %v %f_1
      %y = OpAccessChain %out_float %color %u_1
      %w = OpAccessChain %out_float %color %u_3
      OpStore %w %v
      OpSelectionMerge %join None
      OpBranchConditional %c %then %join
      %then = OpLabel
      OpStore %y %f_half
      OpStore %w %f_1
      OpBranch %join
      %join = OpLabel
      %r = OpLoad %float %w
      %s = OpFAdd %float %r %r
      OpStore %w %s
      OpReturn)"}),
            R"(
input 0 location 1.0 f32 x1
output 0 location 0.0 f32 x4
body {
  %0:f32 = load_input[0, 0]
  %1:bool = flt %0, 1f
  %2:f32 = if %1 {
    yield 1f
  } else {
    yield %0
  }
  %3:f32 = fadd %2, %2
  store_output[0, 1] 0.5f
  store_output[0, 3] %3
  return
}
)");
}

TEST(Outputs, OnPathsThatConstantsRuleOutAreNotWritten) {
  EXPECT_EQ(FragmentText({.main = R"(
      %y = OpAccessChain %out_float %color %u_1
      OpSelectionMerge %join None
      OpBranchConditional %false %then %join
      %then = OpLabel
      OpStore %y %f_half
      OpBranch %join
      %join = OpLabel
      OpReturn)"}),
            R"(
body {
  return
}
)");
}

TEST(Outputs, ElementsChosenByValue) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %x Location 1
      OpDecorate %o Location 1
      %two = OpTypeArray %v2float %u_2
      %p_two = OpTypePointer Output %two
      %x = OpVariable %in_int Input
      %o = OpVariable %p_two Output)",
                          .main = R"(
      %n = OpLoad %int %x
      %p = OpAccessChain %out_v2float %o %n
      %v = OpCompositeConstruct %v2float %f_0 %f_1
      OpStore %p %v
      OpReturn)"}),
            R"(
input 0 location 1.0 i32 x1 flat
output 0 location 1.0 f32 x2
output 1 location 2.0 f32 x2
private 0 16
body {
  %0:i32 = load_input[0, 0]
  %1:i32 = imul %0, 8
  store_private[0, align 8] %1, 0f, 1f
  %2:f32, %3:f32 = load_private[0, align 64] 0
  store_output[0, 0] %2, %3
  %4:f32, %5:f32 = load_private[0, align 8] 8
  store_output[1, 0] %4, %5
  return
}
)");
}

TEST(Outputs, HaveInitialisers) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %o Location 1
      %init = OpConstantComposite %v2float %f_half %f_1
      %o = OpVariable %out_v2float Output %init)",
                          .main = R"(
      %p = OpAccessChain %out_float %o %u_1
      OpStore %p %f_0
      OpReturn)"}),
            R"(
output 0 location 1.0 f32 x2
body {
  store_output[0, 0] 0.5f, 0f
  return
}
)");
}

// Early returns meet at the one end; an output that only one of them wrote is undefined on the
// others.
TEST(Outputs, AreStoredOnceAtTheEnd) {
  EXPECT_EQ(FragmentText({.declarations = R"(
      OpDecorate %x Location 1
      %x = OpVariable %in_float Input)",
                          .main = R"(
      %v = OpLoad %float %x
      %c = OpFOrdLessThan %bool %v %f_1
      %y = OpAccessChain %out_float %color %u_1
      OpStore %y %v
      OpSelectionMerge %join None
      OpBranchConditional %c %then %join
      %then = OpLabel
      OpReturn
      %join = OpLabel
      OpStore %y %f_half
      OpReturn)"}),
            R"(
input 0 location 1.0 f32 x1
output 0 location 0.0 f32 x4
body {
  %0:f32 = load_input[0, 0]
  %1:bool = flt %0, 1f
  %2:f32 = if %1 {
    yield %0
  } else {
    yield 0.5f
  }
  store_output[0, 1] %2
  return
}
)");
}

}  // namespace
}  // namespace kiln::front
