// Tests the walk over blocks: the order of code, and the ends of functions. SPIR-V in, MIR or the
// named error out.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/control_testing.h"

namespace kiln::front {
namespace {

// Either the function is at its end, or the code after the outer selection follows.
TEST(Blocks, ALabelThatPartOfTheFlowReachesIsGuarded) {
  EXPECT_EQ(FlowText(R"(
    %d = OpIEqual %bool %x %u_2
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    OpSelectionMerge %tm None
    OpBranchConditional %d %q %tm
    %q = OpLabel
    OpReturn
    %tm = OpLabel
    OpBranch %m
    %m = OpLabel
    OpStore %word %u_3
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
%5:bool = ieq %1, 2
%8:bool = if %3 {
  if %5 {
    yield
  } else {
    yield
  }
  %6:bool = not %5
  yield %6
} else {
  yield true
}
if %8 {
  store_ssbo[0, align 64] 0, 3
  yield
} else {
  yield
}
return
)");
}

TEST(Blocks, AnEndThatIsNotReached) {
  EXPECT_EQ(FlowText(R"(
    OpStore %word %u_1
    OpUnreachable
  )"),
            R"(
store_ssbo[0, align 64] 0, 1
unreachable
)");
}

TEST(Blocks, ReturnedValuesHaveTheTypeOfTheFunction) {
  EXPECT_EQ(FlowText(R"(
    %r = OpFunctionCall %uint %70 %x
    OpReturn
  )",
                     R"(
    %70 = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    OpReturnValue %true
    OpFunctionEnd
  )"),
            "returned value is not of the function's result type (%70)");
}

TEST(Blocks, FunctionsWithAValueReturnOne) {
  EXPECT_EQ(FlowText(R"(
    %r = OpFunctionCall %uint %70 %x
    OpReturn
  )",
                     R"(
    %70 = OpFunction %uint None %fn_uint
    %a = OpFunctionParameter %uint
    %fe = OpLabel
    OpReturn
    OpFunctionEnd
  )"),
            "return has no value in a function with a result (%70)");
}

TEST(Blocks, TerminatorsOfOtherStages) {
  EXPECT_EQ(FlowText(R"(
    OpKill
  )"),
            "OpKill or OpTerminateInvocation outside a fragment shader (%1)");
}

}  // namespace
}  // namespace kiln::front
