// Tests calls, which are inlined. SPIR-V in, MIR or the named error out.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/control_testing.h"

namespace kiln::front {
namespace {

TEST(Functions, EachCallIsACopy) {
  EXPECT_EQ(FlowText(R"(
    %r = OpFunctionCall %uint %f %x
    %r2 = OpFunctionCall %uint %f %r
    OpStore %word %r2
    OpReturn
  )",
                     R"(
    %f = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    %g = OpUGreaterThan %bool %a %u_3
    OpSelectionMerge %fm None
    OpBranchConditional %g %ft %fm
    %ft = OpLabel
    OpReturnValue %u_3
    %fm = OpLabel
    OpReturnValue %a
    OpFunctionEnd
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ult 3, %1
%4:i32 = if %3 {
  yield 3
} else {
  yield %1
}
%5:bool = ult 3, %4
%6:i32 = if %5 {
  yield 3
} else {
  yield %4
}
store_ssbo[0, align 64] 0, %6
return
)");
}

TEST(Functions, WhatFollowsACallThatDoesNotReturnIsNotReached) {
  EXPECT_EQ(FlowText(R"(
    %r = OpFunctionCall %uint %f %x
    OpStore %word %r
    OpReturn
  )",
                     R"(
    %f = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    %fp = OpAccessChain %p_word %buffer %u_0 %u_0
    OpStore %fp %a
    OpUnreachable
    OpFunctionEnd
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
store_ssbo[0, align 64] 0, %1
unreachable
)");
}

TEST(Functions, ArgumentsHaveTheTypesOfTheParameters) {
  EXPECT_EQ(FlowText(R"(
    %70 = OpFunctionCall %uint %f %true
    OpReturn
  )",
                     R"(
    %f = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    OpReturnValue %a
    OpFunctionEnd
  )"),
            "argument is not of its parameter's type (%70)");
}

TEST(Functions, ArgumentsAreAsManyAsTheParameters) {
  EXPECT_EQ(FlowText(R"(
    %70 = OpFunctionCall %uint %f
    OpReturn
  )",
                     R"(
    %f = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    OpReturnValue %a
    OpFunctionEnd
  )"),
            "call has the wrong number of arguments (%70)");
}

TEST(Functions, WhatACopyDefinedIsForgotten) {
  EXPECT_EQ(FlowText(R"(
    %r = OpFunctionCall %uint %f %x
    OpStore %word %71
    OpReturn
  )",
                     R"(
    %f = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    %71 = OpIAdd %uint %a %a
    OpReturnValue %a
    OpFunctionEnd
  )"),
            "value used before its definition (%71)");
}

}  // namespace
}  // namespace kiln::front
