// Tests the results of the join after an `if`. SPIR-V in, MIR out.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/control_testing.h"

namespace kiln::front {
namespace {

TEST(Regions, TwoValuesAreJoined) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    %y = OpIAdd %uint %x %u_2
    OpBranch %m
    %m = OpLabel
    %r = OpPhi %uint %x %entry %y %t
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
%6:i32 = if %3 {
  %5:i32 = iadd %1, 2
  yield %5
} else {
  yield %1
}
store_ssbo[0, align 64] 0, %6
return
)");
}

TEST(Regions, WhatBothArmsWriteAlikeIsNoResult) {
  EXPECT_EQ(FlowText(R"(
    %v = OpVariable %p_local Function
    OpStore %v %u_3
    OpSelectionMerge %m None
    OpBranchConditional %c %t %f
    %t = OpLabel
    OpStore %v %x
    OpBranch %m
    %f = OpLabel
    OpStore %v %x
    OpBranch %m
    %m = OpLabel
    %r = OpLoad %uint %v
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
if %3 {
  yield
} else {
  yield
}
store_ssbo[0, align 64] 0, %1
return
)");
}

TEST(Regions, AnArmWithoutAValueYieldsUndef) {
  EXPECT_EQ(FlowText(R"(
    %v = OpVariable %p_local Function
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    %y = OpIAdd %uint %x %u_2
    OpStore %v %y
    OpBranch %m
    %m = OpLabel
    %r = OpLoad %uint %v
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
%7:i32 = if %3 {
  %5:i32 = iadd %1, 2
  yield %5
} else {
  yield undef.i32
}
store_ssbo[0, align 64] 0, %7
return
)");
}

TEST(Regions, AnArmWithoutAValueAgreesWithAConstant) {
  EXPECT_EQ(FlowText(R"(
    %v = OpVariable %p_local Function
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    OpStore %v %u_2
    OpBranch %m
    %m = OpLabel
    %r = OpLoad %uint %v
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
if %3 {
  yield
} else {
  yield
}
store_ssbo[0, align 64] 0, 2
return
)");
}

TEST(Regions, AnArmWithoutAnEndAgrees) {
  EXPECT_EQ(FlowText(R"(
    %v = OpVariable %p_local Function
    OpSelectionMerge %m None
    OpBranchConditional %c %t %f
    %t = OpLabel
    OpUnreachable
    %f = OpLabel
    OpStore %v %u_2
    OpBranch %m
    %m = OpLabel
    %r = OpLoad %uint %v
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
if %3 {
  unreachable
} else {
  yield
}
store_ssbo[0, align 64] 0, 2
return
)");
}

TEST(Regions, WhatFollowsAReturnIsNestedInTheOtherArm) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    OpReturn
    %m = OpLabel
    OpStore %word %u_2
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
if %3 {
  yield
} else {
  store_ssbo[0, align 64] 0, 2
  yield
}
return
)");
}

// Each arm knows if it reaches the second label: always, or on its own condition.
TEST(Regions, TheConditionOfAFlowIsTheOneOfTheIf) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpSwitch %x %m 5 %a 7 %b
    %a = OpLabel
    OpStore %word %u_1
    OpBranch %b
    %b = OpLabel
    OpStore %word %u_2
    OpBranch %m
    %m = OpLabel
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 5
%8:bool = if %3 {
  store_ssbo[0, align 64] 0, 1
  yield true
} else {
  %7:bool = ieq %1, 7
  if %7 {
    yield
  } else {
    yield
  }
  yield %7
}
if %8 {
  store_ssbo[0, align 64] 0, 2
  yield
} else {
  yield
}
return
)");
}

// Makes `depth` selections, each nested in the previous one.
std::string Nested(int depth) {
  std::string open;
  std::string close;
  for (int i = 0; i < depth; ++i) {
    const std::string n = std::to_string(i);
    open += "OpSelectionMerge %m" + n + " None\nOpBranchConditional %c %t" + n + " %m" + n +
            "\n%t" + n + " = OpLabel\n";
    close = "OpBranch %m" + n + "\n%m" + n + " = OpLabel\n" + close;
  }
  return open + "OpStore %word %u_1\n" + close + "OpReturn\n";
}

TEST(Regions, NestingIsBounded) {
  EXPECT_EQ(FlowText(Nested(250)).find("nesting"), std::string::npos);
  EXPECT_EQ(FlowText(Nested(257)), "nesting_too_deep: levels of control flow: more than 256 (%1)");
}

}  // namespace
}  // namespace kiln::front
