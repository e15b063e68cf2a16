#include "core/front/testing/control_testing.h"

#include <sstream>

#include "core/base/cause.h"
#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

constexpr char kFrame[] = R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %1 "main"
    OpExecutionMode %1 LocalSize 1 1 1
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %buffer DescriptorSet 0
    OpDecorate %buffer Binding 0
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %fn_uint = OpTypeFunction %uint %uint
    %true = OpConstantTrue %bool
    %false = OpConstantFalse %bool
    %u_0 = OpConstant %uint 0
    %u_1 = OpConstant %uint 1
    %u_2 = OpConstant %uint 2
    %u_3 = OpConstant %uint 3
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %p_block = OpTypePointer StorageBuffer %block
    %p_word = OpTypePointer StorageBuffer %uint
    %p_local = OpTypePointer Function %uint
    %buffer = OpVariable %p_block StorageBuffer
    %1 = OpFunction %void None %fn
    %entry = OpLabel
)";

constexpr char kFirst[] = R"(
    %word = OpAccessChain %p_word %buffer %u_0 %u_0
    %x = OpLoad %uint %word
    %c = OpIEqual %bool %x %u_1
)";

}  // namespace

std::string FlowText(const std::string& main, const std::string& functions) {
  std::string variables;  // must come first
  std::string code;
  std::istringstream in(main);
  for (std::string line; std::getline(in, line);) {
    (line.find("= OpVariable ") != std::string::npos ? variables : code) += line + "\n";
  }
  const auto module =
      ImportVerified(Assemble(kFrame + variables + kFirst + code + "OpFunctionEnd\n" + functions));
  if (!module.ok()) return TextOf(module.status());
  std::istringstream printed(mir::Print(*module));
  std::string text;
  bool body = false;
  for (std::string line; std::getline(printed, line) && line != "}";) {
    if (body) text += line.substr(2, line.find(" ;%") - 2) + "\n";
    body = body || line == "body {";
  }
  return "\n" + text;
}

}  // namespace kiln::front
