// Tests phis: written at edges, all at once. SPIR-V in, MIR or the named error out.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/control_testing.h"

namespace kiln::front {
namespace {

TEST(Phis, OnesThatReadEachOther) {
  EXPECT_EQ(FlowText(R"(
    OpBranch %h
    %h = OpLabel
    %a = OpPhi %uint %u_0 %entry %b %h
    %b = OpPhi %uint %x %entry %a %h
    OpLoopMerge %m %h None
    %l = OpULessThan %bool %a %b
    OpBranchConditional %l %h %m
    %m = OpLabel
    OpStore %word %a
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%5:i32 = loop (%2:i32 = 0, %3:i32 = %1) {
  %4:bool = ult %2, %3
  if %4 {
    yield
  } else {
    break %2
  }
  continue %3, %2
}
store_ssbo[0, align 64] 0, %5
return
)");
}

TEST(Phis, PredecessorsAreAllNamed) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    OpBranch %m
    %m = OpLabel
    %70 = OpPhi %uint %x %entry
    OpStore %word %70
    OpReturn
  )"),
            "phi has no value for a predecessor (%70)");
}

TEST(Phis, OperandsHaveTheTypeOfThePhi) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpBranchConditional %c %t %m
    %t = OpLabel
    OpBranch %m
    %m = OpLabel
    %70 = OpPhi %uint %x %entry %true %t
    OpStore %word %70
    OpReturn
  )"),
            "phi operand is not of the phi's type (%70)");
}

TEST(Phis, StandFirst) {
  EXPECT_EQ(FlowText(R"(
    OpBranch %m
    %m = OpLabel
    %z = OpIAdd %uint %x %x
    %70 = OpPhi %uint %x %entry
    OpStore %word %70
    OpReturn
  )"),
            "phi is not at the start of its block (%70)");
}

}  // namespace
}  // namespace kiln::front
