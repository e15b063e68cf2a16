// Tests values carried by loops, and their breaks and continues. SPIR-V in, MIR out.
#include <gtest/gtest.h>

#include <string>

#include "core/front/testing/control_testing.h"

namespace kiln::front {
namespace {

TEST(Loops, OneExit) {
  EXPECT_EQ(FlowText(R"(
    OpBranch %h
    %h = OpLabel
    %i = OpPhi %uint %u_0 %entry %n %t
    OpLoopMerge %m %t None
    %l = OpULessThan %bool %i %x
    OpBranchConditional %l %t %m
    %t = OpLabel
    %n = OpIAdd %uint %i %u_1
    OpBranch %h
    %m = OpLabel
    OpStore %word %i
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%6:i32 = loop (%2:i32 = 0) {
  %3:bool = ult %2, %1
  if %3 {
    yield
  } else {
    break %2
  }
  %5:i32 = iadd %2, 1
  continue %5
}
store_ssbo[0, align 64] 0, %6
return
)");
}

TEST(Loops, AVariableThatIsNotWrittenIsNotCarried) {
  EXPECT_EQ(FlowText(R"(
    %v = OpVariable %p_local Function
    %w = OpVariable %p_local Function
    OpStore %v %u_2
    OpStore %w %x
    OpBranch %h
    %h = OpLabel
    OpLoopMerge %m %t None
    OpBranch %t
    %t = OpLabel
    %o = OpLoad %uint %w
    %n = OpIAdd %uint %o %u_1
    OpStore %w %n
    %l = OpULessThan %bool %n %u_3
    OpBranchConditional %l %h %m
    %m = OpLabel
    %rv = OpLoad %uint %v
    %rw = OpLoad %uint %w
    %r = OpIAdd %uint %rv %rw
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%7:i32 = loop (%2:i32 = %1) {
  %4:i32 = iadd %2, 1
  %6:bool = ult %4, 3
  if %6 {
    yield
  } else {
    break %4
  }
  continue %4
}
%9:i32 = iadd 2, %7
store_ssbo[0, align 64] 0, %9
return
)");
}

TEST(Loops, TwoExitsAreToldApartAfterTheLoop) {
  EXPECT_EQ(FlowText(R"(
    OpBranch %h
    %h = OpLabel
    %i = OpPhi %uint %u_0 %entry %n %t
    OpLoopMerge %m %t None
    %l = OpULessThan %bool %i %x
    OpBranchConditional %l %b %m
    %b = OpLabel
    %k = OpIEqual %bool %i %u_3
    OpBranchConditional %k %q %t
    %q = OpLabel
    OpReturn
    %t = OpLabel
    %n = OpIAdd %uint %i %u_1
    OpBranch %h
    %m = OpLabel
    OpStore %word %i
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%10:i32, %11:bool = loop (%2:i32 = 0) {
  %3:bool = ult %2, %1
  if %3 {
    yield
  } else {
    break %2, true
  }
  %6:bool = ieq %2, 3
  if %6 {
    break %2, false
  } else {
    yield
  }
  %9:i32 = iadd %2, 1
  continue %9
}
if %11 {
  store_ssbo[0, align 64] 0, %10
  yield
} else {
  yield
}
return
)");
}

// A return from the inner loop is a break of both.
TEST(Loops, ExitsOfTwoLoopsAtOnce) {
  EXPECT_EQ(FlowText(R"(
    OpBranch %h
    %h = OpLabel
    OpLoopMerge %m %t None
    OpBranch %h2
    %h2 = OpLabel
    OpLoopMerge %m2 %t2 None
    OpBranch %b
    %b = OpLabel
    %y = OpLoad %uint %word
    OpSwitch %y %t2 1 %q 2 %m2
    %q = OpLabel
    OpReturn
    %t2 = OpLabel
    OpBranch %h2
    %m2 = OpLabel
    OpBranchConditional %c %m %t
    %t = OpLabel
    OpBranch %h
    %m = OpLabel
    OpStore %word %u_2
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 1
%11:bool = loop {
  %10:bool = loop {
    %4:i32 = load_ssbo[0, align 64] 0
    %5:bool = ieq %4, 1
    if %5 {
      break true
    } else {
      %8:bool = ieq %4, 2
      if %8 {
        break false
      } else {
        continue
      }
      unreachable
    }
    unreachable
  }
  if %10 {
    break false
  } else {
    yield
  }
  if %3 {
    break true
  } else {
    yield
  }
  continue
}
if %11 {
  store_ssbo[0, align 64] 0, 2
  yield
} else {
  yield
}
return
)");
}

TEST(Loops, WithoutAnExit) {
  EXPECT_EQ(FlowText(R"(
    OpBranch %h
    %h = OpLabel
    OpLoopMerge %m %t None
    OpBranch %t
    %t = OpLabel
    OpStore %word %u_1
    OpBranch %h
    %m = OpLabel
    OpUnreachable
  )"),
            R"(
loop {
  store_ssbo[0, align 64] 0, 1
  continue
}
unreachable
)");
}

}  // namespace
}  // namespace kiln::front
