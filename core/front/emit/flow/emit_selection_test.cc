// Tests branches and switches. SPIR-V in, MIR out.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/front/testing/control_testing.h"

namespace kiln::front {
namespace {

TEST(Selections, AConstantConditionChooses) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpBranchConditional %true %t %f
    %t = OpLabel
    OpBranch %m
    %f = OpLabel
    OpBranch %m
    %m = OpLabel
    %r = OpPhi %uint %u_2 %t %u_3 %f
    OpStore %word %r
    OpReturn
  )"),
            R"(
store_ssbo[0, align 64] 0, 2
return
)");
}

TEST(Selections, BothWaysToOneBlock) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpBranchConditional %c %m %m
    %m = OpLabel
    OpStore %word %u_2
    OpReturn
  )"),
            R"(
store_ssbo[0, align 64] 0, 2
return
)");
}

TEST(Selections, ConditionsAreBools) {
  EXPECT_EQ(FlowText(R"(
    %70 = OpIAdd %uint %x %x
    OpSelectionMerge %m None
    OpBranchConditional %70 %m %m
    %m = OpLabel
    OpReturn
  )"),
            "operand is not a scalar of the required type (%70)");
}

TEST(Selections, CasesAreComparedInOrder) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpSwitch %x %d 5 %a 7 %b 6 %a
    %a = OpLabel
    OpBranch %m
    %b = OpLabel
    OpBranch %m
    %d = OpLabel
    OpBranch %m
    %m = OpLabel
    %r = OpPhi %uint %u_1 %a %u_2 %b %u_3 %d
    OpStore %word %r
    OpReturn
  )"),
            R"(
%1:i32 = load_ssbo[0, align 64] 0
%3:bool = ieq %1, 5
%5:bool = ieq %1, 6
%6:bool = or %3, %5
%13:i32 = if %6 {
  yield 1
} else {
  %9:bool = ieq %1, 7
  %12:i32 = if %9 {
    yield 2
  } else {
    yield 3
  }
  yield %12
}
store_ssbo[0, align 64] 0, %13
return
)");
}

TEST(Selections, AConstantSelectorChooses) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpSwitch %u_2 %d 5 %a 2 %b
    %a = OpLabel
    OpBranch %m
    %b = OpLabel
    OpBranch %m
    %d = OpLabel
    OpBranch %m
    %m = OpLabel
    %r = OpPhi %uint %u_1 %a %u_2 %b %u_3 %d
    OpStore %word %r
    OpReturn
  )"),
            R"(
store_ssbo[0, align 64] 0, 2
return
)");
}

TEST(Selections, AConstantSelectorChoosesTheDefault) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpSwitch %u_3 %d 5 %a 2 %b
    %a = OpLabel
    OpBranch %m
    %b = OpLabel
    OpBranch %m
    %d = OpLabel
    OpBranch %m
    %m = OpLabel
    %r = OpPhi %uint %u_1 %a %u_2 %b %u_3 %d
    OpStore %word %r
    OpReturn
  )"),
            R"(
store_ssbo[0, align 64] 0, 3
return
)");
}

TEST(Selections, CasesThatAreTheDefaultAreNone) {
  EXPECT_EQ(FlowText(R"(
    OpSelectionMerge %m None
    OpSwitch %x %d 5 %d
    %d = OpLabel
    OpBranch %m
    %m = OpLabel
    OpStore %word %u_2
    OpReturn
  )"),
            R"(
store_ssbo[0, align 64] 0, 2
return
)");
}

// Makes a switch of `n` cases that store different values, with a default.
std::string Switch(int n) {
  std::string cases;
  std::string blocks;
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    cases += " " + k + " %k" + k;
    blocks += "%k" + k + " = OpLabel\n%y" + k + " = OpIAdd %uint %x %u_" + std::to_string(i % 4) +
              "\nOpStore %word %y" + k + "\nOpBranch %m\n";
  }
  return "OpSelectionMerge %m None\nOpSwitch %x %d" + cases + "\n" + blocks +
         "%d = OpLabel\nOpBranch %m\n%m = OpLabel\nOpReturn\n";
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Returns the deepest nesting of a line.
size_t Depth(const std::string& text) {
  size_t depth = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t first = text.find_first_not_of(' ', at);
    if (first == std::string::npos) break;
    depth = std::max(depth, (first - at) / 2);
    at = std::min(text.find('\n', first), text.size() - 1) + 1;
  }
  return depth;
}

// Up to 8 cases are nested in each other; more are divided into halves. With more than 32 targets
// one comparison divides them, otherwise equality with all literals of one half.
TEST(Selections, NestingIsLogarithmic) {
  EXPECT_EQ(Depth(FlowText(Switch(4))), 4u);
  EXPECT_EQ(Depth(FlowText(Switch(8))), 8u);
  EXPECT_LE(Depth(FlowText(Switch(16))), 10u);
  EXPECT_LE(Depth(FlowText(Switch(600))), 16u);
}

TEST(Selections, ManyCasesAreSeparatedByOrder) {
  const std::string few = FlowText(Switch(20));
  EXPECT_EQ(Count(few, "= ult "), 0);
  EXPECT_GT(Count(few, "= ieq "), 20);
  const std::string many = FlowText(Switch(64));
  EXPECT_EQ(Count(many, "= ult "), 7);  // into eighths
  EXPECT_EQ(Count(many, "= ieq "), 64);
}

}  // namespace
}  // namespace kiln::front
