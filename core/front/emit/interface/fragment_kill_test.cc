// Tests how invocations of fragments end or become helpers, in all kinds of control flow: the MIR,
// and the surviving invocations when it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "core/front/testing/fragment_testing.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The frame has %x, a float input at location 1, %v its value and %c: true if it is below 1; %red
// is the first component of the output, to which %v is stored first.
std::string KillText(const std::string& main, const std::string& functions = "",
                     const std::string& declarations = "") {
  const std::string text = FragmentText({.declarations = declarations + R"(
      OpDecorate %x Location 1
      %x = OpVariable %in_float Input)",
                                         .main = R"(
      %v = OpLoad %float %x
      %c = OpFOrdLessThan %bool %v %f_1
      %red = OpAccessChain %out_float %color %u_0
      OpStore %red %v
)" + main,
                                         .functions = functions});
  const size_t body = text.find("body {");
  return body == text.npos ? text : text.substr(body);
}

TEST(Kills, OnOneSide) {
  for (const auto& [inst, op] :
       {std::pair("OpKill", "discard"), std::pair("OpTerminateInvocation", "terminate")}) {
    EXPECT_EQ(KillText(std::string(R"(
      OpSelectionMerge %join None
      OpBranchConditional %c %then %join
      %then = OpLabel
      OpStore %red %f_0
      )") + inst + R"(
      %join = OpLabel
      OpReturn)"),
              std::string(R"(body {
  %0:f32 = load_input[0, 0]
  %1:bool = flt %0, 1f
  if %1 {
    )") + op + R"( true
    unreachable
  } else {
    yield
  }
  store_output[0, 0] %0
  return
}
)");
  }
}

TEST(Kills, OfAllInvocations) {
  EXPECT_EQ(KillText("OpKill"), "body {\n  discard true\n  unreachable\n}\n");
}

TEST(Kills, OnBothSides) {
  EXPECT_EQ(KillText(R"(
      OpSelectionMerge %join None
      OpBranchConditional %c %then %else
      %then = OpLabel
      OpKill
      %else = OpLabel
      OpTerminateInvocation
      %join = OpLabel
      OpUnreachable)"),
            R"(body {
  %0:f32 = load_input[0, 0]
  %1:bool = flt %0, 1f
  if %1 {
    discard true
    unreachable
  } else {
    yield
  }
  terminate true
  unreachable
}
)");
}

TEST(Kills, InSwitches) {
  EXPECT_EQ(KillText(R"(
      %n = OpConvertFToU %uint %v
      OpSelectionMerge %join None
      OpSwitch %n %default 1 %one 2 %two
      %one = OpLabel
      OpKill
      %two = OpLabel
      OpStore %red %f_half
      OpBranch %join
      %default = OpLabel
      OpTerminateInvocation
      %join = OpLabel
      OpReturn)"),
            R"(body {
  %0:f32 = load_input[0, 0]
  %1:i32 = f2u %0
  %2:bool = ieq %1, 1
  if %2 {
    discard true
    unreachable
  } else {
    %3:bool = ieq %1, 2
    if %3 {
      yield
    } else {
      terminate true
      unreachable
    }
    yield
  }
  store_output[0, 0] 0.5f
  return
}
)");
}

TEST(Kills, InLoopsEndTheIteration) {
  EXPECT_EQ(KillText(R"(
      OpBranch %head
      %head = OpLabel
      %i = OpPhi %uint %u_0 %entry %j %next
      OpLoopMerge %exit %next None
      OpBranch %body
      %body = OpLabel
      %f = OpConvertUToF %float %i
      %e = OpFOrdGreaterThan %bool %f %v
      OpSelectionMerge %on None
      OpBranchConditional %e %kill %on
      %kill = OpLabel
      OpKill
      %on = OpLabel
      %d = OpUGreaterThanEqual %bool %i %u_4
      OpBranchConditional %d %exit %next
      %next = OpLabel
      %j = OpIAdd %uint %i %u_1
      OpBranch %head
      %exit = OpLabel
      OpReturn)"),
            R"(body {
  %0:f32 = load_input[0, 0]
  loop (%1:i32 = 0) {
    %2:f32 = u2f %1
    %3:bool = flt %0, %2
    if %3 {
      discard true
      unreachable
    } else {
      yield
    }
    %4:bool = uge %1, 4
    if %4 {
      break
    } else {
      yield
    }
    %5:i32 = iadd %1, 1
    continue %5
  }
  store_output[0, 0] %0
  return
}
)");
}

// The result of a function that ends some invocations is the value it returns for the others.
TEST(Kills, InFunctions) {
  EXPECT_EQ(KillText(R"(
      %r = OpFunctionCall %float %f %v
      %s = OpFunctionCall %float %f %r
      OpStore %red %s
      OpReturn)",
                     R"(
      %f = OpFunction %float None %fn_f
      %a = OpFunctionParameter %float
      %fe = OpLabel
      %b = OpFOrdLessThan %bool %a %f_0
      OpSelectionMerge %fj None
      OpBranchConditional %b %fk %fj
      %fk = OpLabel
      OpTerminateInvocation
      %fj = OpLabel
      %g = OpFSub %float %a %f_1
      OpReturnValue %g
      OpFunctionEnd)",
                     "%fn_f = OpTypeFunction %float %float"),
            R"(body {
  %0:f32 = load_input[0, 0]
  %1:bool = flt %0, 0f
  if %1 {
    terminate true
    unreachable
  } else {
    yield
  }
  %2:f32 = fsub %0, 1f
  %3:bool = flt %2, 0f
  if %3 {
    terminate true
    unreachable
  } else {
    yield
  }
  %4:f32 = fsub %2, 1f
  store_output[0, 0] %4
  return
}
)");
}

// Code after a call that never returns is unreachable.
TEST(Kills, InFunctionsThatNeverReturn) {
  EXPECT_EQ(KillText(R"(
      %r = OpFunctionCall %void %f
      OpReturn)",
                     R"(
      %f = OpFunction %void None %fn
      %fe = OpLabel
      OpKill
      OpFunctionEnd)"),
            "body {\n  discard true\n  unreachable\n}\n");
}

TEST(Kills, DemotedOnesGoOn) {
  EXPECT_EQ(KillText(R"(
      OpSelectionMerge %join None
      OpBranchConditional %c %then %join
      %then = OpLabel
      OpDemoteToHelperInvocation
      OpStore %red %f_half
      OpBranch %join
      %join = OpLabel
      OpReturn)"),
            R"(body {
  %0:f32 = load_input[0, 0]
  %1:bool = flt %0, 1f
  %2:f32 = if %1 {
    demote true
    yield 0.5f
  } else {
    yield %0
  }
  store_output[0, 0] %2
  return
}
)");
}

// ---- HelperInvocation ----

std::string HelperText(const std::string& first, const std::string& second,
                       const std::string& decoration = "") {
  return KillText("%h = " + first + R"(
      OpDemoteToHelperInvocation
      %i = )" + second +
                      R"(
      %f = OpSelect %float %h %f_1 %f_half
      %g = OpSelect %float %i %f %v
      OpStore %red %g
      OpReturn)",
                  "", R"(
      OpDecorate %helper BuiltIn HelperInvocation
      )" + decoration + R"(
      %p_bool = OpTypePointer Input %bool
      %helper = OpVariable %p_bool Input)");
}

TEST(Helpers, AreAskedForBeforeAndAfterADemote) {
  // A load that is not volatile returns the value at the start.
  const std::string one = R"(body {
  %0:bool = helper_invocation
  %1:f32 = load_input[0, 0]
  demote true
  %2:f32 = select %0, 1f, 0.5f
  %3:f32 = select %0, %2, %1
  store_output[0, 0] %3
  return
}
)";
  EXPECT_EQ(HelperText("OpLoad %bool %helper", "OpLoad %bool %helper"), one);
  const std::string two = R"(body {
  %0:bool = helper_invocation
  %1:f32 = load_input[0, 0]
  demote true
  %2:bool = helper_invocation
  %3:f32 = select %0, 1f, 0.5f
  %4:f32 = select %2, %3, %1
  store_output[0, 0] %4
  return
}
)";
  EXPECT_EQ(HelperText("OpLoad %bool %helper", "OpLoad %bool %helper Volatile"), two);
  EXPECT_EQ(HelperText("OpLoad %bool %helper", "OpIsHelperInvocationEXT %bool"), two);
  EXPECT_THAT(
      HelperText("OpLoad %bool %helper", "OpLoad %bool %helper", "OpDecorate %helper Volatile"),
      HasSubstr("demote true\n  %2:bool = helper_invocation\n"));
}

// ---- Execution ----

// A quad of fragments that reads a float of its own, 0 1 2 3, at location 0, and an output vec4 `o`
// at location 0: its first components.
struct Quad {
  std::vector<bool> live;
  std::vector<float> red;
};
Quad RunQuad(const std::string& body, const std::string& globals = "") {
  Quad quad;
  const auto module = ImportVerified(
      CompileFragment("#version 460\n#extension GL_EXT_demote_to_helper_invocation : enable\n"
                      "#extension GL_EXT_terminate_invocation : enable\n"
                      "layout(location = 0) in float x;\nlayout(location = 0) out vec4 o;\n" +
                      globals + "void main() {\n" + body + "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return quad;
  oracle::LaunchInputs inputs;
  inputs.stage.inputs.resize(1);
  for (int i = 0; i < 4; ++i) {
    inputs.stage.inputs[0].push_back(std::bit_cast<uint32_t>(static_cast<float>(i)));
  }
  const auto run = oracle::Interpret(*module, inputs);
  EXPECT_TRUE(run.ok()) << run.status() << mir::Print(*module);
  quad.live = inputs.stage.live;
  for (size_t i = 0; i < 4 && !inputs.stage.outputs.empty(); ++i) {
    quad.red.push_back(std::bit_cast<float>(static_cast<uint32_t>(inputs.stage.outputs[0][i])));
  }
  return quad;
}

TEST(KilledQuads, LeaveTheOthers) {
  const Quad quad = RunQuad("if (x == 2.0) discard; o = vec4(x + 1.0);");
  EXPECT_THAT(quad.live, ElementsAre(true, true, false, true));
  EXPECT_EQ(quad.red[0], 1);
  EXPECT_EQ(quad.red[1], 2);
  EXPECT_EQ(quad.red[3], 4);
}

TEST(KilledQuads, InLoopsAndFunctions) {
  const Quad quad = RunQuad(
      "float s = 0.0;\n"
      "for (int i = 0; i < 4; ++i) { if (i == 2 && x == 1.0) terminateInvocation; s += f(x, i); }\n"
      "o = vec4(s);",
      "float f(float a, int i) { if (a == 3.0 && i == 3) discard; return a * float(i); }\n");
  EXPECT_THAT(quad.live, ElementsAre(true, false, true, false));
  EXPECT_EQ(quad.red[0], 0);
  EXPECT_EQ(quad.red[2], 12);
}

TEST(KilledQuads, ALoopThatOnlyADiscardEnds) {
  const Quad quad = RunQuad(
      "int i = 0; while (true) { if (float(i) > 3.0 * x) discard; if (x > 0.0 && i == 2) break; "
      "++i; }"
      "o = vec4(i);");
  EXPECT_THAT(quad.live, ElementsAre(false, true, true, true));
  EXPECT_EQ(quad.red[1], 2);
}

TEST(KilledQuads, DemotedOnesServeDerivatives) {
  const Quad quad = RunQuad(
      "if (x == 1.0) demote; float d = dFdx(x * x); o = vec4(helperInvocationEXT() ? 9.0 : d);");
  EXPECT_THAT(quad.live, ElementsAre(true, false, true, true));
  EXPECT_EQ(quad.red[0], 1);
  EXPECT_EQ(quad.red[2], 5);
  EXPECT_EQ(quad.red[3], 5);
}

}  // namespace
}  // namespace kiln::front
